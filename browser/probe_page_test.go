package browser

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"github.com/cua-runner/cua-runner/cua"
)

// stage is a session on pages of a test: path → HTML.
type stage struct {
	t   testing.TB
	s   *Session
	url string
	now cua.Observation
}

// newStage opens a session, serves pages and shows the one at /. However busy the machine is, what an
// action sets off is waited for.
func newStage(t testing.TB, pages map[string]string, more func(*http.ServeMux)) *stage {
	t.Helper()
	return newStageWith(t, SessionOptions{SettleCap: patience}, pages, more)
}

// newStageWith is newStage with options.
func newStageWith(t testing.TB, o SessionOptions, pages map[string]string, more func(*http.ServeMux)) *stage {
	t.Helper()
	mux := http.NewServeMux()
	for path, html := range pages {
		if path == "/" {
			path = "/{$}"
		}
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write([]byte("<!doctype html>" + html))
		})
	}
	if more != nil {
		more(mux)
	}
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	s, err := shared.NewSession(ctx, anyServer(o))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	st := &stage{t: t, s: s, url: srv.URL}
	st.open("/")
	return st
}

func (st *stage) open(path string) cua.Observation {
	st.t.Helper()
	st.now = st.reset(cua.Task{URL: st.url + path})
	return st.now
}

func (st *stage) reset(task cua.Task) cua.Observation {
	st.t.Helper()
	o, err := st.s.Reset(st.t.Context(), task)
	if err != nil {
		st.t.Fatalf("reset: %v", err)
	}
	return o
}

// act does a and returns the outcome.
func (st *stage) act(a cua.Action) cua.Outcome {
	st.t.Helper()
	out, err := st.s.Act(st.t.Context(), a)
	if err != nil {
		st.t.Fatalf("%s: %v", a.Kind, err)
	}
	if out.Failure != nil {
		st.t.Fatalf("%s failed: %v %v", a.Kind, out.Failure, out.Log)
	}
	st.now = out.After
	return out
}

func (st *stage) locate(a cua.Action) cua.Target {
	st.t.Helper()
	got, err := st.s.Locate(st.t.Context(), a)
	if err != nil {
		st.t.Fatalf("locate: %v", err)
	}
	return got
}

// mark is the first mark whose name contains name.
func (st *stage) mark(name string) cua.Mark {
	st.t.Helper()
	return markIn(st.t, st.now, name)
}

// markIn is the first mark of o whose name contains name.
func markIn(t testing.TB, o cua.Observation, name string) cua.Mark {
	t.Helper()
	for _, m := range o.Marks {
		if strings.Contains(m.Name, name) {
			return m
		}
	}
	t.Fatalf("no mark %q among %+v", name, o.Marks)
	return cua.Mark{}
}

func (st *stage) field(name string) cua.Field {
	st.t.Helper()
	for _, f := range st.now.Fields {
		if strings.Contains(f.Name, name) || f.IDAttr == name {
			return f
		}
	}
	st.t.Fatalf("no field %q among %+v", name, st.now.Fields)
	return cua.Field{}
}

func (st *stage) click(name string) cua.Outcome {
	st.t.Helper()
	return st.act(cua.Action{Kind: cua.Click, Mark: st.mark(name).N})
}

// eval runs a script in the page's own world.
func (st *stage) eval(js string) string {
	st.t.Helper()
	return pageValue(st.t, st.s, js)
}

// await waits until cond, an expression, holds on the page.
func (st *stage) await(cond string) {
	st.t.Helper()
	st.eval("new Promise(r=>{(function look(){if(" + cond + ")r();else setTimeout(look,5)})()})")
}

// digestOf is the digest of a region that holds nothing but a paragraph with that text.
func (st *stage) digestOf(text string) string {
	st.t.Helper()
	ctx, cancel := context.WithTimeout(st.t.Context(), patience)
	defer cancel()
	got, err := eval[string](ctx, st.s.active.probe.open()[0], "__cua.digest("+literal("<p\n"+text)+")")
	if err != nil {
		st.t.Fatal(err)
	}
	return got
}

// pageValue evaluates js in the page's own world.
func pageValue(t testing.TB, s *Session, js string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	r, err := cdp.Call(ctx, s.active.s, runtime.Evaluate, runtime.EvaluateParams{Expression: js,
		ReturnByValue: new(true), AwaitPromise: new(true)})
	if err != nil {
		t.Fatalf("%s: %v", js, err)
	}
	if r.ExceptionDetails != nil {
		t.Fatalf("%s: %s %s", js, r.ExceptionDetails.Text, r.ExceptionDetails.Exception.Description)
	}
	return strings.Trim(string(r.Result.Value), `"`)
}

// number reads a number that the page answered.
func number(t testing.TB, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
