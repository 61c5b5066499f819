package tuned

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/cua-runner/cua-runner/benchmarks/suites"
	"github.com/cua-runner/cua-runner/cua"
)

// endlessList is a list that brings its next part when its end comes near, in the document or in
// a box of its own.
func endlessList(r *rand.Rand) suites.Variant {
	const parts, rows = 12, 5
	// a part is as high as one scroll: the twelfth is the last that moves
	step := 20 * suites.Between(r, 32, 34)
	s := suites.Scene{Look: suites.Pick(r, "document", "box"), H: step / rows, First: step}
	towns := []string{"Eastport", "Glenmoor", "Sandvik", "Holm", "Tideway", "Quarry", "Lantern", "Alder"}
	show := func(st suites.State) suites.Page {
		at := min(max(st.Page, 1), parts)
		p := suites.Page{Site: "Harbour Library", Section: "New books", Heading: "New books",
			Title: "New books – Harbour Library", Page: at, Pages: parts, Next: at + 1, Scene: s}
		for i := range rows {
			n := (at-1)*rows + i + 1
			p.Rows = append(p.Rows, suites.Row{Name: fmt.Sprintf("%d. A history of %s", n,
				towns[n*7%len(towns)]), Value: fmt.Sprintf("shelf %d", n*13%97)})
		}
		return p
	}
	down := suites.Scroll(suites.Point(640, 500), step)
	return suites.Variant{
		Goal: fmt.Sprintf(`Scroll down the list of new books until there are no more: the last is number %d.`, parts*rows),
		File: "feed.html", Data: show(suites.State{}), At: show,
		Oracle: slices.Concat(suites.Times(parts, down), suites.Times(2, down),
			[]cua.Scripted{suites.Done("The end of the list is shown.")}),
		Solved: func(st suites.State) bool { return st.Shown > parts }, // each part once, and its end
	}
}

// sixSearches looks for six words in one field: by documents, within one, or while typing.
func sixSearches(r *rand.Rand) suites.Variant {
	words := []string{"amber", "birch", "copper", "dune", "ember", "fjord", "gravel", "harbour"}
	r.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	words = words[:6]
	s := suites.Scene{Look: suites.Pick(r, "page", "swap", "live"), Style: suites.Styles(r), Words: words}
	show := func(st suites.State) suites.Page {
		p := suites.Page{Site: "Colour Archive", Section: "Search", Heading: "Search",
			Title: "Search – Colour Archive", Submit: "Search", Scene: s}
		if len(st.Asked) == 0 {
			return p
		}
		p.Query = st.Asked[len(st.Asked)-1]
		if at := slices.Index(words, p.Query); at >= 0 {
			for i := range 3 {
				p.Rows = append(p.Rows, suites.Row{Name: fmt.Sprintf("%s no. %d", p.Query, i+1),
					Value: fmt.Sprintf("drawer %d", (at*17+i*5)%60+1)})
			}
		}
		return p
	}
	v := suites.Variant{
		Goal: fmt.Sprintf(`Search for %s, one after the other, and say which has the lowest drawer.`, list(words)),
		File: "search.html", Data: show(suites.State{}), At: show,
		Solved: func(st suites.State) bool { return slices.Equal(st.Asked, words) },
	}
	for _, w := range words {
		v.Oracle = append(v.Oracle, suites.Fill("Search for", w))
		if s.Look != "live" {
			v.Oracle = append(v.Oracle, suites.Key("Return"))
		}
	}
	v.Oracle = append(v.Oracle, suites.Done("All six were looked at."))
	return v
}

func list(words []string) string {
	out := ""
	for i, w := range words {
		switch {
		case i == 0:
		case i == len(words)-1:
			out += " and "
		default:
			out += ", "
		}
		out += fmt.Sprintf("%q", w)
	}
	return out
}

// strokes draws ten lines: side by side, all from one point, or one over the other.
func strokes(r *rand.Rand) suites.Variant {
	const n = 10
	s := suites.Scene{Look: suites.Pick(r, "canvas", "pointer", "svg"), W: 520, H: 300,
		X: suites.Between(r, 60, 640), Y: suites.Between(r, 300, 440)}
	v := suites.Variant{
		Goal: `Draw ten strokes on the sheet, then press "Save drawing".`,
		File: "draw.html",
		Data: suites.Page{Site: "Sketch Book", Section: "Sheet 1", Heading: "Draw",
			Title: "Draw – Sketch Book", Intro: "Ten strokes make a picture.",
			Submit: "Save drawing", Thanks: "Your drawing was saved.", Scene: s},
		Solved: suites.LastSent(map[string]string{"strokes": fmt.Sprint(n)}),
	}
	left, top, way := s.X+60, s.Y+40, suites.Pick(r, "rows", "fan", "hatch")
	for i := range n {
		from, to := suites.Point(left, top+20*i), suites.Point(left+suites.Between(r, 80, 400), top+20*i)
		switch way {
		case "fan":
			from, to = suites.Point(left, top+100), suites.Point(left+380, top+22*i)
		case "hatch":
			from, to = suites.Point(left+3*i, top), suites.Point(left+3*i+40, top+suites.Between(r, 30, 60))
		}
		v.Oracle = append(v.Oracle, cua.Scripted{Action: cua.Action{Kind: cua.Drag, Point: from, To: to}})
	}
	v.Oracle = append(v.Oracle, suites.Press("Save drawing"), suites.Done("The drawing was saved."))
	return v
}

// compare reads two long pages by turns, each time a little further down: each page from its top, by
// one longer scroll or by one more equal step; in two tabs; back and forth in one; or in two boxes
// that keep their place.
func compare(r *rand.Rand) suites.Variant {
	const rounds, far = 3, 38 // far is the room that the third look at each house reaches
	names := []string{"Alder House", "Birch House", "Cedar House", "Dune House"}
	r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	s := suites.Scene{Look: suites.Pick(r, "links", "steps", "tabs", "history", "boxes"),
		Style: suites.Styles(r), First: far}
	for i := range 2 {
		s.Views = append(s.Views, suites.View{Title: names[i], Link: "See " + names[1-i], Rows: rooms(r, 60)})
	}
	step := suites.Between(r, 310, 390)
	show := func(st suites.State) suites.Page {
		i := min(max(st.Page, 1), 2) - 1
		p := suites.Page{Site: "Holiday Homes", Section: "Houses", Heading: names[i],
			Title: names[i] + " – Holiday Homes", Rows: s.Views[i].Rows, Submit: s.Views[i].Link, Page: i + 1,
			Next: 2 - i, Scene: s}
		return p
	}
	v := suites.Variant{
		Goal: fmt.Sprintf(`Compare the rooms of %s and %s from top to bottom, part by part.`, names[0], names[1]),
		File: "compare.html", Data: show(suites.State{}), At: show,
		Solved: func(st suites.State) bool {
			return slices.Contains(st.Asked, "1") &&
				slices.Contains(st.Asked, "2")
		},
	}
	down := func(n int) cua.Scripted { return suites.Scroll(suites.Point(640, 560), n*step) }
	for i := range rounds {
		there, back, read := suites.Press(s.Views[0].Link), suites.Press(s.Views[1].Link),
			[]cua.Scripted{down(1)}
		switch s.Look {
		case "links":
			read[0] = down(i + 1)
		case "steps":
			read = suites.Times(i+1, down(1))
		case "tabs":
			back = cua.Scripted{Action: cua.Action{Kind: cua.SwitchTab, Tab: 1}}
			if i > 0 {
				there = cua.Scripted{Action: cua.Action{Kind: cua.SwitchTab, Tab: 2}}
			}
		case "history":
			back = cua.Scripted{Action: cua.Action{Kind: cua.Back}}
			if i > 0 {
				there = cua.Scripted{Action: cua.Action{Kind: cua.Forward}}
			}
		}
		v.Oracle = slices.Concat(v.Oracle, read, []cua.Scripted{there}, read, []cua.Scripted{back})
	}
	v.Oracle = append(v.Oracle, suites.Done("Both were read."))
	return v
}

// rooms are n lines, no two alike.
func rooms(r *rand.Rand, n int) []suites.Row {
	out := make([]suites.Row, n)
	for i := range out {
		out[i] = suites.Row{Name: fmt.Sprintf("Room %d", i+1), Value: fmt.Sprintf("%d beds, %d m²",
			suites.Between(r, 1, 4), suites.Between(r, 9, 48))}
	}
	return out
}
