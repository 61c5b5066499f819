package browser

import (
	"testing"

	"github.com/cua-runner/cua-runner/browser/internal/frames"
	"github.com/cua-runner/cua-runner/cua"
)

// The first change after a look gets a number at once, so that a frame with the number before it is known to
// show what the look saw. Later changes get none until the next action: numbers are few.
func TestTheFirstChangeIsNumbered(t *testing.T) {
	page := map[string]string{
		"/": `<style>#in{height:40px;overflow:auto}</style><button onclick="out.textContent+='x'">go</button>` +
			`<p id=out>-</p><div id=in><p style="height:400px">long</p></div><img id=pic>` +
			`<iframe srcdoc="<p>below</p>"></iframe><p style="height:4000px">long</p>`,
	}
	const dot = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
	for _, row := range []struct {
		name, change string
		numbered     bool
	}{
		{"nothing changes", "", false},
		{"text", "out.textContent='other'", true},
		{"an attribute", "out.title='other'", true},
		{"an attribute that stays as it is", "out.id='out'", false},
		{"an element that comes", "document.body.append('x')", true},
		{"an element that goes", "out.remove()", true},
		{"a scroll by script", "document.querySelector('#in').scrollTop=50", true},
		{"a picture that loads", "new Promise(r=>{pic.onload=()=>r('');pic.src='" + dot + "'})", true},
		{"a scroll of the page", "scrollTo(0,50)", true},
		{"a document below", "frames[0].document.body.append('x')", true},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			st := newStage(t, page, nil)
			st.click("go")
			looked := st.number()
			if row.change != "" {
				st.eval(row.change)
			}
			st.paint()
			first := st.number()
			if got := first != looked; got != row.numbered {
				t.Errorf("another number: %v, want %v", got, row.numbered)
			}
			if row.numbered {
				st.eval("document.body.append('once more')")
				st.paint()
				if st.number() != first {
					t.Error("the second change has a number too")
				}
			}
		})
	}
}

// The page is asked once more after a frame only if the frame may show more than the look did, or a secret.
func TestAStillPageIsAskedOnce(t *testing.T) {
	const tag = 300
	secrets := map[string]string{"PW": "hunter2 of Ada"}
	for _, row := range []struct {
		name    string
		secrets map[string]string
		frame   frames.Taken
		asked   string
	}{
		{"the number that was waited for", nil, frames.Taken{How: frames.ByScreencast, Tag: tag}, "0"},
		{"no secret is known yet", map[string]string{}, frames.Taken{How: frames.ByScreencast, Tag: tag}, "0"},
		{"a secret is known", secrets, frames.Taken{How: frames.ByScreencast, Tag: tag}, "1"},
		{"a later number", nil, frames.Taken{How: frames.ByScreencast, Tag: tag + 1}, "1"},
		{"a screenshot", nil, frames.Taken{How: "capture"}, "1"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			st := newStageWith(t, SessionOptions{SettleCap: patience, Secrets: row.secrets},
				map[string]string{"/": "<p>still</p>"}, nil)
			tab := st.s.active
			world := func(js string) string {
				got, err := eval[string](t.Context(), tab.probe.open()[0], "JSON.stringify("+js+")")
				if err != nil {
					t.Fatal(err)
				}
				return got
			}
			world("(() => { const f = __cua.stirred; let n = 0; __cua.asked = () => String(n); " +
				"__cua.stirred = (p) => { n++; return f(p); }; return ''; })()")
			w := &settling{s: st.s, t: tab, frame: frames.Want{Tag: tag}}
			var o cua.Observation
			if err := w.finish(t.Context(), &row.frame, &o); err != nil {
				t.Fatal(err)
			}
			if got := world("__cua.asked()"); got != row.asked {
				t.Errorf("asked %s times, want %s", got, row.asked)
			}
		})
	}
}
