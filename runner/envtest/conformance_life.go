package envtest

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

var travelRows = []row{
	{"a link leads on", func(r *trial) {
		r.reset("form")
		before := r.now
		r.click("Next")
		r.titled("Next")
		r.evidence()
		if r.now.URL != r.url("next") || r.now.Document == before.Document || len(r.now.Fields) != 0 ||
			r.now.Focus != nil {
			r.t.Errorf("the page is %+v", r.now)
		}
	}},
	{"navigate goes there", func(r *trial) {
		r.reset("form")
		r.act(cua.Action{Kind: cua.Navigate, URL: r.url("next")})
		r.titled("Next")
		r.evidence()
	}},
	{"navigate to nowhere fails and can be left", func(r *trial) {
		r.reset("form")
		out := r.try(cua.Action{Kind: cua.Navigate, URL: "http://" + nowhere + "/page"})
		r.failed(out.Failure, cua.FailNav)
		if r.now.NavError == "" {
			r.t.Errorf("the error page does not say so: %+v", r.now)
		}
		r.act(cua.Action{Kind: cua.Navigate, URL: r.url("next")})
		r.titled("Next")
		r.evidence()
	}},
	{"reload shows the same page in another document", func(r *trial) {
		r.reset("next")
		before := r.now
		r.act(cua.Action{Kind: cua.Reload})
		if r.now.Document == before.Document {
			r.t.Error("the document is the same")
		}
		before.Document = r.now.Document
		r.same(before)
	}},
	{"a wait changes nothing", func(r *trial) {
		r.reset("form")
		r.click("Name")
		before := r.now
		r.act(cua.Action{Kind: cua.Wait, MS: 20})
		r.same(before)
		r.focused("Name")
		r.evidence()
	}},
	{"a slow press is done after a wait", func(r *trial) {
		r.reset("other")
		r.click("Slow")
		r.titled("Other")
		for range 20 { // a page that is busy takes longer
			if r.act(cua.Action{Kind: cua.Wait, MS: 2500}); r.now.Title != "Other" {
				break
			}
		}
		r.titled("Next")
		r.evidence()
	}},
	{"an observation carries what a restore needs, and no record of it does", func(r *trial) {
		r.reset("form")
		if p := r.now.State; p == nil || p.URL != r.now.URL || len(p.Frames) == 0 || p.Tab != 1 ||
			len(p.Tabs) != 1 || p.Cookies == nil {
			r.t.Fatalf("the state is %+v", p)
		}
		r.act(r.on("Name", cua.Action{Kind: cua.Type, Text: "not for a record"}))
		kept, err1 := json.Marshal(r.now.State)
		text, err2 := json.Marshal(r.now)
		if err1 != nil || err2 != nil || !strings.Contains(string(kept), "not for a record") ||
			strings.Contains(string(text), "not for a record") {
			r.t.Errorf("the state is %s and the record is %s", kept, text)
		}
	}},
	{"restore gives a form back", func(r *trial) {
		r.reset("form")
		r.act(r.on("Name", cua.Action{Kind: cua.Type, Text: "alice"}))
		r.click("I agree")
		r.act(r.on("Size", cua.Action{Kind: cua.Select, Text: "Large"}))
		before := r.now
		r.act(r.on("Name", cua.Action{Kind: cua.Type, Text: "bob", Clear: true}))
		r.click("I agree")
		r.click("Next")
		asked := slices.DeleteFunc(cua.Facets(), func(f string) bool { return f == cua.FacetCookies })
		out, err := r.env.Restore(r.t.Context(), cua.Checkpoint{Step: 4, URL: before.URL,
			Page: before.State}, asked)
		if err != nil || out.Failure != nil {
			r.t.Fatalf("restore: %v, %v", err, out.Failure)
		}
		r.now = out.After
		r.evidence()
		r.holds("Name", "alice")
		r.holds("Size", "Large")
		if f := r.field("I agree"); !f.Checked {
			r.t.Errorf("the box is not checked: %+v", f)
		}
		if r.now.FormDigest != before.FormDigest || r.now.Document == before.Document {
			r.t.Errorf("the form's digest is %q in %q, it was %q in %q", r.now.FormDigest, r.now.Document,
				before.FormDigest, before.Document)
		}
		for _, f := range cua.Facets() {
			want := cua.WasRestored
			if f == cua.FacetCookies {
				want = cua.Kept
			}
			if out.Facets[f] != want {
				r.t.Errorf("%s is %q, want %q (log %q)", f, out.Facets[f], want, out.Log)
			}
		}
	}},
	{"what has changed since is told as drifted", func(r *trial) {
		r.reset("form")
		page := *r.now.State
		page.Frames = slices.Clone(page.Frames)
		page.Frames[0].Controls = append(slices.Clone(page.Frames[0].Controls),
			cua.ControlState{Key: "gone", Alt: "gone", Kind: "text", Value: "x"})
		out, err := r.env.Restore(r.t.Context(), cua.Checkpoint{Step: 1, URL: r.now.URL, Page: &page},
			[]string{cua.FacetURL, cua.FacetForm})
		if err != nil || out.Failure != nil {
			r.t.Fatalf("restore: %v, %v", err, out.Failure)
		}
		if out.Facets[cua.FacetURL] != cua.WasRestored || out.Facets[cua.FacetForm] != cua.Drifted ||
			out.Facets[cua.FacetTabs] != cua.Kept {
			r.t.Errorf("the facets are %v", out.Facets)
		}
	}},
	{"restore returns to the address", func(r *trial) {
		r.reset("form")
		r.click("Next")
		out, err := r.env.Restore(r.t.Context(), cua.Checkpoint{Step: 1, URL: r.url("form")},
			[]string{"url", "moon"})
		if err != nil || out.Failure != nil {
			r.t.Fatalf("restore: %v, %v", err, out.Failure)
		}
		r.now = out.After
		r.titled("Form")
		r.evidence()
		if out.Facets["url"] != "restored" || out.Facets["moon"] != "unsupported" {
			r.t.Errorf("the facets are %v", out.Facets)
		}
	}},
}

var lifeRows = []row{
	{"what is no action is an error", func(r *trial) {
		r.reset("form")
		before := r.now
		for _, a := range []cua.Action{{Kind: "dance"}, {Kind: cua.Wait}, {Kind: cua.Done},
			{Kind: cua.Click, Point: &cua.Point{X: -1, Y: 5}}} {
			if _, err := r.env.Act(r.t.Context(), a); err == nil {
				r.t.Errorf("%+v was done", a)
			}
		}
		r.act(cua.Action{Kind: cua.Wait, MS: 1})
		r.same(before)
	}},
	{"a cancelled call returns soon and the next one works", func(r *trial) {
		r.reset("form")
		gone, cancel := context.WithCancel(r.t.Context())
		cancel()
		a := r.on("Dead", cua.Action{Kind: cua.Click})
		r.soon("act", func(context.Context) {
			if _, err := r.env.Act(gone, a); !errors.Is(err, context.Canceled) {
				r.t.Errorf("act: %v", err)
			}
		})
		r.soon("locate", func(context.Context) {
			if _, err := r.env.Locate(gone, a); !errors.Is(err, context.Canceled) {
				r.t.Errorf("locate: %v", err)
			}
		})
		r.soon("restore", func(context.Context) {
			if _, err := r.env.Restore(gone, cua.Checkpoint{URL: r.url("form")}, nil); !errors.Is(err,
				context.Canceled) {
				r.t.Errorf("restore: %v", err)
			}
		})
		r.click("Next")
		r.titled("Next")
	}},
	{"a wait ends with its context", func(r *trial) {
		r.reset("form")
		r.soon("a long wait", func(context.Context) {
			short, cancel := context.WithTimeout(r.t.Context(), patience/100)
			defer cancel()
			// The scripted environment knows no time: its waits are over at once.
			if _, err := r.env.Act(short, cua.Action{Kind: cua.Wait, MS: 60_000}); err != nil &&
				!errors.Is(err, context.DeadlineExceeded) {
				r.t.Errorf("the wait ended with %v", err)
			}
		})
	}},
	{"close may be called again and ends everything", func(r *trial) {
		r.reset("form")
		a := r.on("Dead", cua.Action{Kind: cua.Click})
		for range 2 {
			if err := r.env.Close(); err != nil {
				r.t.Errorf("close: %v", err)
			}
		}
		ctx := r.t.Context()
		r.soon("a call after close", func(context.Context) {
			if _, err := r.env.Reset(ctx, cua.Task{URL: r.url("form")}); err == nil {
				r.t.Error("reset works after close")
			}
			if _, err := r.env.Locate(ctx, a); err == nil {
				r.t.Error("locate works after close")
			}
			if _, err := r.env.Act(ctx, a); err == nil {
				r.t.Error("act works after close")
			}
			if _, err := r.env.Restore(ctx, cua.Checkpoint{URL: r.url("form")}, nil); err == nil {
				r.t.Error("restore works after close")
			}
		})
	}},
}
