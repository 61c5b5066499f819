package recovery

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cua-runner/cua-runner/cua"
)

// tracker is the mistake tracker of the arm default.
func tracker() Mistakes { return Mistakes{Config: DefaultConfig().Mistakes} }

// The letters of a tale of mistakes, one a step.
const (
	didFail     = 'f' // of changing kinds
	didWork     = 'o'
	didNothing  = '-' // dispatched, without effect
	didUnknown  = '?' // dispatched, and nobody knows the outcome
	didBreak    = 'e' // the environment failed
	didLook     = 'l'
	wasRefused  = 'r'
	thenResumed = 'R' // no step: a resumption after a crash
	thenWentOn  = 'C' // no step: somebody chose to go on after a halt
)

// play adds a step for each letter, with the notes that the tracker has the turn carry: as the machine does.
func play(t tb, m Mistakes, letters string) (*story, []cua.Verdict) {
	t.Helper()
	s := begin(page(""))
	var ruled []cua.Verdict
	for i, l := range letters {
		if l == thenResumed || l == thenWentOn {
			s.h.Resumed = append(s.h.Resumed, cua.Resumption{At: len(s.h.Steps), Page: s.h.Now(),
				Fresh: l == thenWentOn})
			continue
		}
		turn := s.turn()
		before := snapshot(t, turn, cua.Proposal{})
		notes := m.Advise(turn)
		if snapshot(t, turn, cua.Proposal{}) != before {
			t.Fatalf("the advisor changed the turn")
		}
		r := review(t, m, turn, proposal(button()))
		if len(notes) > 0 && r.Verdict != cua.Pass {
			t.Fatalf("step %d of %q: a note and a %s in one step", i+1, letters, r.Verdict)
		}
		ruled = append(ruled, r.Verdict)
		s.add(outcome(l, len(s.h.Steps)))
		s.h.Steps[len(s.h.Steps)-1].Notes = notes
	}
	return s, ruled
}

// outcome is the step that the letter stands for; kinds of failures go round.
func outcome(l rune, n int) cua.Step {
	a := click(button())
	st := cua.Step{Proposed: a, Action: &a, Target: button(), Effect: effect(false)}
	kinds := slices.DeleteFunc(cua.FailureKinds(), func(k cua.FailureKind) bool { return k == cua.FailEnv })
	switch l {
	case didFail:
		st.Failure = &cua.Failure{Kind: kinds[n%len(kinds)], Detail: "the page's words"}
		st.Action, st.Effect = nil, nil
	case wasRefused:
		st.Failure = &cua.Failure{Kind: cua.FailPolicy, Detail: "not opened"}
		st.Action, st.Effect = nil, nil
	case didWork:
		st.Effect = effect(true)
	case didUnknown:
		st.Effect = nil
	case didBreak:
		st.Failure, st.Effect = &cua.Failure{Kind: cua.FailEnv}, nil
	case didLook:
		look := cua.Action{Kind: cua.Extract}
		st.Proposed, st.Action, st.Target = look, &look, cua.Target{}
	}
	return st
}

func TestMistakes(t *testing.T) {
	for _, c := range []struct {
		name, steps string
		// told are the numbers of the steps whose turns carried the note; next is what happens in the one to
		// come.
		told []int
		next string
	}{
		{"two failures are none", "ff", nil, ""},
		{"three", "fff", nil, "note"},
		{"the note is in one request", "ffff", []int{4}, ""},
		{"the run starts afresh with it", "fffff", []int{4}, ""},
		{"three more end it", "ffffff", []int{4}, "halt"},
		{"and it stays ended", "fffffff", []int{4}, "halt"},
		{"fail, ok, fail is a run of one", "fof", nil, ""},
		{"fail, ok, fail, fail, fail is three", "fofff", nil, "note"},
		{"a success clears the note too", "fffofff", []int{4}, "note"},
		{"a success late clears it", "fffffofff", []int{4}, "note"},
		{"and it is told again", "fffoffff", []int{4, 8}, ""},
		{"and ends after the second", "fffoffffff", []int{4, 8}, "halt"},
		{"a step without effect is neutral", "f-f-f", nil, "note"},
		{"so is a look", "flflf", nil, "note"},
		{"also after the note", "fff-f-ff", []int{4}, "halt"},
		{"the note comes with the step after the third", "fff-", []int{4}, ""},
		{"what nobody knows of is no failure", "ff?f", nil, ""},
		{"what is refused failed", "rrr", nil, "note"},
		{"the environment's failures are not the agent's", "feefe", nil, ""},
		{"nor do they clear", "fefef", nil, "note"},
		{"a crash resets nothing", "ffRf", nil, "note"},
		{"nor after the note", "ffffRff", []int{4}, "halt"},
		{"going on starts afresh", "ffffffC", []int{4}, ""},
		{"with two to go", "ffffffCff", []int{4}, ""},
		{"and a note of its own", "ffffffCfff", []int{4}, "note"},
		{"which is told", "ffffffCffff", []int{4, 10}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, _ := play(t, tracker(), c.steps)
			var told []int
			for _, st := range s.h.Steps {
				if len(st.Notes) > 0 {
					told = append(told, st.N)
				}
			}
			if !slices.Equal(told, c.told) {
				t.Errorf("told in the turns of steps %v, want %v", told, c.told)
			}
			next := ""
			notes, r := tracker().Advise(s.turn()), review(t, tracker(), s.turn(), proposal(button()))
			if len(notes) == 1 && notes[0].From == MistakesName && notes[0].Level == 0 {
				next = "note"
			}
			if r.Verdict == cua.Halt && r.End == cua.EndMistakes && r.End.CanContinue() &&
				r.Reason == ReasonMistakes {
				next += "halt"
			}
			if next != c.next || (r.Verdict == cua.Pass) != (c.next != "halt") {
				t.Errorf("then %q (%+v), want %q", next, r, c.next)
			}
		})
	}
}

// Whatever is proposed, also a way out and an answer that could not be read: the run is over.
func TestMistakesHaltWhateverIsProposed(t *testing.T) {
	s, _ := play(t, tracker(), "fff-fff")
	for _, p := range []cua.Proposal{{Action: cua.Action{Kind: cua.Done, Success: true}},
		{Failure: &cua.Failure{Kind: cua.FailSchema}}, {By: cua.DirectorPrefix + "x"}} {
		if r := review(t, tracker(), s.turn(), p); r.End != cua.EndMistakes ||
			!slices.Equal(r.Evidence, []int{5, 6, 7}) {
			t.Errorf("%+v: %+v", p, r)
		}
	}
}

// The way out that was offered is not stopped, and where it fails that is not the brain's mistake. Anything
// else is, also the same deed elsewhere, and one that nobody was told of.
func TestAWayOutThatWasOfferedIsNoMistake(t *testing.T) {
	offer := func(a cua.Action, more func(*cua.Ruling)) []cua.Ruling {
		r := cua.Ruling{Gate: "rescue", Verdict: cua.Replace, Reason: "dismiss_overlay", Action: &a,
			Shadow: true}
		if more != nil {
			more(&r)
		}
		return []cua.Ruling{r}
	}
	there, elsewhere := button(), button()
	elsewhere.ID, elsewhere.Point, elsewhere.Box = "other", &cua.Point{X: 900, Y: 700}, cua.Box{}
	press := click(there)
	for _, row := range []struct {
		name     string
		tracker  Mistakes
		rulings  []cua.Ruling
		proposal cua.Proposal
		halts    bool
	}{
		{"the offer itself", tracker(), offer(press, nil), proposal(there), false},
		{"by its element", tracker(), offer(cua.Action{Kind: cua.Click, Into: there.ID}, nil),
			proposal(there), false},
		{"another place", tracker(), offer(press, nil), proposal(elsewhere), true},
		{"the page again, for a reload", tracker(), offer(cua.Action{Kind: cua.Reload}, nil),
			cua.Proposal{Action: cua.Action{Kind: cua.Navigate, URL: site}}, false},
		{"another page, for a reload", tracker(), offer(cua.Action{Kind: cua.Reload}, nil),
			cua.Proposal{Action: cua.Action{Kind: cua.Navigate, URL: site + "x"}}, true},
		{"a scroll the other way", tracker(), offer(cua.Action{Kind: cua.Scroll, DY: 400}, nil),
			cua.Proposal{Action: cua.Action{Kind: cua.Scroll, DY: -400}}, true},
		{"another deed", tracker(), offer(cua.Action{Kind: cua.Key, Keys: "Tab"}, nil), proposal(there), true},
		{"it had force", tracker(), offer(press, func(r *cua.Ruling) { r.Shadow = false }),
			proposal(there), true},
		{"the policy refused it", tracker(), offer(press, func(r *cua.Ruling) { r.Dropped = true }),
			proposal(there), true},
		{"nothing was offered", tracker(), nil, proposal(there), true},
		{"offers are not shown", Mistakes{Config: tracker().Config}, offer(press, nil), proposal(there), true},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.tracker.Offered = row.name != "offers are not shown"
			s, _ := play(t, row.tracker, "ffffff")
			s.h.Steps[5].Rulings = row.rulings
			if r := review(t, row.tracker, s.turn(), row.proposal); (r.Verdict == cua.Halt) != row.halts {
				t.Fatalf("%+v", r)
			}
			// Five failures with a note, and one more that followed an offer or did not.
			s, _ = play(t, row.tracker, "fffff")
			s.h.Steps[4].Rulings = row.rulings
			s.add(cua.Step{Proposed: row.proposal.Action, Target: row.proposal.Target,
				Failure: &cua.Failure{Kind: cua.FailExec}})
			r := review(t, row.tracker, s.turn(), proposal(elsewhere))
			if (r.Verdict == cua.Halt) != row.halts {
				t.Errorf("after it failed: %+v", r)
			}
		})
	}
}

func TestTheNoteOfMistakes(t *testing.T) {
	s, _ := play(t, tracker(), "fff")
	for i, k := range []cua.FailureKind{cua.FailSchema, cua.FailNotFound, cua.FailNav} {
		s.h.Steps[i].Failure.Kind = k
	}
	s.h.Steps[0].Proposed = cua.Action{} // could not be read
	said := func(m Mistakes) string { return m.Advise(s.turn())[0].Text }
	for _, want := range []string{"3 steps failed", "step 1 (answer: schema_reject)",
		"step 2 (click: element_not_found)", "step 3 (click: nav_error)", "Do not guess addresses",
		"next 3 steps fail too", "is ended"} {
		if got := said(tracker()); !strings.Contains(got, want) {
			t.Errorf("%q does not say %q", got, want)
		}
	}
	alone := tracker()
	alone.NeverEnds = true
	if got := said(alone); strings.Contains(got, "ended") || !strings.Contains(got, "steps that are left") {
		t.Errorf("where nothing halts it says %q", got)
	}
	if strings.Contains(said(tracker()), "page's words") {
		t.Error("the note quotes what a page wrote")
	}
	for _, k := range cua.FailureKinds() {
		if remedy(k) == "" {
			t.Errorf("no remedy for %s", k)
		}
	}
}

// One intervention a step: where the tracker speaks of failures the nudge does not, and beside its note the
// nudge says nothing at all.
func TestNudgeLeavesFailuresToTheTracker(t *testing.T) {
	nudge := Nudge{Config: DefaultConfig().Nudge, Mistakes: true}
	note := []cua.Note{{From: MistakesName, Text: "three"}}
	for _, c := range []struct {
		name    string
		nudge   Nudge
		shape   cua.Shape
		carried []cua.Note
		says    string
	}{
		{"failures are the tracker's", nudge, cua.ShapeFailures, nil, ""},
		{"other shapes are not", nudge, cua.ShapeRepeat, nil, "this episode is ended"},
		{"not beside its note", nudge, cua.ShapeRepeat, note, ""},
		{"beside another's it speaks", nudge, cua.ShapeRepeat, []cua.Note{{From: "runner", Text: "x"}}, "this episode is ended"},
		{"without the tracker it speaks of failures, and threatens nothing", Nudge{Config: nudge.Config}, cua.ShapeFailures, nil, "use up the steps"},
	} {
		turn := begin(page("")).clicks(9, button()).looping(c.shape, cua.Hard, 8)
		turn.Notes = c.carried
		got := c.nudge.Advise(turn)
		if c.says == "" && got != nil || c.says != "" && (len(got) != 1 ||
			!strings.Contains(got[0].Text, c.says)) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// TestMistakesProperty: never a note or an end before three failures, never an end without a note that was
// delivered before, with no success since and three failures after it, and never a second note without a
// success in between.
func TestMistakesProperty(t *testing.T) {
	noted, ended := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		m := Mistakes{Config: MistakesConfig{Run: rapid.IntRange(2, 4).Draw(t, "run")}}
		letters := string(rapid.SliceOfN(rapid.SampledFrom([]rune("ffffffr-lo?eRC")), 0, 30).Draw(t, "steps"))
		s, verdicts := play(t, m, letters)
		step, failures, told := 0, 0, false
		for _, l := range letters {
			if l == thenWentOn {
				failures, told = 0, false
			}
			if l == thenResumed || l == thenWentOn {
				continue
			}
			note := len(s.h.Steps[step].Notes) > 0
			halt := verdicts[step] == cua.Halt
			full := failures >= m.Config.Run
			if note != (full && !told) || halt != (full && told) {
				t.Fatalf("%q, step %d: note %t, halt %t after %d failures, told before: %t", letters, step+1,
					note, halt, failures, told)
			}
			if note {
				failures, told = 0, true
				noted++
			}
			if halt {
				ended++
			}
			switch l {
			case didFail, wasRefused:
				failures++
			case didWork, didUnknown:
				failures, told = 0, false
			}
			step++
		}
	})
	if noted == 0 || ended == 0 {
		t.Errorf("%d notes and %d ends: nothing was shown", noted, ended)
	}
}
