package gemini

import (
	"bytes"
	"image"
	"regexp"
	"strconv"
	"strings"

	"google.golang.org/genai"
)

// mind is a model that fills a form by what it is shown: the planned values, the elements with their places,
// the results of its calls. It knows nothing of the page but what requests say.
type mind struct {
	legacy bool
	// fixed makes it press into fields and never type, as a model in a loop does.
	fixed bool
	// seen are the sizes of the pictures that it was shown.
	seen []image.Point
	told []string // the answers to its calls that are errors
	// instead are the calls that stand there for what was done in place of its own.
	instead []any
}

var (
	planLine = regexp.MustCompile(`(?m)^- (.+) = (.+) \((not in the page yet|in its field)\)$`)
	markLine = regexp.MustCompile(`(?m)^\[\d+\] (\S+) "(.*?)".* at (\d+),(\d+)$`)
)

// answer is its next reply.
func (m *mind) answer(r *request) *genai.GenerateContentResponse {
	last := r.Contents[len(r.Contents)-1]
	for _, b := range blobs(last) {
		c, _, err := image.DecodeConfig(bytes.NewReader(b.Data))
		if err == nil {
			m.seen = append(m.seen, image.Pt(c.Width, c.Height))
		}
	}
	for _, a := range responses(last) {
		if e, ok := a.Response["error"].(string); ok {
			m.told = append(m.told, e)
			if calls, ok := a.Response["done_instead"].([]any); ok {
				m.instead = append(m.instead, calls...)
			}
		}
	}
	now := text(last)
	if strings.Contains(now, `title "Thank you`) || strings.Contains(now, "/done") {
		return speak("The form was sent.\nSUCCESS: signed in")
	}
	for _, p := range pending(r) {
		if x, y, ok := place(now, p[0]); ok {
			return m.fill(x, y, p[1])
		}
	}
	for _, e := range markLine.FindAllStringSubmatch(now, -1) {
		if e[1] == "button" {
			return do(function(m.name("click", "click_at"), map[string]any{"x": units(e[3]), "y": units(e[4]),
				"intent": "send it"}))
		}
	}
	return speak("FAILURE: there is nothing to press")
}

func (m *mind) name(now, old string) string {
	if m.legacy {
		return old
	}
	return now
}

// fill puts a value into the field at a place.
func (m *mind) fill(x, y float64, value string) *genai.GenerateContentResponse {
	press := function(m.name("click", "click_at"), map[string]any{"x": x, "y": y, "intent": "into the field"})
	switch {
	case m.fixed:
		return do(press)
	case m.legacy:
		return do(function("type_text_at", map[string]any{"x": x, "y": y, "text": value, "press_enter": false,
			"clear_before_typing": true}))
	}
	press.ID = "call-1"
	return do(press, &genai.FunctionCall{ID: "call-2", Name: "type",
		Args: map[string]any{"text": value, "press_enter": false, "intent": "the value"}})
}

// pending are the planned values that are not in the page, as far as the conversation told last.
func pending(r *request) [][2]string {
	var out [][2]string
	for _, c := range r.Contents {
		if lines := planLine.FindAllStringSubmatch(text(c), -1); len(lines) > 0 {
			out = nil
			for _, l := range lines {
				if l[3] != "in its field" {
					out = append(out, [2]string{l[1], l[2]})
				}
			}
		}
	}
	return out
}

// place is where the element with that name is, on the grid.
func place(now, name string) (x, y float64, ok bool) {
	for _, e := range markLine.FindAllStringSubmatch(now, -1) {
		if strings.EqualFold(e[2], name) {
			return units(e[3]), units(e[4]), true
		}
	}
	return 0, 0, false
}

// units is a number of a place: elements are listed on the grid that the model points on.
func units(text string) float64 {
	v, _ := strconv.Atoi(text)
	return float64(v)
}

// text is what the user wrote in a content, results of calls excepted.
func text(c *genai.Content) string {
	var out []string
	for _, p := range c.Parts {
		if c.Role == genai.RoleUser && p.Text != "" {
			out = append(out, p.Text)
		}
	}
	return strings.Join(out, "\n")
}
