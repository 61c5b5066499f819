package anthropic

import (
	"image"
	"regexp"
	"slices"
	"strings"
)

// planned reads the plan values out of a prompt: label and value, in order.
func planned(prompt string) (labels []string, values map[string]string) {
	values = map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^- (.+?) = (.+) \((?:not in the page yet|in its field)\)$`).FindAllStringSubmatch(prompt, -1) {
		labels, values[m[1]] = append(labels, m[1]), m[2]
	}
	return labels, values
}

// refsOf reads the references out of a text: name and reference.
func refsOf(text string) map[string]string {
	out := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^\S* ?"([^"]*)" \[(ref_\d+)\]`).FindAllStringSubmatch(text, -1) {
		out[m[1]] = m[2]
	}
	return out
}

// reader is a fake model that works by references: it reads the page, fills what is planned, presses the
// button, reads again, and ends when the page says thanks.
func reader(f *fake, button, thanks string) func(seen) say {
	labels, values, pressed := []string(nil), map[string]string(nil), false
	return func(s seen) say {
		b := list{thought(s.n)}
		b = append(b, text("I look and act."))
		use := func(name string, in object) { b = append(b, f.use("browser", name, in)) }
		refs := refsOf(s.told)
		switch {
		case s.n == 1:
			labels, values = planned(s.prompt)
			use("read_page", object{"filter": "interactive"})
			use("screenshot", object{})
		case strings.Contains(s.told, thanks):
			return say{blocks: list{thought(s.n), text("SUCCESS: " + thanks)}}
		case refs[button] != "" && !pressed:
			pressed = true
			for _, l := range labels {
				use("form_input", object{"target": object{"type": "ref", "ref": refs[l]}, "value": values[l]})
			}
			use("left_click", object{"target": object{"type": "ref", "ref": refs[button]}})
		default:
			use("get_page_text", object{})
		}
		return say{blocks: b}
	}
}

// Colours of the embedded pages: the border of a field, and a button.
var (
	fieldEdge = [3]int{154, 165, 186}
	accent    = [3]int{31, 95, 191}
)

func near(img *image.NRGBA, x, y int, c [3]int, tolerance int) bool {
	p := img.NRGBAAt(x, y)
	for i, v := range []uint8{p.R, p.G, p.B} {
		if d := int(v) - c[i]; d > tolerance || -d > tolerance {
			return false
		}
	}
	return true
}

// painted is the grey that covers a field whose value is secret.
var painted = [3]int{128, 128, 128}

// fieldsSeen are the middles of the fields in the picture, top to bottom: what lies between two long lines of
// the colour of a field's edge, or is painted over.
func fieldsSeen(img *image.NRGBA) (out []image.Point) {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	x := w / 2
	edge := func(y int) bool {
		for dx := -w / 10; dx <= w/10; dx += w / 50 {
			if !near(img, x+dx, y, fieldEdge, 70) || near(img, x+dx, y, [3]int{238, 241, 246}, 25) ||
				near(img, x+dx, y, [3]int{255, 255, 255}, 30) {
				return false
			}
		}
		return true
	}
	var edges [][2]int // the first and the last line of each: an edge made smaller may be two lines
	for y := range h {
		switch n := len(edges); {
		case !edge(y):
		case n > 0 && y <= edges[n-1][1]+2:
			edges[n-1][1] = y
		default:
			edges = append(edges, [2]int{y, y})
		}
	}
	// 38 px, and the outline of the focus
	high := func(from, to int) bool { return to-from > 25 && to-from < 50 }
	for i := 0; i < len(edges); i++ {
		if e := edges[i]; high(e[0], e[1]) { // painted over
			out = append(out, image.Pt(x, (e[0]+e[1])/2))
		} else if i+1 < len(edges) && high(e[0], edges[i+1][0]) {
			out = append(out, image.Pt(x, (e[0]+edges[i+1][0])/2))
			i++
		}
	}
	return out
}

// inked reports whether something is written in the field around p. Only a value is painted over.
func inked(img *image.NRGBA, p image.Point) bool {
	if near(img, p.X, p.Y, painted, 4) {
		return true
	}
	n, w := 0, img.Rect.Dx()/8
	for y := p.Y - 6; y <= p.Y+6; y++ {
		for x := p.X - 2*w; x <= p.X; x++ { // texts begin at the left
			if c := img.NRGBAAt(x, y); int(c.R)+int(c.G)+int(c.B) < 240 {
				n++
			}
		}
	}
	return n > 20
}

// buttonSeen is the middle of the largest patch of a button's colour; false where there is none.
func buttonSeen(img *image.NRGBA) (image.Point, bool) {
	var xs, ys []int
	for y := 0; y < img.Rect.Dy(); y += 2 {
		for x := 0; x < img.Rect.Dx(); x += 2 {
			if near(img, x, y, accent, 10) {
				xs, ys = append(xs, x), append(ys, y)
			}
		}
	}
	if len(xs) < 100 {
		return image.Point{}, false
	}
	slices.Sort(xs)
	slices.Sort(ys)
	return image.Pt(xs[len(xs)/2], ys[len(ys)/2]), true
}

// looker is a fake model that works by the picture alone, in the words of the computer toolset, or of the
// older tool. It ends when nothing to press is left in sight.
func looker(f *fake, old bool) func(seen) say {
	labels, values := []string(nil), map[string]string(nil)
	return func(s seen) say {
		b := list{thought(s.n)}
		use := func(name string, in object) {
			toolset := "computer"
			if old {
				in["action"], name, toolset = name, olderName, ""
			}
			b = append(b, f.use(toolset, name, in))
		}
		if s.n == 1 {
			labels, values = planned(s.prompt)
			use("screenshot", object{})
			return say{blocks: b}
		}
		fields := fieldsSeen(s.picture)
		at, button := buttonSeen(s.picture)
		switch {
		case len(fields) == len(labels) && button:
			for i, l := range labels {
				if inked(s.picture, fields[i]) {
					continue
				}
				use("left_click", object{"coordinate": []int{fields[i].X, fields[i].Y}})
				use("type", object{"text": values[l]})
			}
			use("mouse_move", object{"coordinate": []int{at.X, at.Y}})
			use("left_click", object{}) // where the pointer is
		case !button && len(fields) == 0:
			return say{blocks: list{thought(s.n), text("The form is gone.\n**SUCCESS:** it was sent.")}}
		default:
			use("screenshot", object{})
		}
		return say{blocks: b}
	}
}

// instead is how a model learns that something else was done in place of its call.
const instead = "What was done, as a call of yours"

// stubbornReader is a fake model that presses one button again and again, whatever comes of it, until it is
// told that something else was done in its place: told is what it was told then.
func stubbornReader(f *fake, told *string) func(seen) say {
	labels, values, ref := []string(nil), map[string]string(nil), ""
	return func(s seen) say {
		b := list{thought(s.n)}
		use := func(name string, in object) { b = append(b, f.use("browser", name, in)) }
		press := func() {
			use("left_click", object{"target": object{"type": "ref", "ref": ref}})
			use("wait", object{"duration": 0.1}) // not done after a press without effect under a signal
		}
		switch {
		case s.n == 1:
			refs := refsOf(s.words)
			labels, values = planned(s.prompt)
			ref = refs["Submit"]
			for _, l := range labels {
				use("form_input", object{"target": object{"type": "ref", "ref": refs[l]}, "value": values[l]})
			}
			press()
		case strings.Contains(s.told, "Thank you"):
			return say{blocks: list{thought(s.n), text("SUCCESS: subscribed")}}
		case strings.Contains(s.told, instead):
			*told = s.told
			use("get_page_text", object{})
		default:
			press()
		}
		return say{blocks: b}
	}
}

// stubbornLooker is the same by the picture, in the words of the computer toolset or of the older tool.
func stubbornLooker(f *fake, old bool, told *string) func(seen) say {
	look := looker(f, old)
	var at *image.Point
	return func(s seen) say {
		if p, ok := buttonSeen(s.picture); ok && at == nil {
			at = &p
		}
		empty := slices.ContainsFunc(fieldsSeen(s.picture),
			func(p image.Point) bool { return !inked(s.picture, p) })
		if strings.Contains(s.told, instead) && strings.Contains(s.told, "Return") {
			*told = s.told
		}
		if s.n == 1 || empty || *told != "" {
			return look(s)
		}
		in, wait, name, toolset := object{"coordinate": []int{at.X, at.Y}}, object{"duration": 1},
			[]string{"left_click", "wait"}, "computer"
		if old {
			in["action"], wait["action"], name, toolset = name[0], name[1], []string{olderName, olderName}, ""
		}
		return say{blocks: list{thought(s.n), f.use(toolset, name[0], in), f.use(toolset, name[1], wait)}}
	}
}
