package runner_test

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// A resumed episode gets back what its newest checkpoint has, in a browser that knows nothing of it: cookies,
// storage and what was typed; and it says so.
func TestAResumedSessionIsGivenBack(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		who := "nobody"
		if c, err := r.Cookie("who"); err == nil {
			who = c.Value
		}
		if r.URL.Path == "/in" {
			http.SetCookie(w, &http.Cookie{Name: "who", Value: "ada", Path: "/", HttpOnly: true})
			http.Redirect(w, r, "/form", http.StatusSeeOther)
			return
		}
		fmt.Fprintf(w, `<!doctype html><title>%s</title><a href=/in>Enter</a> <label>Word <input name=word></label> <button type=button onclick="sessionStorage.kept='yes'; localStorage.kept='yes'; document.title+=' kept'">Keep</button>
			<p id=p></p><script>document.getElementById('p').textContent = sessionStorage.kept + ' ' + localStorage.kept</script>`, who)
	})
	cfg, err := runner.DefaultConfig().Arm("off")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "episode")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	script := []cua.Scripted{click("Enter"), click("Keep"), typed("Word", "half a w")}
	first := brain.Scripted{Script: script}
	r := &runner.Runner{Env: session(t), Config: cfg, Dir: dir,
		Header: trajectories.Header{Episode: "episode"},
		Brain: overseen(t, decider(func(inner context.Context, turn *cua.Turn) (cua.Decision, error) {
			if turn.Number > len(script) {
				cancel()
				<-inner.Done()
				return cua.Decision{}, inner.Err()
			}
			return first.Decide(inner, turn)
		}))}
	if _, err := r.Run(ctx, cua.Task{ID: "draft", URL: s.URL + "/form"}); err != nil {
		t.Fatal(err)
	}
	var page cua.Observation
	again := &runner.Runner{Env: session(t), Dir: dir, Brain: overseen(t,
		decider(func(_ context.Context, turn *cua.Turn) (cua.Decision, error) {
			page = turn.Now
			return finishing(), nil
		}))}
	if _, err := again.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	tr := sound(t, dir)
	i := slices.IndexFunc(tr.Events,
		func(e trajectories.Event) bool { return e.Kind == trajectories.ResumeEvent })
	if i < 0 || tr.Events[i].Restored == nil || tr.Events[i].Restored.OK != cua.RestoredAll ||
		len(tr.Events[i].Restored.By(cua.WasRestored)) != len(cua.Facets()) {
		t.Fatalf("the resumption says %+v", tr.Events)
	}
	was := tr.Steps[2].After
	if page.Title != "ada" || page.FormDigest != was.FormDigest || page.URL != was.URL {
		t.Errorf("the page is %q with the form %s at %s, it was with %s at %s", page.Title, page.FormDigest,
			page.URL, was.FormDigest, was.URL)
	}
}

// A person takes over in a live browser: what they typed is in the page, the brain is told what changed, and
// the episode continues from there.
func TestAPersonTakesOverInChromium(t *testing.T) {
	url, orders := aWizard(t)
	cfg := runner.DefaultConfig()
	cfg.Recovery.Attended, cfg.Toggles.RescueRewind = true, false
	dir := filepath.Join(t.TempDir(), "episode")
	env := session(t)
	before := brain.Scripted{Script: append([]cua.Scripted{typed("Name", "Ada"), click("Next"),
		click("Start over")}, slices.Repeat([]cua.Scripted{click("Nothing")}, 40)...)}
	after := brain.Scripted{Script: []cua.Scripted{typed("Town", "Oslo"), click("Next"),
		typed("Day", "Monday"), click("Order"), finish()}}
	from, told := 0, ""
	var card trajectories.PauseCard
	r := &runner.Runner{Env: env, Config: cfg, Dir: dir, Header: trajectories.Header{Episode: "episode"},
		Brain: overseen(t, decider(func(ctx context.Context, turn *cua.Turn) (cua.Decision, error) {
			if from == 0 {
				return before.Decide(ctx, turn)
			}
			for _, n := range turn.Notes {
				if n.From == "runner" {
					told += n.Text
				}
			}
			later := *turn
			later.Decision = turn.Number - from
			return after.Decide(ctx, &later)
		})),
		Attend: func(ctx context.Context, c trajectories.PauseCard) (trajectories.PauseChoice, error) {
			card, from = c, c.Step
			out, err := env.Act(ctx, cua.Action{Kind: cua.Navigate, URL: url + "where"})
			if err != nil || out.Failure != nil {
				t.Fatalf("%+v, %v", out.Failure, err)
			}
			i := slices.IndexFunc(out.After.Fields, func(f cua.Field) bool { return f.Label == "Street" })
			at := out.After.Fields[i].Box.Center()
			if out, err = env.Act(ctx, cua.Action{Kind: cua.Type, Point: &at,
				Text: "Long Lane 1"}); err != nil || out.Failure != nil {
				t.Fatalf("%+v, %v", out.Failure, err)
			}
			return trajectories.PauseChoice{Kind: trajectories.ChooseTakeover}, nil
		}}
	if _, err := r.Run(t.Context(), cua.Task{ID: "wizard", URL: url}); err != nil {
		t.Fatal(err)
	}
	tr := sound(t, dir)
	if tr.End == nil || tr.End.Reason != cua.EndDone {
		t.Errorf("it ended as %+v", tr.End)
	}
	if card.Incident == nil || len(card.Choices) == 0 || card.Choices[0].Kind != trajectories.ChooseRewind {
		t.Errorf("the card was %+v", card)
	}
	if !strings.Contains(told, `"Street" is filled in now`) || !strings.Contains(told, "/where") || strings.Contains(told, "Long Lane") {
		t.Errorf("the brain was told %q", told)
	}
	if got := orders(); len(got) != 1 || got[0] != "|Long Lane 1|Oslo|Monday" {
		t.Errorf("the server got %q", got)
	}
}
