package cua

import (
	"reflect"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

func TestNode(t *testing.T) {
	base := func() Observation {
		return Observation{URL: "https://a.test/p?q=1#top", FormDigest: "f", DOMDigest: "d",
			DOMParts: map[string]string{"main": "1", "clock": "1"}, Canvases: map[string]string{"c": "1"}}
	}
	churn := ChurnMask{Parts: map[string]bool{"clock": true}}
	rows := []struct {
		name   string
		change func(*Observation)
		mask   ChurnMask
		same   bool
	}{
		{"nothing", func(*Observation) {}, ChurnMask{}, true},
		{"fragment and user", func(o *Observation) { o.URL = "https://u:p@a.test/p?q=1#end" }, ChurnMask{}, true},
		{"query", func(o *Observation) { o.URL = "https://a.test/p?q=2" }, ChurnMask{}, false},
		{"one character typed", func(o *Observation) { o.FormDigest = "g" }, ChurnMask{}, false},
		{"text", func(o *Observation) { o.DOMDigest, o.DOMParts["main"] = "e", "2" }, churn, false},
		{"a part is gone", func(o *Observation) { o.DOMDigest = "e"; delete(o.DOMParts, "main") }, churn, false},
		{"two parts swap what they show", func(o *Observation) {
			o.DOMDigest, o.DOMParts = "e", map[string]string{"main": "1", "clock": "1", "x": "2"}
		}, churn, false},
		{"the clock, masked", func(o *Observation) { o.DOMDigest, o.DOMParts["clock"] = "e", "2" }, churn, true},
		{"the clock, not masked", func(o *Observation) { o.DOMDigest, o.DOMParts["clock"] = "e", "2" }, ChurnMask{}, false},
		{"a little scroll", func(o *Observation) { o.Scroll.Y = 99 }, ChurnMask{}, true},
		{"a bucket of scroll", func(o *Observation) { o.Scroll.Y = 100 }, ChurnMask{}, false},
		{"a container's scroll", func(o *Observation) { o.Scroll.ContainerY = 250 }, ChurnMask{}, false},
		{"a stroke", func(o *Observation) { o.Canvases["c"] = "2" }, ChurnMask{}, false},
		{"a canvas that moves by itself", func(o *Observation) { o.Canvases["c"] = "2" },
			ChurnMask{Parts: map[string]bool{CanvasPart("c"): true}}, true},
		{"focus, title and frame", func(o *Observation) { o.Focus, o.Title, o.FrameSHA = &Field{ID: "x"}, "t", "s" }, ChurnMask{}, true},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			o := base()
			row.change(&o)
			if same := Node(o, row.mask) == Node(base(), row.mask); same != row.same {
				t.Errorf("same node = %v, want %v", same, row.same)
			}
		})
	}
	if got := Node(Observation{Title: "t", FrameSHA: "s"}, churn); got != "" {
		t.Errorf("nothing known of the page: node %q", got)
	}
	if a, b := Node(Observation{URL: "://bad", DOMDigest: "1"}, churn),
		Node(Observation{URL: "://worse", DOMDigest: "1"}, churn); a == b || a == "" {
		t.Errorf("addresses that do not parse: %q and %q", a, b)
	}
}

func TestPartsDigest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.MapOf(rapid.StringN(0, 20, 40), rapid.StringN(0, 20, 40))
		a, b := parts.Draw(t, "a"), parts.Draw(t, "b")
		mask := map[string]bool{}
		for _, k := range rapid.SliceOf(rapid.StringN(0, 2, 4)).Draw(t, "mask") {
			mask[k] = true
		}
		left := func(m map[string]string) map[string]string {
			out := map[string]string{}
			for k, v := range m {
				if !mask[k] {
					out[k] = v
				}
			}
			return out
		}
		if same := partsDigest(a, mask) == partsDigest(b, mask); same != reflect.DeepEqual(left(a), left(b)) {
			t.Fatalf("same digest = %v of %q and %q without %v", same, a, b, mask)
		}
		if partsDigest(a, mask) != partsDigest(left(a), nil) {
			t.Fatalf("masking is not leaving out: %q without %v", a, mask)
		}
	})
}

func TestSignature(t *testing.T) {
	at := func(x, y float64) *Point { return &Point{x, y} }
	known := Target{ID: "button|Go"}
	rows := []struct {
		name   string
		a, b   Action
		ta, tb Target
		same   bool
	}{
		{"one target, two points", Action{Kind: Click, Point: at(1, 1)}, Action{Kind: Click, Point: at(30, 9)}, known, known, true},
		{"two targets, one point", Action{Kind: Click, Point: at(1, 1)}, Action{Kind: Click, Point: at(1, 1)}, known, Target{ID: "x"}, false},
		{"no target, one bucket", Action{Kind: Click, Point: at(1, 1)}, Action{Kind: Click, Point: at(7, 7)}, Target{}, Target{}, true},
		{"no target, next bucket", Action{Kind: Click, Point: at(1, 1)}, Action{Kind: Click, Point: at(8, 1)}, Target{}, Target{}, false},
		{"a mark without identity", Action{Kind: Click, Mark: 1}, Action{Kind: Click, Mark: 2}, Target{Point: at(1, 1)}, Target{Point: at(90, 1)}, false},
		{"kinds", Action{Kind: Click}, Action{Kind: DoubleClick}, known, known, false},
		{"texts", Action{Kind: Type, Text: "a"}, Action{Kind: Type, Text: "b"}, known, known, false},
		{"adding and replacing", Action{Kind: Type, Text: "a"}, Action{Kind: Type, Text: "a", Clear: true}, known, known, false},
		{"keys", Action{Kind: Key, Keys: "Tab"}, Action{Kind: Key, Keys: "Return"}, known, known, false},
		{"scrolls", Action{Kind: Scroll, DY: 100}, Action{Kind: Scroll, DY: -100}, known, known, false},
		{"waits", Action{Kind: Wait, MS: 1}, Action{Kind: Wait, MS: 2}, known, known, false},
		{"tabs", Action{Kind: SwitchTab, Tab: 1}, Action{Kind: SwitchTab, Tab: 2}, known, known, false},
		{"answers of a dialog", Action{Kind: AnswerDlg, Accept: true}, Action{Kind: AnswerDlg}, known, known, false},
		{"ends of a drag", Action{Kind: Drag, To: at(1, 1)}, Action{Kind: Drag, To: at(90, 1)}, known, known, false},
		{"a field that is focused first", Action{Kind: Type, Into: "a"}, Action{Kind: Type, Into: "b"}, Target{}, Target{}, false},
		{"the brain's words", Action{Kind: Click, Why: "once"}, Action{Kind: Click, Why: "again"}, known, known, true},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if same := Signature(row.a, row.ta) == Signature(row.b, row.tb); same != row.same {
				t.Errorf("same signature = %v, want %v: %q, %q", same, row.same, Signature(row.a, row.ta),
					Signature(row.b, row.tb))
			}
		})
	}
	if got := PointID(Point{-1, 17}); got != "@-1,2" {
		t.Errorf("PointID = %q", got)
	}
}

// step is a dispatched step on one document whose page shows digest.
func step(n int, kind Kind, digest string, e *Effect) Step {
	return Step{N: n, Action: &Action{Kind: kind}, Proposed: Action{Kind: kind}, Effect: e,
		After: Observation{URL: "https://a.test/", Document: "d", DOMDigest: digest}}
}

func dom(parts ...string) *Effect { return &Effect{Progress: []Change{ChangeDOM}, Parts: parts} }

func TestSamplesProgress(t *testing.T) {
	start := Observation{URL: "https://a.test/", Document: "d", DOMDigest: "0"}
	idle := func(s Step, i Idle) Step { s.Target.Idle = i; return s }
	rows := []struct {
		name  string
		steps []Step
		want  []bool
	}{
		{"an effect at once", []Step{step(1, Click, "1", dom("main"))}, []bool{true}},
		{"presentation alone", []Step{step(1, Click, "0", &Effect{Presentation: []Change{ChangeFocus}})}, []bool{false}},
		{"unknown", []Step{step(1, Click, "0", nil)}, []bool{false}},
		{"a wait that shows the result belongs to the click", []Step{step(1, Click, "0", &Effect{}), step(2, Wait, "1", dom("main"))}, []bool{true, true}},
		{"what comes after a wait, while nobody acts, too", []Step{step(1, Click, "0", &Effect{}), step(2, Wait, "0", &Effect{}),
			idle(step(3, Click, "1", &Effect{}), Idle{Parts: []string{"main"}})}, []bool{true, false, false}},
		{"but not a focus that moved", []Step{step(1, Click, "0", &Effect{}), step(2, Wait, "0", &Effect{}),
			idle(step(3, Click, "1", &Effect{}), Idle{Changes: []Change{ChangeFocus}})},
			[]bool{false, false, false}},
		{"an address that moved", []Step{step(1, Click, "0", &Effect{}), step(2, Wait, "0", &Effect{}),
			idle(step(3, Click, "1", &Effect{}), Idle{Changes: []Change{ChangeURL}})},
			[]bool{true, false, false}},
		{"a late change known by its cause", []Step{step(1, Click, "0", &Effect{}),
			idle(step(2, Click, "0", &Effect{}), Idle{Parts: []string{"main"}, Caused: []string{"main"}})},
			[]bool{true, false}},
		{"one idle change without a wait is nobody's", []Step{step(1, Click, "0", &Effect{}),
			idle(step(2, Click, "0", &Effect{}), Idle{Parts: []string{"main"}})}, []bool{false, false}},
		{"what moved by itself twice is churn, also before", []Step{step(1, Click, "1", dom("clock")),
			idle(step(2, Click, "2", dom("clock")), Idle{Parts: []string{"clock"}}),
			idle(step(3, Click, "3", dom("clock", "main")), Idle{Parts: []string{"clock"}})},
			[]bool{false, false, true}},
		{"tiles that churn, and those of a focus ring", []Step{
			step(1, Click, "0", &Effect{Progress: []Change{ChangePixels},
				Tiles: &TileDiff{Changed: TileSet{5, 9}, Presentation: TileSet{9}}}),
			idle(step(2, Click, "0", &Effect{}), Idle{Tiles: TileSet{5}}),
			idle(step(3, Click, "0", &Effect{}), Idle{Tiles: TileSet{5}})},
			[]bool{false, false, false}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			samples := History{Start: start, Steps: row.steps}.Samples()
			for i, s := range samples {
				if s.Progress != row.want[i] || s.Known != (row.steps[i].Effect != nil) {
					t.Errorf("step %d: progress %v, known %v, want progress %v", i+1, s.Progress, s.Known,
						row.want[i])
				}
			}
		})
	}
}

func TestSamplesNew(t *testing.T) {
	h := History{Start: Observation{DOMDigest: "0"}}
	for i, d := range []string{"1", "2", "1", "1", "2", "3"} {
		s := step(i+1, Click, d, &Effect{})
		s.After.URL = ""
		h.Steps = append(h.Steps, s)
	}
	h.Steps[3].RewoundTo = 2 // back to before step 2: the node "2" is no longer live
	h.Steps[2].Action = nil  // refused: the page stays as it was
	var got []bool
	for _, s := range h.Samples() {
		got = append(got, s.New)
	}
	if want := []bool{true, true, false, false, true, true}; !reflect.DeepEqual(got, want) {
		t.Errorf("new = %v, want %v", got, want)
	}
	if s := h.Samples(); s[2].Before != s[2].After || s[3].Before != s[2].After || s[2].Acting ||
		s[2].Signature != "" {
		t.Errorf("a refused step moved the page or counts: %+v", s[2])
	}
}

// TestSamplesNewOnce: what a decision reached whose steps nobody looked at in between is new once.
func TestSamplesNewOnce(t *testing.T) {
	h := History{Start: Observation{DOMDigest: "0"}}
	for i, d := range []string{"0", "0", "1", "1", "0"} {
		s := step(i+1, Click, d, dom())
		s.After.URL = ""
		s.Decision = []int{1, 1, 1, 2, 2}[i]
		h.Steps = append(h.Steps, s)
	}
	var got []bool
	for _, s := range h.Samples() {
		got = append(got, s.New)
	}
	if want := []bool{false, false, true, false, false}; !reflect.DeepEqual(got, want) {
		t.Errorf("new = %v, want %v", got, want)
	}
}

// TestSamplesLate: a late effect brings the node that it led to, and stays within its session.
func TestSamplesLate(t *testing.T) {
	start := Observation{URL: "https://a.test/", Document: "d", DOMDigest: "0"}
	h := History{Start: start, Steps: []Step{step(1, Click, "0", &Effect{}), step(2, Wait, "1", dom("main")),
		step(3, Click, "1", &Effect{})}}
	if s := h.Samples(); !s[0].Progress || !s[0].New || s[2].Progress || s[2].New {
		t.Errorf("samples %+v, want a late effect that led to a new node", s)
	}
	h.Resumed = []Resumption{{At: 1, Page: start}}
	if s := h.Samples(); s[0].Progress || s[0].New {
		t.Errorf("sample %+v: what a new session shows is no late effect", s[0])
	}
}

// TestSamplesActing: what was asked for or what was dispatched acts.
func TestSamplesActing(t *testing.T) {
	rows := []struct {
		asked, done Kind
		acting      bool
	}{
		{Click, Click, true}, {Click, Observe, true}, {Click, Wait, true}, {Wait, Click, true}, {Wait, Observe, false}, {Wait, Wait, false},
		{Observe, Observe, false}, {Done, Done, false},
	}
	for _, row := range rows {
		s := step(1, row.done, "0", &Effect{})
		if s.Proposed.Kind = row.asked; row.asked != row.done {
			s.Rulings = []Ruling{{Verdict: Replace}}
		}
		if got := (History{Steps: []Step{s}}).Samples()[0]; got.Acting != row.acting ||
			got.Action.Kind != row.asked {
			t.Errorf("%s in place of %s: acting %v as %s", row.done, row.asked, got.Acting, got.Action.Kind)
		}
	}
}

// TestSignatureOfKeys: keys and text without a place go to what has the focus.
func TestSignatureOfKeys(t *testing.T) {
	signature := func(focus *Field, a Action, target Target) string {
		return History{Start: Observation{Focus: focus}, Steps: []Step{{N: 1, Action: &a, Proposed: a,
			Target: target}}}.Samples()[0].Signature
	}
	key, one, other := Action{Kind: Key, Keys: "Tab"}, &Field{ID: "textbox|a"}, &Field{ID: "textbox|b"}
	if signature(one, key, Target{}) == signature(other, key, Target{}) ||
		signature(one, key, Target{}) == signature(nil, key, Target{}) {
		t.Error("a key on another field is another step")
	}
	into, placed, scrolled := Action{Kind: Type, Into: "x"}, Action{Kind: Type, Point: &Point{1, 1}},
		Action{Kind: Scroll, DY: 9}
	for _, a := range []Action{into, placed, scrolled} {
		if signature(one, a, Target{}) != signature(other, a, Target{}) {
			t.Errorf("%s: the focus counts for what has no place", a.Kind)
		}
	}
	if signature(one, key, Target{ID: "x"}) != signature(other, key, Target{ID: "x"}) {
		t.Error("a target that is known counts")
	}
}

func TestSamplesCountWhatWasAsked(t *testing.T) {
	s := step(1, Key, "0", &Effect{})
	s.Proposed = Action{Kind: Click, Point: &Point{1, 1}}
	s.Target = Target{ID: "button|Go"}
	s.Rulings = []Ruling{{Verdict: Pass}, {Verdict: Replace}}
	if got := (History{Steps: []Step{s}}).Samples()[0]; got.Action.Kind != Click ||
		got.Signature != Signature(s.Proposed, s.Target) {
		t.Errorf("sample %+v, want the click", got)
	}
}

// TestNodeAcrossDocuments: a page with a clock is one node before and after a reload.
func TestNodeAcrossDocuments(t *testing.T) {
	var h History
	tick := 0
	observe := func(doc string) Observation {
		tick++
		return Observation{URL: "https://a.test/", Document: doc, DOMDigest: strconv.Itoa(tick),
			DOMParts: map[string]string{"clock": strconv.Itoa(tick), "main": "1"}}
	}
	h.Start = observe("d1")
	for i := range 4 {
		doc := "d1"
		if i == 3 {
			doc = "d2"
		}
		s := step(i+1, Click, "", dom("clock"))
		s.After, s.Target.Idle.Parts = observe(doc), []string{"clock"}
		h.Steps = append(h.Steps, s)
	}
	for i, s := range h.Samples() {
		if s.Before != s.After || s.New || s.Progress {
			t.Errorf("step %d moved: %+v", i+1, s)
		}
	}
}
