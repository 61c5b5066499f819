package envtest

import (
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// errorPage is the name of the page that shows when there is none; no site has it.
const errorPage = " error"

// act changes the state; a nil failure is success, also of a press that does nothing.
func (e *Env) act(a cua.Action) *cua.Failure {
	if fail := e.place(a); fail != nil {
		return fail
	}
	switch a.Kind {
	case cua.Type, cua.Select:
		return e.typeText(a)
	case cua.Key:
		e.press(a.Keys)
	case cua.Navigate:
		name := strings.TrimPrefix(a.URL, URL(""))
		if _, ok := e.Site.Pages[name]; !ok {
			e.open(errorPage)
			e.state.failed = "net::ERR_NAME_NOT_RESOLVED"
			return &cua.Failure{Kind: cua.FailNav, Detail: e.state.failed + " at " + a.URL}
		}
		e.open(name)
	case cua.Reload:
		e.open(e.state.page)
	}
	return nil
}

// place presses or focuses what a is aimed at.
func (e *Env) place(a cua.Action) *cua.Failure {
	if a.Into != "" {
		i := slices.IndexFunc(e.page().Controls, func(c Control) bool { return id(c) == a.Into })
		if i < 0 {
			return &cua.Failure{Kind: cua.FailNotFound, Detail: "nothing is " + a.Into}
		}
		if c := e.page().Controls[i]; a.Kind.Pressing() {
			e.click(c)
		} else {
			e.state.focus = c.Name
		}
		return nil
	}
	p, fail := e.aim(a)
	if fail != nil {
		return fail
	}
	if p == nil || !a.Kind.Pressing() && a.Kind != cua.Type && a.Kind != cua.Select {
		return nil
	}
	for i, c := range e.page().Controls {
		if e.shown(c) && box(i).Contains(*p) {
			e.click(c)
			return nil
		}
	}
	e.state.focus = ""
	return nil
}

func (e *Env) click(c Control) {
	switch {
	case c.Type == "checkbox":
		e.toggle(c)
		e.state.focus = c.Name
	case c.field():
		e.state.focus = c.Name
	case c.Blurs:
		e.state.focus = ""
		fallthrough
	default:
		if !c.KeyboardOnly {
			e.activate(c)
		}
	}
}

func (e *Env) toggle(c Control) {
	if e.state.values[e.key(c)] == "" {
		e.state.values[e.key(c)] = "on"
	} else {
		delete(e.state.values, e.key(c))
	}
}

// activate does what a button or link is for.
func (e *Env) activate(c Control) {
	if c.Dead {
		return
	}
	for _, n := range c.Needs {
		if e.state.values[e.state.page+"/"+n] == "" {
			e.state.errors = c.Error
			return
		}
	}
	if c.Counts {
		e.state.counts[c.Name]++
	}
	if c.Writes {
		e.state.writes = append(e.state.writes, cua.Write{Method: "POST", URL: URL(e.state.page),
			Status: 200})
	}
	switch {
	case c.To != "" && c.After > 0:
		e.state.pending, e.state.waits = c.To, c.After
	case c.To != "":
		e.open(c.To)
	}
}

func (e *Env) typeText(a cua.Action) *cua.Failure {
	for _, c := range e.page().Controls {
		if c.Name != e.state.focus || !c.field() {
			continue
		}
		if c.Type == "select" && !slices.Contains(c.Options, a.Text) {
			return &cua.Failure{Kind: cua.FailNotInteractable, Detail: "no option " + a.Text}
		}
		if a.Clear || a.Kind == cua.Select {
			e.state.values[e.key(c)] = ""
		}
		e.state.values[e.key(c)] += a.Text
		return nil
	}
	return nil // keys go to the page, which does nothing with them
}

// press sends one key: Tab moves the focus, Return presses the submit control or the focused button.
func (e *Env) press(keys string) {
	cs := e.page().Controls
	at := slices.IndexFunc(cs, func(c Control) bool { return c.Name == e.state.focus })
	switch keys {
	case "Tab":
		if len(cs) > 0 {
			e.state.focus = cs[(at+1)%len(cs)].Name
		}
	case "Return", "Enter":
		if at < 0 {
			return
		}
		if !cs[at].field() {
			e.activate(cs[at])
			return
		}
		if i := slices.IndexFunc(cs, func(c Control) bool { return c.Type == "submit" }); i >= 0 {
			e.activate(cs[i])
		}
	}
}
