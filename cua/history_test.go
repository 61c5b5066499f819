package cua

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func numbers(steps []Step) []int {
	var out []int
	for _, s := range steps {
		out = append(out, s.N)
	}
	return out
}

func TestLive(t *testing.T) {
	rows := []struct {
		name   string
		rewind map[int]int // step number to the number it returned to
		want   []int
	}{
		{"no rewind", nil, []int{1, 2, 3, 4, 5, 6}},
		{"one", map[int]int{4: 2}, []int{1, 4, 5, 6}},
		{"twice to one place", map[int]int{3: 2, 5: 2}, []int{1, 5, 6}},
		{"to the start", map[int]int{6: 1}, []int{6}},
		{"a rewind is undone too", map[int]int{3: 2, 5: 3}, []int{1, 5, 6}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			var steps []Step
			for n := 1; n <= 6; n++ {
				steps = append(steps, Step{N: n, RewoundTo: row.rewind[n]})
			}
			if got := numbers(Live(steps)); !slices.Equal(got, row.want) {
				t.Errorf("live %v, want %v", got, row.want)
			}
			if got := numbers(steps); !slices.Equal(got, []int{1, 2, 3, 4, 5, 6}) {
				t.Errorf("the steps were changed to %v", got)
			}
		})
	}
}

func TestLiveProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var steps []Step
		for n := 1; n <= rapid.IntRange(0, 20).Draw(t, "steps"); n++ {
			s := Step{N: n}
			if n > 1 && rapid.IntRange(0, 4).Draw(t, "rewind") == 0 {
				s.RewoundTo = rapid.IntRange(1, n-1).Draw(t, "to")
			}
			steps = append(steps, s)
		}
		live := Live(steps)
		if !slices.IsSorted(numbers(live)) || !reflect.DeepEqual(Live(live), live) {
			t.Fatalf("live %v: unsorted, or not the same when asked again", numbers(live))
		}
		for _, s := range steps {
			undone := slices.ContainsFunc(steps, func(r Step) bool {
				return r.N > s.N && r.RewoundTo > 0 &&
					r.RewoundTo <= s.N
			})
			if slices.Contains(numbers(live), s.N) == undone {
				t.Fatalf("step %d undone %v, live %v", s.N, undone, numbers(live))
			}
		}
	})
}

func TestChurn(t *testing.T) {
	moved := func(doc, part string, before Kind) []Step {
		return []Step{{Action: &Action{Kind: before}, After: Observation{Document: doc}},
			{Action: &Action{Kind: Click}, Target: Target{Idle: Idle{Parts: []string{part}, Tiles: TileSet{3}}}, After: Observation{Document: doc}}}
	}
	ambient := Step{Action: &Action{Kind: Wait}, After: Observation{Document: "d",
		Ambient: Ambient{Parts: []string{"ad"}}}}
	caused := moved("d", "late", Click)
	caused[1].Target.Idle.Caused = []string{"late"}
	refused := ambient
	refused.Action = nil
	found := moved("d", "ad", Click)
	asked := found[1]
	asked.Action = nil
	told := found[1]
	told.After.Ambient.Parts = []string{"ad"}
	late := moved("d", "job", Wait)
	gone := late[1]
	gone.Action = nil
	rows := []struct {
		name  string
		steps []Step
		parts []string
		tiles []int
	}{
		{"one interval is no churn", moved("d", "clock", Click), nil, nil},
		{"two are", append(moved("d", "clock", Click), moved("d", "clock", Click)...), []string{"clock"}, []int{3}},
		{"two after waits are late effects", append(moved("d", "clock", Wait), moved("d", "clock", Wait)...), nil, nil},
		{"known by cause is a late effect", append(caused, caused...), nil, []int{3}},
		{"what the page knows to move by itself, also at waits", []Step{ambient, ambient}, []string{"ad"}, nil},
		{"a refused step repeats what was seen", []Step{ambient, refused, refused}, nil, nil},
		{"what is found twice before anybody acts is one interval", []Step{found[0], asked, found[1]}, nil, nil},
		{"what is found and then told by the page too", []Step{found[0], told}, nil, nil},
		{"two intervals with refusals in between are two", []Step{found[0], asked, found[1], asked, found[1]}, []string{"ad"}, []int{3}},
		{"what is told of another document is another interval", []Step{found[0], told, {Action: &Action{Kind: Click},
			Target: Target{Idle: Idle{Parts: []string{"ad"}}}, After: Observation{Document: "e",
				Ambient: Ambient{Parts: []string{"ad"}}}},
			{Action: &Action{Kind: Click}, After: Observation{Document: "e", Ambient: Ambient{Parts: []string{"ad"}}}}}, []string{"ad"}, nil},
		{"after a wait and a refusal it is a late effect", []Step{late[0], gone, late[1], late[0], gone, late[1]}, nil, nil},
		{"another document starts over", append(append(moved("old", "clock", Click), moved("old", "clock", Click)...), moved("d", "x", Click)...), nil, nil},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			got := History{Start: Observation{Document: "d"}, Steps: row.steps}.Churn()
			var parts []string
			for p := range got.Parts {
				parts = append(parts, p)
			}
			var tiles []int
			for p := range got.Tiles {
				tiles = append(tiles, p)
			}
			if !slices.Equal(parts, row.parts) || !slices.Equal(tiles, row.tiles) {
				t.Errorf("parts %v, tiles %v, want %v, %v", parts, tiles, row.parts, row.tiles)
			}
		})
	}
}

func TestResumed(t *testing.T) {
	h := History{Start: Observation{URL: "a"}, Steps: []Step{{N: 1, After: Observation{URL: "b"}},
		{N: 2, After: Observation{URL: "c"}}},
		Resumed: []Resumption{{At: 1, Page: Observation{URL: "q"}},
			{At: 1, Page: Observation{URL: "r"}, Fresh: true}, {At: 2, Page: Observation{URL: "s"}}}}
	for i, want := range []string{"a", "r"} {
		if got := h.before(i); got.URL != want {
			t.Errorf("before step %d: %q, want %q", i, got.URL, want)
		}
	}
	if h.Before(0).URL != "a" || h.Before(1).URL != "r" || h.Now().URL != "s" || h.Fresh() != 1 {
		t.Errorf("before %q, %q, now %q, fresh %d", h.Before(0).URL, h.Before(1).URL, h.Now().URL, h.Fresh())
	}
	if (History{}).Fresh() != 0 {
		t.Error("a history without resumption is read from the start")
	}
}

func TestTileSetRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := TileSet(rapid.SliceOfDistinct(rapid.IntRange(0, 2000), rapid.ID[int]).Draw(t, "tiles"))
		slices.Sort(in)
		text, err := in.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var out TileSet
		if err := out.UnmarshalText(text); err != nil || !slices.Equal(in, out) {
			t.Fatalf("%v became %q and %v (%v)", in, text, out, err)
		}
		n := rapid.IntRange(0, 2000).Draw(t, "asked")
		if out.Has(n) != slices.Contains(in, n) {
			t.Fatalf("has %d = %v in %v", n, out.Has(n), in)
		}
	})
}

func FuzzTileSet(f *testing.F) {
	for _, s := range []string{"", "3-7,12", "0", "5-4", "1,1", "-1", "1-", "9999999999", "0-262143", "1,,2",
		"+1", "1-2-3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var s TileSet
		if s.UnmarshalText([]byte(text)) != nil {
			return
		}
		if !slices.IsSorted(s) || len(s) > maxTile || len(s) > 0 && s[0] < 0 {
			t.Fatalf("%q gave a broken set", text)
		}
		back, _ := s.MarshalText()
		var again TileSet
		if err := again.UnmarshalText(back); err != nil || !slices.Equal(again, s) {
			t.Fatalf("%q became %q and %v (%v)", text, back, again, err)
		}
	})
}

func TestTileDiffProgress(t *testing.T) {
	d := TileDiff{Cols: 40, Rows: 25, Changed: TileSet{1, 2, 3, 41}, Masked: TileSet{1},
		Presentation: TileSet{3}}
	if got := d.Progress(); !slices.Equal(got, TileSet{2, 41}) {
		t.Errorf("progress %v", got)
	}
	if got := d.TileBox(41); got != (Box{32, 32, 32, 32}) {
		t.Errorf("tile 41 at %v", got)
	}
}

func TestChangeProgress(t *testing.T) {
	progress := 0
	for _, c := range []Change{ChangeURL, ChangeForm, ChangeDOM, ChangeScroll, ChangeWrite, ChangeDialog,
		ChangeTab, ChangeDownload,
		ChangePixels, ChangeFocus, ChangeHover, ChangeFocusPixels, "other"} {
		if c.Progress() {
			progress++
		}
	}
	if progress != 9 || ChangeFocusPixels.Progress() || !ChangePixels.Progress() {
		t.Errorf("%d classes of progress, want 9", progress)
	}
}
