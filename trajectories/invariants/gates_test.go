package invariants

import (
	"encoding/json"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
)

// chained is a tale whose header lists gates, and whose steps ask all of them up to the one that decides.
func chained(gates ...string) *tale {
	return form().With(func(j *Journal) { j.Header.Gates = gates })
}

// complete has each step ask what comes before its ruling, or all gates where none decided.
func complete(j *Journal) {
	for i := range j.Steps {
		s := &j.Steps[i]
		n := len(j.Header.Gates)
		r, ruled := s.Ruled()
		if ruled {
			n = slices.Index(j.Header.Gates, r.Gate)
		}
		s.Rulings = passes(j.Header.Gates[:n]...)
		if ruled {
			s.Rulings = append(s.Rulings, r)
		}
	}
}

// A gate or a code that this package does not know is not checked.
func TestEveryGateAndCodeIsKnown(t *testing.T) {
	c := runner.DefaultConfig()
	_, _, gates := runner.Assemble(c).Names()
	if !slices.Equal(chain, gates) {
		t.Errorf("chain is %v, want %v", chain, gates)
	}
	for _, g := range gates {
		if !gatesOf(c.Toggles)[g] {
			t.Errorf("gatesOf does not know %s", g)
		}
	}
	for _, code := range cua.Reasons() {
		if meanings[string(code)] == nil {
			t.Errorf("meanings has no action for %s", code)
		}
	}
}

func TestGatesAllAsked(t *testing.T) {
	all := []string{"limits", "policy", "done", "force_fill", "director", "rescue", "breaker"}
	clicked := func() *tale { return chained(all...).Clicks(2).With(complete) }
	filled := func() *tale { return chained(all...).Fill("Name", "ada").With(complete) }
	rulings := func(edit func(r []cua.Ruling) []cua.Ruling) func(*cua.Step) {
		return func(s *cua.Step) { s.Rulings = edit(s.Rulings) }
	}
	leave := func(n int) func(*cua.Step) {
		return rulings(func(r []cua.Ruling) []cua.Ruling { return slices.Delete(r, n, n+1) })
	}
	dropped := func(s *cua.Step) {
		r := &s.Rulings[len(s.Rulings)-1]
		r.Shadow, r.Dropped, s.Action = true, true, &s.Proposed
	}
	rest := func(r []cua.Ruling) []cua.Ruling { return append(r, passes(all[len(r):]...)...) }
	checkRows(t, "gates_all_asked", []checkRow{
		{"all pass", clicked(), nil},
		{"one replaces", filled(), nil},
		{"one refuses", chained(all...).Ruled(cua.Ruling{Gate: "policy", Verdict: cua.Refuse}).With(complete), nil},
		{"one accepts", clicked().Last(rulings(func(r []cua.Ruling) []cua.Ruling { r[4].Verdict = cua.Accept; return r[:5] })), nil},
		{"the arm off", chained("limits", "policy").Clicks(3).With(complete), nil},
		{"the model refused the task", chained(all...).Step(cua.Step{Thought: "I will not."}), nil},
		{"a shadow, and all after it", clicked().Last(rulings(func(r []cua.Ruling) []cua.Ruling {
			r[3].Verdict, r[3].Shadow = cua.Replace, true
			return r
		})), nil},
		{"a replacement that policy dropped, and all after it", filled().Last(dropped).Last(rulings(rest)), nil},
		{"a replacement that policy dropped decides nothing", filled().Last(dropped), []int{1}},
		{"it decided in version 1", filled().Last(dropped).With(func(j *Journal) { j.Header.Version = 1 }), nil},
		{"one that was dropped in shadow decided nothing there", filled().With(configured(`{"shadow":["force_fill"]}`)).Last(dropped).With(func(j *Journal) { j.Header.Version = 1 }), []int{1}},
		{"a shadow decides nothing", filled().Last(func(s *cua.Step) { s.Rulings[3].Shadow, s.Action = true, &s.Proposed }), []int{1}},
		{"breaker before policy", chained("limits", "breaker", "policy").Clicks(1).With(complete), []int{0}},
		{"breaker before policy in version 1", chained("limits", "breaker", "policy").Clicks(1).With(complete).With(func(j *Journal) { j.Header.Version = 1 }), nil},
		{"policy is left out", clicked().Last(leave(1)), []int{2}},
		{"the last is left out", clicked().Last(leave(6)), []int{2}},
		{"one before a substitution is left out", filled().Last(leave(1)), []int{1}},
		{"only limits is asked", clicked().Last(rulings(func(r []cua.Ruling) []cua.Ruling { return r[:1] })), []int{2}},
		{"none is asked", clicked().Last(func(s *cua.Step) { s.Rulings = nil }), []int{2}},
		{"one more than there are", clicked().Last(rulings(func(r []cua.Ruling) []cua.Ruling { return append(r, cua.Ruling{Gate: "oracle", Verdict: cua.Pass}) })), []int{2}},
		{"a header without gates", chained().Clicks(1), []int{0, 0}},
		{"a header without policy", chained("limits", "done").Clicks(1).With(complete), []int{0}},
		{"a gate that is switched off", clicked().With(func(j *Journal) { j.Header.Toggles.Breaker = false }), []int{0}},
		{"a gate that is newer than the journal", chained("limits", "policy").With(func(j *Journal) { j.Header.Toggles = cua.AllOn() }).Clicks(1).With(complete), nil},
	})
}

// Whichever rulings are taken out of a chain in which nobody decided, it is seen.
func TestNoGateIsLeftOutUnseen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gates := append([]string{"limits", "policy"}, rapid.SliceOfNDistinct(rapid.SampledFrom(chain[3:]), 0,
			6, rapid.ID).Draw(t, "gates")...)
		slices.SortFunc(gates, func(a, b string) int {
			return slices.Index(chain,
				a) - slices.Index(chain, b)
		})
		tale := chained(gates...).Clicks(2).With(complete)
		if got := gatesAllAsked(tale.J); len(got) != 0 {
			t.Fatalf("%+v", got)
		}
		out := rapid.IntRange(0, len(gates)-1).Draw(t, "out")
		tale.Last(func(s *cua.Step) { s.Rulings = slices.Delete(s.Rulings, out, out+1) })
		if got := gatesAllAsked(tale.J); len(got) != 1 || got[0].Step != 2 {
			t.Fatalf("%+v", got)
		}
	})
}

func TestSignalBehindRule(t *testing.T) {
	signal := func(shape cua.Shape, level cua.Level, evidence ...int) cua.Signal {
		return cua.Signal{Shape: shape, Level: level, Run: len(evidence), Since: slices.Min(evidence),
			Evidence: evidence}
	}
	with := func(g ...cua.Signal) func(*cua.Step) { return func(s *cua.Step) { s.Signals = g } }
	tab := cua.Action{Kind: cua.Key, Keys: "Tab"}
	tabbed := func() *tale { return form().Clicks(3).Gate("rescue", "tab_to_next_field", tab) }
	scrolled := func() *tale {
		return form().Clicks(3).Gate("rescue", "scroll_into_view", cua.Action{Kind: cua.Scroll, DY: 100})
	}
	stopped := func(gate, reason string) *tale {
		return form().Clicks(3).Ruled(cua.Ruling{Gate: gate, Verdict: cua.Halt, Reason: reason,
			End: cua.EndLoop})
	}
	no := cua.Ruling{Gate: "policy", Verdict: cua.Refuse, Reason: "host_not_allowed", Detail: "no"}
	soft, hard := signal(cua.ShapeRepeat, cua.Soft, 1, 2, 3), signal(cua.ShapeRepeat, cua.Hard, 1, 2, 3)
	moved := func() *tale {
		return form().Clicks(1).Brain(click(), sendTarget, dom("new")).Clicks(1).Gate("rescue",
			"tab_to_next_field", tab).Last(with(soft))
	}
	retargeted := func() *tale { return form().Clicks(2).Gate("rescue", "retarget_click", press()) }
	paged := func() *tale {
		return form().Clicks(2).Gate("rescue", "scroll_page", cua.Action{Kind: cua.Scroll, DY: 400})
	}
	checkRows(t, "signal_behind_rule", []checkRow{
		{"the page is scrolled without a signal", paged(), nil},
		{"a click is moved without a signal", retargeted(), []int{3}},
		{"as version 1 did", retargeted().With(func(j *Journal) { j.Header.Version = 1 }), nil},
		{"loop recovery with a soft signal", tabbed().Last(with(soft)), nil},
		{"with a hard one", tabbed().Last(with(hard)), nil},
		{"with none", tabbed(), []int{4}},
		{"with a note alone", tabbed().Last(with(signal(cua.ShapeRepeat, cua.NoteLevel, 1, 2, 3))), []int{4}},
		{"with one of another shape", tabbed().Last(with(signal(cua.ShapeCycle, cua.Soft, 1, 2, 3))), nil},
		{"in shadow with none", tabbed().Last(func(s *cua.Step) {
			s.Rulings[2].Shadow, s.Action, s.RecoveryReason = true, &s.Proposed, ""
		}), []int{4}},
		{"a row with a soft signal", scrolled().Last(with(signal(cua.ShapeCycle, cua.Soft, 1, 2, 3))), nil},
		{"a row with none", scrolled(), []int{4}},
		{"a row for failures alone", scrolled().Last(with(signal(cua.ShapeFailures, cua.Hard, 1, 2, 3))), []int{4}},
		{"form control needs none", form().Clicks(3).Fill("Name", "ada"), nil},
		{"a question with a hard signal", stopped("rescue", "ask_user").Last(with(hard)), nil},
		{"a question with a spiral", stopped("rescue", "ask_user").Last(with(signal(cua.ShapeSpiral, cua.Soft, 1, 2, 3))), nil},
		{"a question with a soft signal", stopped("rescue", "ask_user").Last(with(soft)), []int{4}},
		{"a stop with a hard signal", stopped("breaker", "hard_loop").Last(with(hard)), nil},
		{"a stop with none", stopped("breaker", "hard_loop"), []int{4}},
		{"a stop after two refusals", form().Ruled(no).Ruled(no).Ruled(cua.Ruling{Gate: "breaker", Verdict: cua.Halt, Reason: "refused_at_one_state", End: cua.EndLoop}), nil},
		{"a stop after none", stopped("breaker", "refused_at_one_state"), []int{4}},
		{"rejected credentials need none", stopped("rescue", "credentials_rejected"), nil},
		{"a cap needs none", stopped("limits", "max_steps"), nil},
		{"a director with a soft signal", form().Clicks(3).Clicks(1).Last(func(s *cua.Step) {
			s.Rulings, s.Signals = append(s.Rulings, cua.Ruling{Gate: "director", Verdict: cua.Accept}),
				[]cua.Signal{signal(cua.ShapeFailures, cua.Soft, 1, 2)}
		}), nil},
		{"a director with none", form().Clicks(1).Last(func(s *cua.Step) {
			s.Rulings = append(s.Rulings, cua.Ruling{Gate: "director", Verdict: cua.Accept})
		}), []int{1}},
		{"evidence of no step", form().Clicks(2).Fill("Name", "ada").Last(func(s *cua.Step) { s.Rulings[2].Evidence = []int{1, 99} }), []int{3}},
		{"evidence of its own step", form().Clicks(2).Fill("Name", "ada").Last(func(s *cua.Step) { s.Rulings[2].Evidence = []int{3} }), []int{3}},
		{"a signal that is longer than the episode", form().Clicks(1).Clicks(1).Last(with(cua.Signal{Shape: cua.ShapeRepeat, Level: cua.Hard, Run: 99, Since: 1, Evidence: []int{1}})), []int{2}},
		{"a signal since a step to come", form().Clicks(2).Last(with(cua.Signal{Shape: cua.ShapeRepeat, Level: cua.Hard, Run: 1, Since: 2, Evidence: []int{1}})), []int{2}},
		{"a signal without evidence", form().Clicks(2).Last(with(cua.Signal{Shape: cua.ShapeRepeat, Level: cua.Hard, Run: 1, Since: 1})), []int{2}},
		{"a signal with the evidence of a step to come", form().Clicks(2).Last(with(cua.Signal{Shape: cua.ShapeRepeat, Level: cua.Hard, Run: 1, Since: 1, Evidence: []int{2}})), []int{2}},
		{"a signal over a step that had an effect", moved(), []int{4}},
		{"the same, where effects do not count", moved().With(func(j *Journal) { j.Header.Toggles.EffectConditioning = false }), nil},
	})
}

func TestOffList(t *testing.T) {
	to := func(url string) *tale {
		return form().Brain(cua.Action{Kind: cua.Navigate, URL: url}, cua.Target{})
	}
	allow := func(t *tale, hosts ...string) *tale {
		return t.With(func(j *Journal) { j.Header.Task.Allow = hosts })
	}
	doc := func(allow []string, open bool) string {
		var c struct {
			Recovery struct {
				Policy struct {
					Allow []string `json:"allow"`
					Open  bool     `json:"open"`
				} `json:"policy"`
			} `json:"recovery"`
		}
		c.Recovery.Policy.Allow, c.Recovery.Policy.Open = allow, open
		out, err := json.Marshal(c)
		must(t, err)
		return string(out)
	}
	checkRows(t, "off_list", []checkRow{
		{"the site itself", to("https://shop.example/other"), nil},
		{"the site without encryption", to("http://shop.example/"), nil},
		{"another port of the site", to("https://shop.example:8443/"), []int{1}},
		{"another site", to("https://evil.example/"), []int{1}},
		{"one that the task lists", allow(to("https://pay.example/"), "pay.example"), nil},
		{"one below it", allow(to("https://eu.pay.example/"), "pay.example"), nil},
		{"one that only ends so", allow(to("https://notpay.example/"), "pay.example"), []int{1}},
		{"one that the config lists", to("https://pay.example/").With(configured(doc([]string{"pay.example"}, false))), nil},
		{"any public one, where it is open", to("https://pay.example/").With(configured(doc(nil, true))), nil},
		{"another, where it is open but listed", allow(to("https://evil.example/").With(configured(doc(nil, true))), "pay.example"), []int{1}},
		{"the cloud's own address, where it is open", to("http://169.254.169.254/latest").With(configured(doc(nil, true))), []int{1}},
		{"this machine, where it is open", to("http://localhost:631/").With(configured(doc(nil, true))), []int{1}},
		{"this machine, listed without a port", allow(to("http://127.0.0.1:8080/"), "127.0.0.1"), []int{1}},
		{"this machine, listed with its port", allow(to("http://127.0.0.1:8080/"), "127.0.0.1:8080"), nil},
		{"a file", to("file:///etc/passwd").With(configured(doc(nil, true))), []int{1}},
		{"a tab at another site", form().Brain(cua.Action{Kind: cua.NewTab, URL: "https://evil.example/"}, cua.Target{}), []int{1}},
		{"an empty tab", form().Brain(cua.Action{Kind: cua.NewTab}, cua.Target{}), nil},
		{"one that was refused", form().Step(cua.Step{Proposed: cua.Action{Kind: cua.Navigate, URL: "https://evil.example/"}, Failure: &cua.Failure{Kind: cua.FailPolicy},
			Rulings: append(passes("limits"), cua.Ruling{Gate: "policy", Verdict: cua.Refuse})}), nil},
		{"a gate's", form().Gate("rescue", "reload_page", cua.Action{Kind: cua.Navigate, URL: "https://evil.example/"}), []int{1}},
	})
}
