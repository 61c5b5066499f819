package runner_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// aWizard is a form of three steps, each a page of its own, that keeps its draft in the browser's storage as
// such forms do. "Start over" is the wrong branch: it throws the draft away.
func aWizard(t testing.TB) (url string, got func() []string) {
	var mu sync.Mutex
	var orders []string
	const script = `<script>
const draft = JSON.parse(sessionStorage.draft || '{}');
for (const f of document.querySelectorAll('input,select')) {
  if (f.name in draft) f.value = draft[f.name];
  f.addEventListener('input', () => { draft[f.name] = f.value; });
}
const keep = () => { sessionStorage.draft = JSON.stringify(draft); };
document.addEventListener('submit', (e) => { keep(); if (e.target.dataset.last) for (const k in draft) e.target.append(Object.assign(document.createElement('input'), {type: 'hidden', name: 'draft_' + k, value: draft[k]})); });
</script>`
	page := func(title, form string) string {
		return "<!doctype html><title>" + title + "</title>" +
			form + script
	}
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch r.URL.Path {
		case "/":
			fmt.Fprint(w, page("Who", `<form action="/where"><label>Name <input name=name></label> <button>Next</button></form>`))
		case "/where":
			fmt.Fprint(w, page("Where", `<form action="/when"><label>Street <input name=street></label> <label>Town <input name=town></label> <button>Next</button></form>
				<button onclick="for (const f of document.querySelectorAll('input')) f.value=''; sessionStorage.clear(); location='/wrong'">Start over</button>`))
		case "/wrong":
			fmt.Fprint(w, "<!doctype html><title>Wrong</title><button>Nothing</button>")
		case "/when":
			fmt.Fprint(w, page("When", `<form action="/order" method=post data-last=1><label>Day <input name=day></label> <button>Order</button></form>`))
		case "/order":
			mu.Lock()
			orders = append(orders, strings.Join([]string{r.PostFormValue("draft_name"),
				r.PostFormValue("draft_street"), r.PostFormValue("draft_town"), r.PostFormValue("day")}, "|"))
			mu.Unlock()
			fmt.Fprint(w, "<!doctype html><title>Done</title><p>Thank you</p>")
		}
	})
	return s.URL + "/", func() []string { mu.Lock(); defer mu.Unlock(); return orders }
}

func TestADamagedWizardIsRewoundAndFinished(t *testing.T) {
	url, orders := aWizard(t)
	tr := play(t, "off", cua.Task{ID: "wizard", URL: url},
		typed("Name", "Ada"), click("Next"), typed("Street", "Long Lane 1"), typed("Town", "Oslo"),
		click("Start over"), click("Nothing"), rewindTo(5), click("Next"), typed("Day", "Monday"),
		click("Order"), finish())
	succeeded(t, tr, 10)
	back := tr.Steps[6]
	if got := result(t, back); got != `{"ok":true,"to_step":5,"facets":{"cookies":"kept","form":"restored","scroll":"restored","storage":"restored","tabs":"restored","url":"restored"},"crossed":[]}` {
		t.Errorf("the rewind came to %s (log of the page: %q)", got, back.Feedback)
	}
	if before := tr.Steps[3].After; back.After.FormDigest != before.FormDigest ||
		back.After.URL != before.URL || back.RewoundTo != 5 {
		t.Errorf("the page is %s with the form %s, it was %s with %s", back.After.URL, back.After.FormDigest,
			before.URL, before.FormDigest)
	}
	if got := orders(); len(got) != 1 || got[0] != "Ada|Long Lane 1|Oslo|Monday" {
		t.Errorf("the server got %q", got)
	}
}

func TestWhatWasSentIsNotGoneBackPastUnasked(t *testing.T) {
	for _, consent := range []bool{false, true} {
		t.Run(fmt.Sprintf("consent %v", consent), func(t *testing.T) {
			url, orders := aWizard(t)
			cfg, err := runner.DefaultConfig().Arm("off")
			if err != nil {
				t.Fatal(err)
			}
			cfg.Recovery.Policy.AllowCrossing = consent
			dir := filepath.Join(t.TempDir(), "episode")
			r := &runner.Runner{Env: session(t), Config: cfg, Dir: dir,
				Header: trajectories.Header{Episode: "episode"}, Brain: overseen(t,
					brain.Scripted{Script: []cua.Scripted{typed("Name", "Ada"), click("Next"), click("Next"),
						typed("Day", "Monday"), click("Order"), rewindTo(4), finish()}})}
			if _, err := r.Run(t.Context(), cua.Task{ID: "wizard", URL: url}); err != nil {
				t.Fatal(err)
			}
			tr, err := trajectories.Read(dir)
			if err != nil {
				t.Fatal(err)
			}
			succeeded(t, tr, 5)
			s := tr.Steps[5]
			want, says := `{"ok":false,"error":"irreversible_fence","step":5}`, "step 5 sent something that the server keeps"
			if consent {
				want, says = `"crossed":[5]}`, "the server still has what was sent at step 5"
			}
			if got := result(t, s); !strings.HasSuffix(got, want) {
				t.Errorf("the rewind came to %s, want %s", got, want)
			}
			if !strings.Contains(s.Feedback, says) {
				t.Errorf("the brain is told %q", s.Feedback)
			}
			if on := s.After.Title; on != map[bool]string{false: "Done", true: "When"}[consent] {
				t.Errorf("the page is %q", on)
			}
			if got := orders(); len(got) != 1 {
				t.Errorf("the server got %q", got)
			}
		})
	}
}

// A person's rewind does not wait for the brain: its call is cancelled, and the rewind is the next step. A
// second wish meanwhile is told that one is under way.
func TestAPersonsRewindCancelsTheBrain(t *testing.T) {
	url, _ := aWizard(t)
	cfg, err := runner.DefaultConfig().Arm("off")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "episode")
	script := brain.Scripted{Script: []cua.Scripted{typed("Name", "Ada"), click("Next")}}
	thinking, cancelled := make(chan struct{}), make(chan struct{})
	b := decider(func(ctx context.Context, turn *cua.Turn) (cua.Decision, error) {
		switch turn.Number {
		case 3: // it would never come back
			close(thinking)
			<-ctx.Done()
			close(cancelled)
			return cua.Decision{}, ctx.Err()
		case 4:
			return cua.Decision{Action: cua.Action{Kind: cua.Done, Success: true, Text: "ok"}}, nil
		}
		return script.Decide(ctx, turn)
	})
	r := &runner.Runner{Brain: overseen(t, b), Env: session(t), Config: cfg, Dir: dir,
		Header: trajectories.Header{Episode: "episode"}}
	if _, err := r.Rewind(t.Context(), runner.RewindRequest{Step: 1}); err != runner.ErrOver {
		t.Errorf("before the episode: %v", err)
	}
	over := make(chan error, 1)
	go func() {
		_, err := r.Run(t.Context(), cua.Task{ID: "wizard", URL: url})
		over <- err
	}()
	<-thinking
	got, err := r.Rewind(t.Context(), runner.RewindRequest{Step: 2})
	<-cancelled
	if err != nil || got.OK != cua.RestoredAll || got.ToStep != 2 {
		t.Errorf("the rewind came to %+v, %v", got, err)
	}
	if err := <-over; err != nil {
		t.Fatal(err)
	}
	if _, err := r.Rewind(t.Context(), runner.RewindRequest{Step: 1}); err != runner.ErrOver {
		t.Errorf("after the episode: %v", err)
	}
	tr, err := trajectories.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	s := tr.Steps[2]
	if s.By != cua.Person || s.Action == nil || s.Action.Kind != cua.Rewind || s.RewoundTo != 2 ||
		s.After.Title != "Who" {
		t.Errorf("step 3 is %+v by %q on %q", s.Action, s.By, s.After.Title)
	}
	if s.After.FormDigest != tr.Steps[0].After.FormDigest {
		t.Error("the form is not as it was")
	}
}

// In a browser too the oldest of a hundred checkpoints makes room, which is said with the first step that can
// be gone back to, and that one can.
func TestTheOldestCheckpointMakesRoomInChromium(t *testing.T) {
	t.Parallel() // most of it is waiting
	url, _ := aWizard(t)
	var script []cua.Scripted
	for i := range 104 {
		script = append(script, typed("Name", fmt.Sprintf("%d ", i)))
	}
	tr := play(t, "off", cua.Task{ID: "wizard", URL: url, MaxSteps: 120},
		append(script, rewindTo(3), rewindTo(6), finish())...)
	s := tr.Steps[104]
	if got := result(t, s); got != `{"ok":false,"error":"snapshot_expired","oldest_available":6}` || !strings.Contains(s.Feedback, "the oldest is the one before step 6") {
		t.Errorf("going back to step 3 came to %s, and the brain is told %q", got, s.Feedback)
	}
	if back, was := tr.Steps[105], tr.Steps[4].After; back.RewoundTo != 6 ||
		back.After.FormDigest != was.FormDigest {
		t.Errorf("going back to step 6 came to %s", result(t, back))
	}
}

// A planned secret is back in its field after a rewind past a reload, and on record by its name alone. A
// password that the page made up was not kept: the rewind says so.
func TestARewindRefillsPlannedSecrets(t *testing.T) {
	const canary = "correct-horse-7!"
	const page = `<title>Log in</title><form method=post action=/send><p><label>User name <input name=user></label>
		<p><label>Password <input type=password name=word></label> <button type=button onclick="document.forms[0].word.value='made-up-7'">Suggest</button><p><button>Log in</button></form>`
	for _, c := range []struct {
		name   string
		fields []cua.PlanValue
		second cua.Scripted
		ok     string // of the rewind, and the outcome of the form
		form   string
		sent   string // as password
	}{
		{"a planned secret", values("User name", "ada", "Password", canary), typed("Password", "<secret:PASSWORD>"), "true", "restored", canary},
		{"a password that the page made up", values("User name", "ada"), click("Suggest"), `"partial"`, "unsupported", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			site := formPages(t, map[string]string{"/": page})
			task := cua.Task{ID: "log in", URL: site.URL, Fields: c.fields}
			tr, journal := playSecretly(t, task, map[string]string{}, typed("User name", "ada"), c.second,
				cua.Scripted{Action: cua.Action{Kind: cua.Reload}}, rewindTo(3), click("Log in"))
			if before, reloaded := tr.Steps[1].After.Fields[1], tr.Steps[2].After.Fields[1]; before.Empty ||
				!reloaded.Empty {
				t.Errorf("the password's field held %+v, and after the reload %+v", before, reloaded)
			}
			back := tr.Steps[3]
			want := `{"ok":` + c.ok + `,"to_step":3,"facets":{"cookies":"kept","form":"` + c.form + `","scroll":"restored","storage":"restored","tabs":"restored","url":"restored"},"crossed":[]}`
			if got := result(t, back); got != want {
				t.Errorf("the rewind came to\n%s, want\n%s (the brain is told %q)", got, want, back.Feedback)
			}
			if before, after := secretsOf(tr.Steps[1].After.Fields),
				secretsOf(back.After.Fields); !maps.Equal(before, after) {
				t.Errorf("the fields held the secrets %v and hold %v", before, after)
			}
			if strings.Contains(journal, canary) {
				t.Error("the journal holds the password")
			}
			site.received(t, map[string]string{"user": "ada", "word": c.sent})
		})
	}
}
