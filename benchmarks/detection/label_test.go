package detection

import (
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

func TestReadLabels(t *testing.T) {
	good := `{"no":7,"id":"a","window":[0,10],"loop":"yes","kind":"k","stretches":[{"onset":2,"start":3,"end":9,"kind":"k"}],"more":1}`
	l, err := ReadLabels(strings.NewReader(good + "\n\n" + `{"id":"b","window":[4,5],"loop":"no"}`))
	if err != nil || len(l.Windows) != 2 || l.Windows[0].Stretches[0].End != 9 || len(l.of("b")) != 1 ||
		len(l.of("c")) != 0 {
		t.Fatalf("%+v, %v", l, err)
	}
	for _, row := range []struct{ name, text, says string }{
		{"an empty file", "", "no window"},
		{"a line that is no JSON", good + "\nnonsense", "line 2: "},
		{"a trajectory", `{"id":"a","steps":[]}`, "line 1: window [0 0]"},
		{"no id", `{"window":[0,1],"loop":"no"}`, "names no trajectory"},
		{"a window that ends before it begins", `{"id":"a","window":[5,2],"loop":"no"}`, "window [5 2]"},
		{"an answer that is none", `{"id":"a","window":[0,2],"loop":"maybe"}`, `loop is "maybe"`},
		{"a loop that is nowhere", `{"id":"a","window":[0,2],"loop":"yes"}`, "no stretch"},
		{"a stretch where there is no loop", `{"id":"a","window":[0,2],"loop":"no","stretches":[{"onset":0,"start":0,"end":1}]}`, "no loop but"},
		{"a stretch past the window", `{"id":"a","window":[0,2],"loop":"yes","stretches":[{"onset":0,"start":1,"end":2}]}`, "inside the window"},
		{"a stretch that ends before it starts", `{"id":"a","window":[0,9],"loop":"yes","stretches":[{"onset":0,"start":5,"end":4}]}`, "inside the window"},
		{"a line without end", strings.Repeat("x", maxLabel+1), "line 1: "},
	} {
		if _, err := ReadLabels(strings.NewReader(row.text)); err == nil ||
			!strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: %v, want %q", row.name, err, row.says)
		}
	}
}

func TestWindowsAreJudged(t *testing.T) {
	loop := Window{No: 1, ID: "a", Steps: [2]int{0, 30}, Loop: loopYes,
		Stretches: []Stretch{{5, 6, 10, "x"}, {20, 21, 22, "y"}}}
	for _, row := range []struct {
		name    string
		held    []int
		alarms  []int // by stretch; -1 missed
		delays  []int
		outside int
	}{
		{"nothing held", nil, []int{-1, -1}, []int{0, 0}, 0},
		{"two steps into the first", []int{8, 9, 10, 11}, []int{8, -1}, []int{2, 0}, 0},
		{"one step too late", []int{11}, []int{-1, -1}, []int{0, 0}, 0},
		{"well past it", []int{12, 13}, []int{-1, -1}, []int{0, 0}, 2},
		{"at the onset only: nothing was repeated yet", []int{5}, []int{-1, -1}, []int{0, 0}, 0},
		{"already holding when the loop starts", []int{3, 4, 5, 6}, []int{6, -1}, []int{0, 0}, 2},
		{"both, the second at its end", []int{7, 22}, []int{7, 22}, []int{1, 1}, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := loop.judge(row.held, nil)
			for i, f := range r.Found {
				at := -1
				if f.Alarm != nil {
					at = *f.Alarm
				}
				if at != row.alarms[i] || f.Delay != row.delays[i] {
					t.Errorf("stretch %d: alarm %d, delay %d, want %d, %d", i, at, f.Delay, row.alarms[i],
						row.delays[i])
				}
			}
			if r.Outside != row.outside || r.found() != slices.ContainsFunc(row.alarms,
				func(a int) bool { return a >= 0 }) {
				t.Errorf("outside %d, want %d; found %v", r.Outside, row.outside, r.found())
			}
		})
	}
}

func TestWindowsAreSummedUp(t *testing.T) {
	one := Window{No: 1, ID: "a", Steps: [2]int{0, 30}, Loop: loopYes,
		Stretches: []Stretch{{5, 6, 10, "x"}, {20, 21, 25, "y"}}}
	two := Window{No: 2, ID: "b", Steps: [2]int{0, 9}, Loop: loopYes, Stretches: []Stretch{{1, 2, 8, "x"}}}
	calm := Window{No: 3, ID: "c", Steps: [2]int{0, 9}, Loop: loopNo, Kind: "calendar"}
	quiet := Window{No: 4, ID: "d", Steps: [2]int{0, 9}, Loop: loopNo}
	odd := Window{No: 5, ID: "e", Steps: [2]int{0, 9}, Loop: loopUnclear}
	gone := Window{No: 6, ID: "f", Steps: [2]int{0, 9}, Loop: loopNo}
	labels := &Labels{Windows: []Window{one, two, calm, quiet, odd, gone}}
	e := NewEvaluation(nil, labels)
	e.Add(Detected{Windows: []WindowResult{one.judge([]int{9, 15, 22}, nil), two.judge(nil, nil),
		calm.judge([]int{4}, []cua.Shape{cua.ShapeRepeat})}})
	e.Add(Detected{Windows: []WindowResult{quiet.judge(nil, nil), odd.judge([]int{1}, nil)}})
	w := e.Report().Windows
	if w.Found.Yes != 1 || w.Found.Of != 2 || w.Stretches.Yes != 2 || w.Stretches.Of != 3 ||
		w.False.Yes != 1 || w.False.Of != 2 ||
		w.Unclear.Yes != 1 || w.Unclear.Of != 1 || w.Outside != 1 {
		t.Errorf("%+v", w)
	}
	if w.Delay != (Delay{Of: 2, Mean: 2, Median: 2, Most: 3}) {
		t.Errorf("delays 3 and 1 came to %+v", w.Delay)
	}
	if len(w.Kinds) != 2 || w.Kinds[0].Kind != "x" || w.Kinds[0].Yes != 1 || w.Kinds[0].Of != 2 ||
		w.Kinds[1].Yes != 1 {
		t.Errorf("kinds %+v", w.Kinds)
	}
	if len(w.Missed) != 1 || w.Missed[0].No != 2 || len(w.FalseAlarms) != 1 || w.FalseAlarms[0].No != 3 ||
		len(w.Absent) != 1 || w.Absent[0].No != 6 {
		t.Errorf("missed %+v, false %+v, absent %+v", w.Missed, w.FalseAlarms, w.Absent)
	}
	var b strings.Builder
	if err := e.Report().WriteText(&b); err != nil {
		t.Fatal(err)
	}
	for _, says := range []string{"1 of 2", "median 2 steps", "repeat",
		"note: Labelled windows of trajectories that are not in the input"} {
		if !strings.Contains(b.String(), says) {
			t.Errorf("%q is not in\n%s", says, b.String())
		}
	}
}
