package recovery

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// Done refuses a done that claims success too early. It checks the codes in the order of cua.DoneCode's
// constants. It never refuses a done with success=false, and never asks a task's own validator.
type Done struct{ Config DoneConfig }

// Name is "done".
func (Done) Name() string { return "done" }

// Review refuses with the first code that applies; after MaxRefusals refusals it halts with
// EndDoneUnverified.
func (g Done) Review(t *cua.Turn, p cua.Proposal) cua.Ruling {
	if p.Failure != nil || p.Action.Kind != cua.Done || !p.Action.Success {
		return pass(g.Name())
	}
	code, detail, evidence := g.fault(t, p)
	if code == "" {
		return pass(g.Name())
	}
	refused := 0
	for _, s := range fresh(t.History) {
		if s.DoneRejected != "" {
			refused++
		}
	}
	r := rule(g.Name(), cua.Refuse, string(code), evidence, "done was not accepted: %s", detail)
	if refused >= g.Config.MaxRefusals {
		r.Verdict, r.End = cua.Halt, cua.EndDoneUnverified
		r.Detail = fmt.Sprintf("done was claimed again after %d refusals: %s", refused, detail)
	}
	return r
}

func (g Done) fault(t *cua.Turn, p cua.Proposal) (code cua.DoneCode, detail string, evidence []int) {
	if strings.TrimSpace(p.Action.Text) == "" {
		return cua.EmptySummary, "the answer is empty; say what was done", nil
	}
	if n := len(t.Task.Plan); n > 0 && !holds(t.Task.Plan[n-1], t.Now) {
		last := cua.OneLine(t.Task.Plan[n-1].Text)
		return cua.PlanStepsIncomplete, "the last step of the plan does not show yet: " + last, nil
	}
	if pending := t.Form.Pending(); len(pending) > 0 {
		var labels []string
		for _, v := range pending {
			labels = append(labels, cua.OneLine(v.Label))
		}
		return cua.PendingFormValues, fmt.Sprintf("%d planned values are not in the page yet: %s",
			len(pending), strings.Join(labels, ", ")), nil
	}
	if detail, evidence := formShowsError(t); detail != "" {
		return cua.FormShowsError, detail, evidence
	}
	for _, name := range t.Task.OutputFields {
		if cua.HoldsWords(name, name) && !cua.HoldsWords(p.Action.Text, name) { // false for symbols alone
			detail := fmt.Sprintf("the answer does not say %q", cua.OneLine(name))
			return cua.SummaryMissingRequiredFields, detail, nil
		}
	}
	if evidence := g.waitedWithoutChange(t); evidence != nil {
		detail := fmt.Sprintf("the last %d steps waited and nothing changed", g.Config.Waits)
		return cua.NoObservedDeltaAfterWaits, detail, evidence
	}
	if detail, evidence := g.noProgress(t); detail != "" {
		return cua.NoProgressInWindow, detail, evidence
	}
	if what := t.ChangedSince(p.Target); what != "" {
		return cua.StaleDone, "the page has changed since it was shown (" + what + "); look at it again", nil
	}
	return "", "", nil
}

// formShowsError says that the form that was sent last is still there and may not have been accepted; "" is
// no. It uses structure and no words: a field is invalid, the answer has an error status, or there is new
// text in or beside a form that kept its content. The status alone cannot distinguish a form that reports
// success from one that redirects to itself with an error.
func formShowsError(t *cua.Turn) (detail string, evidence []int) {
	var send, first *cua.Send
	for _, s := range slices.Backward(t.Evidence.Sends) {
		if s.Interrupted || s.ByScript { // no step to compare with, or not known to be a form's send
			continue
		}
		if send != nil && !s.SameForm(*send) { // text of the first answer is not new in the second
			break
		}
		first = s
		if send == nil {
			send = s
		}
	}
	if send == nil || send.Step < t.History.Fresh() {
		return "", nil
	}
	s, before, start := &t.History.Steps[send.Step], t.History.Before(send.Step), t.History.Before(first.Step)
	was, is := start.FormOf(first.Form, first.Frame), send.FormIn(&before, &t.Now)
	if was == nil || is == nil {
		return "", nil
	}
	found := func(what string) (string, []int) {
		return fmt.Sprintf("the form that was sent in step %d is still there, and %s", s.N, what), []int{s.N}
	}
	invalid := func(f cua.Field) bool { return f.Form == is.ID && f.Frame == is.Frame && f.Invalid != "" }
	if i := slices.IndexFunc(t.Now.Fields, invalid); i >= 0 {
		return found(named(&t.Now.Fields[i]) + " is shown as invalid")
	}
	opened, failed := s.After.Document != before.Document, func(w cua.Write) bool { return w.Status >= 400 }
	switch {
	case opened && s.After.Status >= 400, slices.ContainsFunc(s.After.Writes, failed):
		return found("it was answered with an error")
	case opened && len(s.After.Writes) == 0, send.Emptied(&t.Now, is): // a search, or the next entry
	case added(was.Texts, is.Texts) || added(start.Notices, t.Now.Notices):
		return found("there is new text in or beside it; read it; correct what it says is wrong, or open " +
			"the page again and see that it was taken")
	}
	return "", nil
}

func added(before, now []string) bool {
	return slices.ContainsFunc(now, func(s string) bool { return !slices.Contains(before, s) })
}

// noProgress says that none of the last Window acting steps had an effect; "" is no, or everything was sent.
// If there are fewer steps it counts against the first done only, because the answer may have been on the
// page from the start.
func (g Done) noProgress(t *cua.Turn) (detail string, evidence []int) {
	insists := slices.ContainsFunc(fresh(t.History), func(s cua.Step) bool { return s.DoneRejected != "" })
	acting, n := t.Evidence.LastActing(g.Config.Window), g.Config.Window
	if !insists {
		n = max(1, min(n, len(acting)))
	}
	last := idle(acting, n)
	if last == nil || sent(t) {
		return "", nil
	}
	return fmt.Sprintf("none of the last %d actions had an effect; look at the page again", n), numbers(last)
}

// sent says that all planned values were filled in, sent and accepted. Later presses without effect do not
// change that.
func sent(t *cua.Turn) bool {
	return t.Form.AllLanded() && slices.ContainsFunc(cua.Live(fresh(t.History)), func(s cua.Step) bool {
		return slices.ContainsFunc(s.After.Writes, cua.Write.OK)
	})
}

func holds(s cua.PlanStep, o cua.Observation) bool {
	titled := strings.Contains(strings.ToLower(o.Title), strings.ToLower(s.Title))
	return titled && strings.Contains(o.URL, s.URL)
}

// waitedWithoutChange are the last Waits steps if all of them waited and nothing changed; nil otherwise.
func (g Done) waitedWithoutChange(t *cua.Turn) []int {
	samples := t.Evidence.Samples[t.History.Fresh():]
	last := samples[max(0, len(samples)-g.Config.Waits):]
	for _, s := range last {
		waited := s.Step.Action != nil && s.Step.Action.Kind == cua.Wait
		if len(last) < g.Config.Waits || !waited || s.Progress || s.Before != s.After {
			return nil
		}
	}
	return numbers(last)
}
