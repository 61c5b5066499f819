package mcp

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// Result.Effect if there is no list.
const (
	effectNone    = "none"
	effectUnknown = "unknown"
)

// make makes the steps of an order and says what became of them.
func (s *seat) make(ctx context.Context, o order) (*Result, error) {
	p := s.play
	before, made := p.now.turn.Now, len(p.steps)
	for i, a := range o.actions {
		n := len(p.steps)
		err := p.order(ctx, cua.Decision{Action: a, By: by, Thought: o.about, Continues: i > 0})
		if err != nil {
			return nil, err
		}
		if len(p.steps) == n || p.now.turn == nil {
			break // it was cut, or the episode ended or paused
		}
		last := &p.steps[len(p.steps)-1]
		asAsked := last.HasAction() && last.Failure == nil && !last.Substituted()
		if !asAsked || o.enough != nil && o.enough(last) {
			break
		}
	}
	return s.result(o, p.steps[made:], &before), nil
}

// result says what became of steps, and what the episode waits for now. before is the page before them.
func (s *seat) result(o order, steps []cua.Step, before *cua.Observation) *Result {
	p := s.play
	r := &Result{Session: s.name, Step: len(p.steps), Outcome: Done}
	if before != nil && len(steps) == 0 {
		r.Outcome, r.Detail = Failed, "The browser ended meanwhile. Whether the action was done is unknown: "+
			"look at the page before you repeat it."
	}
	for i := range steps {
		r.step(&steps[i], i == len(steps)-1)
	}
	switch {
	case p.now.over:
		r.Ended = string(p.result.TerminationReason)
		if p.err != nil {
			r.Outcome, r.Detail = Failed, p.err.Error()
		} else if r.Ended != string(cua.EndDone) && r.Ended != string(cua.EndDoneFailed) {
			r.Outcome, r.Detail = Failed, strings.TrimSpace(r.Detail+" "+p.result.Why)
		}
		r.Did += when(r.Did != "", ". ") + "Journal: " + p.dir
		s.play = nil
		return r
	case p.now.card != nil:
		q := s.paused()
		q.Asked, q.Signals = r.Asked, r.Signals
		return q
	}
	s.turn(r, o, before)
	return r
}

// turn adds what the next turn shows: notes, signals, the page.
func (s *seat) turn(r *Result, o order, before *cua.Observation) {
	t := s.play.now.turn
	for _, n := range t.Notes {
		r.Notes = append(r.Notes, n.Text)
	}
	for _, sig := range t.Signals {
		if sig.Level.AtLeast(cua.Soft) {
			r.Signals = append(r.Signals, string(sig.Shape)+":"+string(sig.Level))
		}
	}
	if t.Incident != nil {
		r.Incident = &Incident{ID: t.Incident.ID, Steps: t.Incident.Steps()}
	}
	r.Next = s.next(t)
	now := &t.Now
	r.Page = &Page{URL: now.URL, Title: clip(now.Title, 100), Tab: max(now.Tab-1, 0), Tabs: now.Tabs}
	if f := now.Focus; f != nil {
		e := element{role: f.Role, name: clip(f.Label+when(f.Label == "", f.Name), 80)}
		r.Page.Focus = e.words() + " [ref=" + s.refs.of(now, f.ID) + "]"
	}
	if d := now.Dialog; d != nil {
		r.Page.Dialog = d.Type + ": " + clip(d.Message, 200)
	}
	switch {
	case o.show == showShot && len(t.Frames) > 0:
		r.shot = &t.Frames[len(t.Frames)-1]
	case o.show == showElements, before != nil && before.Document != now.Document:
		r.snapshot(s, o.find)
	case before != nil:
		r.Changes = s.changes(before, now)
	}
}

// step adds a step. last says that no other follows.
func (r *Result) step(st *cua.Step, last bool) {
	who := element{role: st.Target.Role, name: st.Target.Name}
	ruled, _ := st.Ruled()
	asked := asked(st.Proposed, who)
	switch {
	case st.Substituted():
		r.Outcome, r.Code, r.Gate = Substituted, ruled.Reason, ruled.Gate
		r.Did = joined(r.Did, did(*st.Action, element{}))
	case st.Failure != nil && st.Failure.Kind == cua.FailEnv:
		r.Outcome, r.Code, r.Did = Failed, string(st.Failure.Kind), joined(r.Did, "The call was cut off")
	case st.Failure != nil && !st.HasAction():
		r.Outcome, r.Code, r.Gate = Refused, string(st.Failure.Kind), ruled.Gate
		if ruled.Verdict == cua.Refuse {
			r.Code = ruled.Reason
		}
	case st.Failure != nil:
		r.Outcome, r.Code = Failed, string(st.Failure.Kind)
	case st.HasAction():
		r.Did = joined(r.Did, did(st.Proposed, who))
	}
	if last || r.Outcome != Done {
		r.Asked = asked
	}
	if acts := st.Acting(); acts && st.Effect == nil {
		r.Effect = effectUnknown
	} else if acts && st.Effect.Any() {
		r.Effect = strings.Join(kinds(st.Effect.Progress), ", ")
	} else if acts {
		r.Effect = effectNone
	}
	if st.Proposed.Kind != cua.Extract || st.Failure != nil { // the snapshot has the text
		r.Detail = st.Feedback
		if st.Substituted() { // Did says the first part of it
			_, r.Detail, _ = strings.Cut(st.Feedback, "; ")
		}
		if st.Failure != nil && st.Failure.Kind == cua.FailEnv {
			r.Outcome, r.Effect, r.Detail = Failed, effectUnknown, browserEnded+r.Detail
		}
		r.Detail = clipLines(r.Detail, 1000)
	} else {
		r.Snapshot = st.Feedback
	}
}

// browserEnded is said where the browser ended and the episode goes on in another one.
const browserEnded = "The browser ended during the call. Whether the action was done is unknown. Another " +
	"browser shows the page of the newest checkpoint: look at it before you repeat the call. "

func kinds(changes []cua.Change) (out []string) {
	for _, c := range changes {
		out = append(out, string(c))
	}
	return out
}

func joined(before, next string) string {
	if before == "" {
		return next
	}
	return before + ", then " + strings.ToLower(next[:1]) + next[1:]
}

// clipLines is text of at most n bytes.
func clipLines(text string, n int) string { return cua.ClipBytes(strings.TrimSpace(text), n) }

// verbs are the kinds in words: to do it, and that it was done. The details of the action follow.
var verbs = map[cua.Kind][2]string{
	cua.Click: {"click", "Clicked"}, cua.DoubleClick: {"double-click", "Double-clicked"},
	cua.RightClick: {"right-click", "Right-clicked"}, cua.MiddleClick: {"middle-click", "Middle-clicked"},
	cua.Hover: {"hover over", "Hovered over"}, cua.Drag: {"drag", "Dragged"},
	cua.Type: {"type into", "Typed into"}, cua.Key: {"press", "Pressed"}, cua.Scroll: {"scroll", "Scrolled"},
	cua.Navigate: {"open", "Opened"}, cua.Back: {"go back", "Went back"}, cua.Wait: {"wait", "Waited"},
	cua.Reload: {"reload the page", "Reloaded the page"}, cua.Select: {"select in", "Selected in"},
	cua.Upload: {"give files to", "Gave files to"}, cua.NewTab: {"open a tab", "Opened a tab"},
	cua.SwitchTab: {"switch the tab", "Switched the tab"}, cua.CloseTab: {"close the tab", "Closed the tab"},
	cua.AnswerDlg: {"answer the dialog", "Answered the dialog"}, cua.Rewind: {"go back", "Went back"},
	cua.Done: {"accept that the task is done", "Done"}, cua.Observe: {"look", "Looked at the page"},
	cua.Find: {"search the page", "Searched the page"}, cua.Extract: {"read the page", "Read the page"},
}

func asked(a cua.Action, on element) string { return spoken(a, on, 0) }

func did(a cua.Action, on element) string { return spoken(a, on, 1) }

func spoken(a cua.Action, on element, i int) string {
	verb := verbs[a.Kind][i]
	if verb == "" {
		verb = string(a.Kind)
	}
	switch a.Kind {
	case cua.Key:
		return verb + " " + a.Keys
	case cua.Navigate:
		return verb + " " + clip(cua.PublicURL(a.URL), 120)
	case cua.Rewind:
		return verb + " to before step " + strconv.Itoa(a.Step)
	case cua.Click, cua.DoubleClick, cua.RightClick, cua.MiddleClick, cua.Hover, cua.Drag, cua.Type,
		cua.Select, cua.Upload:
		if on.role == "" && on.name == "" {
			return verb + " " + when(a.Kind == cua.Type || a.Kind == cua.Select, "the field") +
				when(a.Kind != cua.Type && a.Kind != cua.Select, "the element")
		}
		return verb + " " + on.words()
	}
	return verb
}

// maxSnapshot bounds a snapshot, bytes.
const maxSnapshot = 6000

// snapshot lists the elements whose name contains find. The page's text in r follows.
func (r *Result) snapshot(s *seat, find string) {
	now := &s.play.now.turn.Now
	text := r.Snapshot
	room := maxSnapshot - min(len(text), maxSnapshot/3)
	var b strings.Builder
	left := 0
	for _, e := range elements(now) {
		if find != "" && !strings.Contains(strings.ToLower(e.name), strings.ToLower(find)) {
			continue
		}
		line := s.line(now, e) + "\n"
		if b.Len()+len(line) > room-200 {
			left++
			continue
		}
		b.WriteString(line)
	}
	if left > 0 {
		fmt.Fprintf(&b, "- %d more elements: browser_find finds them\n", left)
	}
	if below := now.Scroll.MaxY - now.Scroll.Y; below >= 1 && find == "" {
		fmt.Fprintf(&b, "- %.0f px of the page are below: browser_scroll\n", below)
	}
	if text != "" {
		b.WriteString("Text:\n" + text)
	}
	r.Snapshot = clipLines(b.String(), maxSnapshot)
}

func (s *seat) line(o *cua.Observation, e element) string {
	return "- " + e.words() + " [ref=" + s.refs.of(o, e.id) + "]" + e.state
}

// maxChanges bounds the lines of a change.
const maxChanges = 8

// changes are the elements that came, went or changed between two pages of one document.
func (s *seat) changes(before, now *cua.Observation) (out []string) {
	was := map[string]element{}
	for _, e := range elements(before) {
		was[e.id] = e
	}
	for _, e := range elements(now) {
		old, ok := was[e.id]
		delete(was, e.id)
		switch {
		case !ok:
			out = append(out, "+"+s.line(now, e)[1:])
		case old.state != e.state || old.name != e.name:
			out = append(out, "~"+s.line(now, e)[1:])
		}
	}
	for _, e := range elements(before) {
		if _, gone := was[e.id]; gone {
			out = append(out, "-"+s.line(before, e)[1:])
		}
	}
	if more := len(out) - maxChanges; more > 0 {
		out = append(out[:maxChanges], fmt.Sprintf("… and %d more: browser_snapshot", more))
	}
	return out
}

// paused says why the episode waits and how the client can go on. Going back is offered once: a client that
// follows each offer would go back and come here again, to the cap on steps.
func (s *seat) paused() *Result {
	c := s.play.now.card
	r := &Result{Session: s.name, Step: c.Step, Outcome: Paused, Code: string(c.Reason), card: c,
		Detail: "Paused after " + strconv.Itoa(c.Step) + " steps: " + sentence(clipLines(c.Detail, 500)) +
			" Ask the person you work for. browser_rollback goes back; browser_close ends it."}
	if c.Refused != nil {
		r.Detail += " Going back was refused: " + string(c.Refused.Error) + "."
	}
	for _, choice := range c.Choices {
		if choice.Step > 0 && len(choice.Crosses) == 0 && !s.play.back {
			r.Next = append(r.Next, Call{"browser_rollback", map[string]any{"step": choice.Step}, "rewind"})
		}
	}
	r.Next = append(r.Next, Call{"browser_close", map[string]any{}, "stop"})
	return r
}

// sentence is text with an end.
func sentence(text string) string { return text + when(!strings.HasSuffix(text, "?"), ".") }

// next are the substitutions that were ruled in shadow about the last step.
func (s *seat) next(t *cua.Turn) (out []Call) {
	if len(t.History.Steps) == 0 {
		return nil
	}
	last := &t.History.Steps[len(t.History.Steps)-1]
	for _, r := range last.Rulings {
		if r.Verdict != cua.Replace || !r.Shadow || r.Dropped || r.Action == nil {
			continue
		}
		c, ok := s.callOf(*r.Action, t)
		if ok && !slices.ContainsFunc(out, func(o Call) bool { return o.Tool == c.Tool }) {
			c.Why = r.Reason
			out = append(out, c)
		}
	}
	return out
}

// callOf is the call that makes a step of a; false if no tool does.
func (s *seat) callOf(a cua.Action, t *cua.Turn) (Call, bool) {
	now := &t.Now
	id := a.Into
	if id == "" && a.Point != nil {
		for _, e := range elements(now) {
			if e.box.Contains(*a.Point) {
				id = e.id
			}
		}
	}
	if id == "" && a.Kind == cua.Type && now.Focus != nil {
		id = now.Focus.ID
	}
	args := map[string]any{}
	if id != "" {
		args["target"] = s.refs.of(now, id)
	}
	switch a.Kind {
	case cua.Key:
		args["key"] = a.Keys
		return Call{Tool: "browser_press_key", Arguments: args}, true
	case cua.Scroll:
		return Call{Tool: "browser_scroll", Arguments: map[string]any{"dx": a.DX, "dy": a.DY}}, true
	case cua.Reload:
		return Call{Tool: "browser_navigate", Arguments: map[string]any{"url": now.URL}}, true
	case cua.Rewind:
		return Call{Tool: "browser_rollback", Arguments: map[string]any{"step": a.Step}}, true
	case cua.Click:
		return Call{Tool: "browser_click", Arguments: args}, id != ""
	case cua.Type:
		args["text"] = a.Text
		return Call{Tool: "browser_type", Arguments: args}, id != ""
	case cua.Select:
		args["values"] = []string{a.Text}
		return Call{Tool: "browser_select_option", Arguments: args}, id != ""
	}
	return Call{}, false
}
