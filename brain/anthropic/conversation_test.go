package anthropic

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/brain/model/wiretest"
	"github.com/cua-runner/cua-runner/cua"
)

// holding is what a request holds of pictures and breakpoints.
type holding struct{ pictures, omitted, marks int }

func holds(t *testing.T, body []byte) holding {
	t.Helper()
	e := exchange{body: wiretest.Value(t, body)}
	return holding{len(e.images()), strings.Count(string(body), omitted), strings.Count(string(body), `"cache_control"`)}
}

// repainted is a picture that is another each time, so that each is sent.
func repainted(n int) cua.Shot {
	return cua.Shot{Data: append(slices.Clone(pngOf(1280, 800)), fmt.Appendf(nil, "%d", n)...),
		Mime: "image/png"}
}

// played makes n decisions, each a click and a new picture.
func played(t *testing.T, f *fake, spec string, n int) *desk {
	t.Helper()
	f.model = answers(f)
	d := newDesk(t, f.opened(t, spec))
	for i := range n {
		d.shot = repainted(i)
		if got, err := d.decide(nil); err != nil || got.Action.Kind != cua.Click {
			t.Fatalf("decision %d: %+v, %v", i+1, got, err)
		}
	}
	return d
}

// Pictures are taken away in steps: what was sent stays as it is for 25 turns, so that a cache can hold it,
// and there are never more than 27.
func TestPicturesAreDroppedInSteps(t *testing.T) {
	f := newFake(t, nil)
	played(t, f, "anthropic", 60)
	changed := 0
	for i, r := range f.requests {
		h := holds(t, r)
		want := i + 1
		if want >= keepShots+pruneEvery {
			want -= (want - keepShots) / pruneEvery * pruneEvery
		}
		if h.pictures != want || h.omitted != i+1-want || h.marks > 4 {
			t.Errorf("request %d holds %+v, want %d pictures", i+1, h, want)
		}
		if i > 0 && h.omitted != holds(t, f.requests[i-1]).omitted {
			changed++
		}
	}
	if changed != 2 {
		t.Errorf("what was sent changed %d times", changed)
	}
}

// The newer of the models whose thoughts are tied to pictures: nothing is taken away here, the service is
// asked to.
func TestPicturesOfSomeModelsAreDroppedByTheService(t *testing.T) {
	for _, m := range []string{"claude-fable-5-1", "claude-opus-5-5"} {
		f := newFake(t, nil)
		played(t, f, "anthropic:"+m, 30)
		for i, r := range f.requests {
			if h := holds(t, r); h.pictures != i+1 || h.omitted != 0 || h.marks > 4 {
				t.Fatalf("%s: request %d holds %+v", m, i+1, h)
			}
		}
		var last struct {
			Management struct {
				Edits []struct {
					Type          string
					Keep, Trigger struct {
						Type  string
						Value int
					}
				}
			} `json:"context_management"`
		}
		if err := json.Unmarshal(f.requests[29], &last); err != nil {
			t.Fatal(err)
		}
		edits := last.Management.Edits
		if len(edits) != 1 || edits[0].Type != "clear_tool_uses_20250919" ||
			edits[0].Keep.Value != keepShots || edits[0].Trigger.Value != keepShots+pruneEvery {
			t.Errorf("%s: %+v", m, edits)
		}
	}
}

// A conversation that has outgrown a request begins anew with what the runner remembers.
func TestALongConversationBeginsAnew(t *testing.T) {
	for name, row := range map[string]struct {
		spec   string
		before func(*wire)
	}{
		"too many pictures": {"anthropic:claude-opus-5-5", func(w *wire) {
			for i := range maxShots {
				w.talk.messages[0].Content = append(w.talk.messages[0].Content,
					w.user(newSay(repainted(i)))...)
			}
		}},
		"too many tokens": {"anthropic", func(w *wire) { w.talk.tokens = maxTokens + 1 }},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t, nil)
			f.model = answers(f)
			d := newDesk(t, f.opened(t, row.spec))
			if _, err := d.decide(nil); err != nil {
				t.Fatal(err)
			}
			row.before(f.wire)
			d.shot = repainted(2)
			if got, err := d.decide(nil); err != nil || got.Action.Kind != cua.Click || got.Continues {
				t.Fatalf("got %+v, %v", got, err)
			}
			e := exchange{body: wiretest.Value(t, f.requests[len(f.requests)-1])}
			if n := len(e.messages()); n != 1 || !strings.Contains(textsOf(e.at(0)), "step 1: click") {
				t.Errorf("%d messages, the first says %q", n, textsOf(e.at(0)))
			}
		})
	}
}

// The same frame is not sent twice, and is said to be the same.
func TestTheSamePictureIsSentOnce(t *testing.T) {
	f := newFake(t, nil)
	f.model = answers(f)
	d := newDesk(t, f.opened(t, "anthropic"))
	for range 3 {
		if _, err := d.decide(nil); err != nil {
			t.Fatal(err)
		}
	}
	if h := holds(t, f.requests[2]); h.pictures != 1 || strings.Count(string(f.requests[2]),
		"exactly as in the last picture") != 2 {
		t.Errorf("the third request holds %+v", h)
	}
}

// A message that did not go through is sent again, once.
func TestAFailedRequestIsForgotten(t *testing.T) {
	f := newFake(t, nil)
	f.model = answers(f)
	d := newDesk(t, f.opened(t, "anthropic"))
	if _, err := d.decide(nil); err != nil {
		t.Fatal(err)
	}
	f.fault = times(2, status(400))
	if _, err := d.decide(nil); err == nil {
		t.Fatal("no error")
	}
	f.fault = nil
	if got, err := d.decide(nil); err != nil || got.Action.Kind != cua.Click {
		t.Errorf("got %+v, %v", got, err)
	}
}
