package runner_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/runner/envtest"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/show"
)

// orders is a site with a form that is sent once.
var orders = envtest.Site{Start: "form", Pages: map[string]envtest.Page{
	"form": {Title: "Order", Controls: []envtest.Control{{Name: "city", Type: "text", Label: "City"},
		{Name: "Send", Type: "submit", Writes: true, To: "thanks"}}},
	"thanks": {Title: "Thanks", Text: "Thank you.", Controls: []envtest.Control{{Name: "Home", Type: "link"}}},
}}

// losing is the scripted environment as a server sees it. It counts what is sent, and is lost after the
// presses of the button that lose names, from 1.
type losing struct {
	*envtest.Env
	sent *int
	lose map[int]bool
}

func (l losing) Act(ctx context.Context, a cua.Action) (cua.Outcome, error) {
	out, err := l.Env.Act(ctx, a)
	if err == nil && len(out.After.Writes) > 0 {
		if *l.sent++; l.lose[*l.sent] {
			return cua.Outcome{}, errors.New("the browser has gone")
		}
	}
	return out, err
}

// orderer fills in the form with the city and presses the button while it is there.
type orderer struct{ city string }

func (o orderer) Decide(_ context.Context, t *cua.Turn) (cua.Decision, error) {
	city := t.Now.FieldByID("textbox|city")
	switch {
	case t.Now.Title == "Thanks":
		return cua.Decision{Action: cua.Action{Kind: cua.Done, Success: true, Text: "Ordered."}}, nil
	case city.ValueDigest != cua.Digest(o.city):
		return cua.Decision{Action: cua.Action{Kind: cua.Type, Mark: 1, Text: o.city, Clear: true}}, nil
	}
	return cua.Decision{Action: cua.Action{Kind: cua.Click, Mark: 2}}, nil
}

// ordering is a run of that form.
type ordering struct {
	t    *testing.T
	dir  string
	sent int
	lose map[int]bool
	city string
	edit func(r *runner.Runner)
}

func (o *ordering) play(task *cua.Task) trajectories.RunResult {
	o.t.Helper()
	cfg := runner.DefaultConfig()
	cfg.Viewport = cua.Size{W: 320, H: 320}
	r := &runner.Runner{Brain: overseen(o.t, orderer{o.city}), Env: losing{&envtest.Env{Site: orders},
		&o.sent, o.lose}, Config: cfg, Dir: o.dir, Now: clock(),
		Header: trajectories.Header{Episode: "order"}}
	if o.edit != nil {
		o.edit(r)
	}
	var result trajectories.RunResult
	var err error
	if task == nil {
		result, err = r.Resume(context.Background())
	} else {
		result, err = r.Run(context.Background(), *task)
	}
	if err != nil {
		o.t.Fatal(err)
	}
	return result
}

func (o *ordering) ends(r trajectories.RunResult, end cua.EndReason, code string, sent int) {
	o.t.Helper()
	if r.TerminationReason != end || r.Code != code || o.sent != sent {
		o.t.Errorf("it ended as %s %q after the form was sent %d times, want %s %q after %d",
			r.TerminationReason, r.Code, o.sent, end, code, sent)
	}
}

// interruptedOrder is a run that was cut off after the form had left.
func interruptedOrder(t *testing.T, task cua.Task, edit func(*runner.Runner)) *ordering {
	t.Helper()
	task.ID, task.URL = "order", envtest.URL("form")
	o := &ordering{t: t, dir: filepath.Join(t.TempDir(), "run"), lose: map[int]bool{1: true}, city: "Rome",
		edit: edit}
	o.ends(o.play(&task), cua.EndEnvError, "", 1)
	return o
}

// A form that may have been sent is not sent again by a resumed run. It asks, each time that the answer is
// not there; it sends once somebody has gone on, and then asks no more.
func TestAnUncertainSendIsAskedAbout(t *testing.T) {
	o := interruptedOrder(t, cua.Task{}, nil)
	r := o.play(nil)
	o.ends(r, cua.EndAsked, cua.UncertainSend, 1)
	if !strings.Contains(r.Ledger.String(), "step 2: by click \"Send\": "+cua.PossiblySent) {
		t.Errorf("the ledger does not say that it was possibly sent:\n%s", r.Ledger)
	}
	tr := sound(t, o.dir)
	if note := tr.Steps[1].Notes; len(note) != 1 || !strings.Contains(note[0].Text,
		"the form may have been sent") {
		t.Errorf("the brain was told %+v", note)
	}
	var shown strings.Builder
	err := show.WriteTable(&shown, tr, show.TableOptions{})
	for _, says := range []string{": possibly sent", "(asked, uncertain_send)", "forms submitted"} {
		if err != nil || !strings.Contains(shown.String(), says) {
			t.Errorf("it is not shown that %q (%v):\n%s", says, err, shown.String())
		}
	}
	o.lose[2] = true // what somebody consented to is interrupted too
	o.ends(o.play(nil), cua.EndEnvError, "", 2)
	o.ends(o.play(nil), cua.EndAsked, cua.UncertainSend, 2)
	o.ends(o.play(nil), cua.EndDone, "", 3)
	sound(t, o.dir)
}

// Nothing is asked where the form holds something else now, and where sending twice does no harm.
func TestWhatIsNoUncertainSend(t *testing.T) {
	o := interruptedOrder(t, cua.Task{}, nil)
	o.city = "Oslo"
	o.ends(o.play(nil), cua.EndDone, "", 2)
	sound(t, o.dir)
	o = interruptedOrder(t, cua.Task{Idempotent: true}, nil)
	o.ends(o.play(nil), cua.EndDone, "", 2)
	sound(t, o.dir)
}

// Where a person is there, the run pauses and the person decides.
func TestAPersonDecidesOnAnUncertainSend(t *testing.T) {
	var cards []trajectories.PauseCard
	choice := trajectories.ChooseStop
	o := interruptedOrder(t, cua.Task{}, func(r *runner.Runner) {
		r.Config.Recovery.Attended = true
		r.Attend = func(_ context.Context, c trajectories.PauseCard) (trajectories.PauseChoice, error) {
			cards = append(cards, c)
			return trajectories.PauseChoice{Kind: choice}, nil
		}
	})
	o.ends(o.play(nil), cua.EndPaused, "", 1)
	if len(cards) != 1 || !strings.Contains(cards[0].Detail, "step 2 may have sent this form") {
		t.Errorf("the cards are %+v", cards)
	}
	o = interruptedOrder(t, cua.Task{}, o.edit)
	choice = trajectories.ChooseContinue
	o.ends(o.play(nil), cua.EndDone, "", 2)
	if len(cards) != 2 {
		t.Errorf("%d cards, want one more", len(cards))
	}
	sound(t, o.dir)
}

// wordy says far too much once, and then gives up.
type wordy struct{ decision cua.Decision }

func (w wordy) Decide(_ context.Context, t *cua.Turn) (cua.Decision, error) {
	if len(t.History.Steps) > 0 {
		return cua.Decision{Action: cua.Action{Kind: cua.Done}}, nil
	}
	return w.decision, nil
}

// An action that is too long for a record is the brain's failure and not the machine's: the step fails, and
// the run goes on.
func TestTextThatIsTooLong(t *testing.T) {
	for _, row := range []struct {
		name     string
		decision cua.Decision
		want     cua.FailureKind // "" is none
	}{
		{"as much as may be", cua.Decision{Action: cua.Action{Kind: cua.Type, Mark: 1, Text: strings.Repeat("a", cua.MaxText)}}, ""},
		{"one byte more", cua.Decision{Action: cua.Action{Kind: cua.Type, Mark: 1, Text: strings.Repeat("a", cua.MaxText+1)}}, cua.FailSchema},
		{"more than a journal's line takes", cua.Decision{Action: cua.Action{Kind: cua.Type, Mark: 1, Text: strings.Repeat("a", 70<<20)}}, cua.FailSchema},
		{"words", cua.Decision{Action: cua.Action{Kind: cua.Click, Mark: 2, Why: strings.Repeat("a", 70<<20)}}, cua.FailSchema},
		{"names of files", cua.Decision{Action: cua.Action{Kind: cua.Upload, Mark: 1, Files: []string{strings.Repeat("a", 70<<20)}}}, cua.FailSchema},
		{"a kind", cua.Decision{Action: cua.Action{Kind: cua.Kind(strings.Repeat("a", 70<<20))}}, cua.FailSchema},
		{"a thought", cua.Decision{Action: cua.Action{Kind: cua.Wait, MS: 1}, Thought: strings.Repeat("ä", 35<<20)}, ""},
		{"a reply", cua.Decision{Failure: &cua.Failure{Kind: cua.FailModel, Raw: strings.Repeat("a", 70<<20), Detail: strings.Repeat("b", 70<<20)}}, cua.FailModel},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			cfg := runner.DefaultConfig()
			cfg.Viewport = cua.Size{W: 320, H: 320}
			r := &runner.Runner{Brain: wordy{row.decision}, Env: &envtest.Env{Site: orders}, Config: cfg,
				Dir: dir, Now: clock(), Header: trajectories.Header{Episode: "wordy"}}
			result, err := r.Run(context.Background(), cua.Task{ID: "wordy", URL: envtest.URL("form")})
			if err != nil || result.TerminationReason != cua.EndDoneFailed || result.Steps != 2 {
				t.Fatalf("it ended as %s after %d steps (%v)", result.TerminationReason, result.Steps, err)
			}
			tr := sound(t, dir)
			got := cua.FailureKind("")
			if f := tr.Steps[0].Failure; f != nil {
				got = f.Kind
			}
			if got != row.want {
				t.Errorf("the step failed as %q, want %q", got, row.want)
			}
		})
	}
}
