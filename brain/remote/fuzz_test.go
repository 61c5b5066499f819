package remote

import (
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/cua"
)

var (
	view  = cua.Size{W: 1280, H: 800}
	marks = []cua.Mark{{N: 1, Box: cua.Box{X: 10, Y: 20, W: 100, H: 40}},
		{N: 2, Box: cua.Box{X: 10, Y: 900, W: 9, H: 9}}}
)

// TestRead: what each result of next asks for, or why it is not played.
func TestRead(t *testing.T) {
	px, small := model.Fit(view, model.Limit{}, 0), model.Fit(view, limit(view, imageManner{MaxW: 640}), 0)
	for _, row := range []struct {
		name, raw string
		on        model.Screen
		want      cua.Action
		fails     string
	}{
		{"a point", `{"actions":[{"kind":"click","x":5,"y":7}]}`, px, cua.Action{Kind: cua.Click, Point: &cua.Point{X: 5, Y: 7}}, ""},
		{"a point of a smaller picture", `{"actions":[{"kind":"click","x":320,"y":200}]}`, small, cua.Action{Kind: cua.Click, Point: &cua.Point{X: 640.5, Y: 400.5}}, ""},
		{"a mark", `{"actions":[{"kind":"hover","mark":1}]}`, px, cua.Action{Kind: cua.Hover, Point: &cua.Point{X: 60, Y: 40}}, ""},
		{"keys as others spell them", `{"actions":[{"kind":"key","keys":"ctrl+A Enter"}]}`, px, cua.Action{Kind: cua.Key, Keys: "Control+a Return"}, ""},
		{"consent to a rewind", `{"actions":[{"kind":"rewind","step":2,"accept":true}]}`, px, cua.Action{Kind: cua.Rewind, Step: 2}, ""},
		{"consent to a dialog", `{"actions":[{"kind":"dialog","accept":true}]}`, px, cua.Action{Kind: cua.AnswerDlg, Accept: true}, ""},
		{"a number out of view", `{"actions":[{"kind":"click","mark":2}]}`, px, cua.Action{}, "no element in view has the number 2"},
		{"half a point", `{"actions":[{"kind":"click","x":5}]}`, px, cua.Action{}, "x and y go together"},
		{"a point outside", `{"actions":[{"kind":"click","x":5,"y":800}]}`, px, cua.Action{}, "outside"},
		{"an unknown kind", `{"actions":[{"kind":"smell"}]}`, px, cua.Action{}, `no action "smell"`},
		{"an unknown key", `{"actions":[{"kind":"key","keys":"Hyper"}]}`, px, cua.Action{}, "unknown key"},
		{"a file", `{"actions":[{"kind":"navigate","url":"file:///etc/passwd"}]}`, px, cua.Action{}, "only http and https"},
		{"a name of ours", `{"actions":[{"kind":"type","text":"a","into":"#x"}]}`, px, cua.Action{}, `unknown field "into"`},
		{"two where one is played", `{"actions":[{"kind":"back"},{"kind":"back"}]}`, px, cua.Action{}, "did not say batch"},
		{"nothing", `{}`, px, cua.Action{}, "neither actions nor done"},
		{"both", `{"actions":[{"kind":"back"}],"done":{}}`, px, cua.Action{}, "both actions and done"},
		{"tokens that nobody has", `{"done":{},"usage":{"output_tokens":-3}}`, px, cua.Action{}, "no number of tokens"},
		{"a cost below nothing", `{"done":{},"usage":{"cost_usd":-0.1}}`, px, cua.Action{}, "cost_usd must be 0 or more"},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := read([]byte(row.raw), row.on, marks, false)
			failure := r.Failure
			if failure == nil && len(r.Calls) > 0 {
				failure = r.Calls[0].Failure
			}
			if row.fails != "" {
				if failure == nil || !strings.Contains(failure.Detail, row.fails) {
					t.Errorf("failure %+v, want %s", failure, row.fails)
				}
				return
			}
			if failure != nil || len(r.Calls) != 1 || len(r.Calls[0].Actions) != 1 {
				t.Fatalf("%+v, failure %+v", r, failure)
			}
			got := r.Calls[0].Actions[0]
			if p := got.Point; (p == nil) != (row.want.Point == nil) || p != nil &&
				p.Distance(*row.want.Point) > 1 {
				t.Errorf("point %v, want %v", p, row.want.Point)
			}
			if got.Kind != row.want.Kind || got.Keys != row.want.Keys || got.Accept != row.want.Accept ||
				got.Step != row.want.Step {
				t.Errorf("%+v, want %+v", got, row.want)
			}
		})
	}
}

// FuzzRead: whatever a brain sends, reading it ends, and what is to be played has its places in the viewport,
// no name that only our own gates may give and no consent that only a person may.
func FuzzRead(f *testing.F) {
	for _, s := range []string{`{"jsonrpc":"2.0","id":1,"result":{"actions":[{"kind":"click","x":5,"y":7},{"kind":"key","keys":"ctrl+a"}],"thought":"hm"}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"done":{"success":true,"text":"x"},"usage":{"input_tokens":1,"cost_usd":1e300}}}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}`, `{"jsonrpc":"2.0","id":2,"result":{}}`, `[]`, `null`, "\xff", `{"id":1}{}`,
		`{"jsonrpc":"2.0","id":1,"result":{"actions":[{"kind":"drag","mark":1,"to":{"x":1e999,"y":-0}}]}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"actions":[{"kind":"rewind","step":1,"accept":true,"facets":["url"]}]}}`} {
		f.Add([]byte(s))
	}
	screens := []model.Screen{model.Fit(view, model.Limit{}, 0), model.Fit(view, model.Limit{LongEdge: 500},
		0), model.Fit(view, model.Limit{}, 1000), {}}
	f.Fuzz(func(t *testing.T, message []byte) {
		raw, err := resultOf(message, 1)
		if err != nil {
			if raw != nil || len(err.Error()) > 4*maxShown {
				t.Fatalf("%s: an error of %d bytes", raw, len(err.Error()))
			}
			return
		}
		for _, on := range screens {
			r := read(raw, on, marks, true)
			if len(r.Calls) > maxActions || r.Failure != nil && len(r.Calls) > 0 || r.Failure == nil &&
				!r.Refused && r.Final == nil && len(r.Calls) == 0 || r.Usage.Tokens() < 0 {
				t.Fatalf("%+v", r)
			}
			for _, c := range r.Calls {
				for _, a := range c.Actions {
					for _, p := range []*cua.Point{a.Point, a.To} {
						if p != nil && !(p.X >= 0 && p.Y >= 0 && p.X < float64(view.W) &&
							p.Y < float64(view.H)) {
							t.Fatalf("%+v outside", p)
						}
					}
					if a.Into != "" || a.Kind == cua.Rewind && a.Accept || !a.Kind.Known() {
						t.Fatalf("%+v", a)
					}
				}
			}
		}
	})
}
