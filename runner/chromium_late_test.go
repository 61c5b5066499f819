package runner_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
)

// lateRows say of each step of a script whether it counts as progress in hindsight (P) or not (.); a * is
// a wait that may be either.
var lateRows = []struct {
	name, html string
	script     []cua.Scripted
	want       string
}{
	{"a timer", `<button onclick="setTimeout(()=>{out.textContent='Saved'},2000)">Go</button><p id=out>-`, []cua.Scripted{click("Go"), wait(1500), wait(600), wait(100)}, "P**."},
	{"an answer", `<button onclick="fetch('/slow').then(()=>{out.textContent='Saved'})">Go</button><p id=out>-`, []cua.Scripted{click("Go"), wait(500), wait(900), wait(100)}, "P**."},
	{"a job that is polled", `<button onclick="let n=0;const i=setInterval(()=>{if(++n==8){out.textContent='Done';clearInterval(i)}},300)">Go</button><p id=out>-`,
		[]cua.Scripted{click("Go"), wait(900), wait(900), wait(900), wait(100)}, "P***."},
	{"a job that says how far it is", `<button onclick="let n=0;const i=setInterval(()=>{out.textContent=++n+' %';if(n==8){clearInterval(i)}},300)">Go</button><p id=out>-`,
		[]cua.Scripted{click("Go"), wait(700), wait(700), wait(1200), wait(100)}, "P***."},
	{"a result that the server pushes", `<script>new EventSource('/results').onmessage=e=>{out.textContent=e.data}</script><button onclick="fetch('/start')">Go</button><p id=out>-`,
		[]cua.Scripted{click("Go"), wait(500), wait(700), wait(300)}, "P**."},
	{"another document", `<button onclick="setTimeout(()=>{location='/other'},1800)">Go</button>`, []cua.Scripted{click("Go"), wait(2500)}, "P*"},
	{"a colour", `<style>.on{background:red}</style><button onclick="setTimeout(()=>{out.className='on'},1800)">Go</button><p id=out>-</p>`, []cua.Scripted{click("Go"), wait(2500)}, "P*"},
	{"each time", `<button onclick="setTimeout(()=>{out.textContent='Saved '+ ++k},1700)">Go</button><p id=out>-</p><script>k=0</script>`,
		[]cua.Scripted{click("Go"), wait(1900), click("Go"), wait(1900), click("Go"), wait(1900)}, "P*P*P*"},
	{"beside a clock", `<button onclick="setTimeout(()=>{out.textContent='Saved'},2000)">Go</button><p id=out>-` + ticking, []cua.Scripted{click("Go"), wait(1200), wait(1000), wait(100)}, "P**."},
	{"nothing, beside a clock", `<button>Go</button>` + ticking, []cua.Scripted{click("Go"), wait(300), wait(300), wait(300), click("Go")}, "....."},
	{"nothing, after a late effect", `<button onclick="setTimeout(()=>{out.textContent='Saved'},1800)">Go</button><p id=out>-</p><button>Dead</button>`,
		[]cua.Scripted{click("Go"), wait(2000), click("Dead"), wait(200), click("Dead")}, "P*..."},
}

// A change during the waits after a click is the click's late effect, and nothing of it is learned as content
// that moves by itself.
func TestLateEffects(t *testing.T) {
	t.Parallel() // most of it is waiting
	for _, row := range lateRows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel() // it is all waiting
			tr := playLate(t, "off", cua.Task{ID: "late", URL: lateSite(t, row.html)},
				brain.Scripted{Script: row.script})
			succeeded(t, tr, len(row.script))
			for i, s := range tr.History().Samples()[:len(row.script)] {
				if w := row.want[i]; w != '*' && s.Progress != (w == 'P') {
					t.Errorf("step %d: progress is %t, want %s; the effect is %+v, idle %+v", i+1, s.Progress,
						row.want, tr.Steps[i].Effect, tr.Steps[i].Target.Idle)
				}
			}
			if churn := tr.HistoryAt(len(row.script)).Churn(); !strings.Contains(row.html, ticking) &&
				len(churn.Parts)+len(churn.Tiles) > 0 || len(churn.Parts) > 1 {
				t.Errorf("what came late counts as churn: %v", churn)
			}
		})
	}
}

// lateSite serves html, an answer that takes two seconds, and results that come 700 ms after they
// were asked for.
func lateSite(t *testing.T, html string) string {
	started := make(chan bool, 10)
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		later := func(d time.Duration) {
			timer := time.NewTimer(d)
			defer timer.Stop()
			select {
			case <-timer.C:
			case <-r.Context().Done():
			}
		}
		switch r.URL.Path {
		case "/slow":
			later(2 * time.Second)
		case "/start":
			started <- true
		case "/results":
			w.Header().Set("Content-Type", "text/event-stream")
			w.(http.Flusher).Flush()
			for {
				select {
				case <-r.Context().Done():
					return
				case <-started:
					later(700 * time.Millisecond)
					fmt.Fprint(w, "data: done\n\n")
					w.(http.Flusher).Flush()
				}
			}
		default:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, "<!doctype html>", calm, html)
		}
	}).URL
}

// The same while the brain thinks: what the click set off is known by its cause.
func TestSlowSaveWhileTheBrainThinks(t *testing.T) {
	t.Parallel() // most of it is waiting
	save, saved := make(chan struct{}), make(chan struct{})
	srv := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/save": // takes until the brain thinks
			select {
			case <-save:
			case <-r.Context().Done():
			}
			return
		case "/saved":
			close(saved)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!doctype html>`, calm, `<p><button type=button>Other</button>
			<p><button type=button onclick="fetch('/save').then(()=>{out.textContent='Saved';fetch('/saved')})">Save</button><p id=out>-`)
	})
	script := []cua.Scripted{click("Save"), click("Other"), click("Other")}
	tr := playLate(t, "off", cua.Task{ID: "slow", URL: srv.URL}, slowBrain{brain.Scripted{Script: script},
		sync.OnceFunc(func() { close(save) }), saved})
	succeeded(t, tr, 3)
	if e := tr.Steps[0].Effect; e == nil || e.Any() {
		t.Fatalf("the click itself already had the effect %+v: the page is not slow", e)
	}
	idle := tr.Steps[1].Target.Idle
	if len(idle.Caused) == 0 {
		t.Errorf("before the second step %+v changed, and nothing of it is known to be the click's", idle)
	}
	if churn := tr.HistoryAt(3).Churn(); len(churn.Parts) > 0 {
		t.Errorf("what the save changed counts as churn: %v", churn)
	}
	if s := tr.History().Samples(); !s[0].Progress || s[1].Progress || s[2].Progress {
		t.Errorf("progress by step is %v %v %v, want only the first", s[0].Progress, s[1].Progress,
			s[2].Progress)
	}
}

// slowBrain lets something begin when it comes to its second decision, and thinks about it until the
// page has said that it is done.
type slowBrain struct {
	brain.Scripted
	begin func()
	done  <-chan struct{}
}

func (b slowBrain) Decide(ctx context.Context, t *cua.Turn) (cua.Decision, error) {
	if t.Decision > 1 {
		b.begin()
		select {
		case <-b.done:
		case <-ctx.Done():
		}
	}
	return b.Scripted.Decide(ctx, t)
}
