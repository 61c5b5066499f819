package browser

import (
	"context"
	"time"

	"github.com/chromedp/cdproto/page"

	"github.com/cua-runner/cua-runner/cua"
)

// unasked says whether we accept a dialog of that type ourselves, at once.
func unasked(typ page.DialogType) bool {
	return typ == page.DialogTypeAlert || typ == page.DialogTypeBeforeunload
}

// dialogOpened accepts what needs no answer and shows the rest to the brain.
func (t *tab) dialogOpened(e page.EventJavascriptDialogOpening) {
	if unasked(e.Type) {
		storm := false
		t.update(func(st *tabState) {
			st.answering++
			if e.Type == page.DialogTypeAlert {
				st.alerts = append(st.alerts, cua.ClipBytes(e.Message, maxMessage))
			}
			storm = len(st.alerts) > maxAlerts
		})
		if storm {
			t.owner.blame(faultAlerts, "the page showed more than %d alerts", maxAlerts)
			return
		}
		if e.Type == page.DialogTypeAlert {
			_ = t.s.Post(page.HandleJavaScriptDialog.Method, page.HandleJavaScriptDialogParams{Accept: true},
				nil)
		} else {
			t.owner.spawn(t.leave)
		}
		return
	}
	t.update(func(st *tabState) {
		st.dialog = &cua.Dialog{Type: string(e.Type), Message: cua.ClipBytes(e.Message, maxMessage),
			Default: cua.ClipBytes(e.DefaultPrompt, maxMessage)}
	})
	t.mu.Lock()
	cancel := t.interrupt
	t.mu.Unlock()
	if cancel != nil {
		cancel(errDialog)
	}
}

// leaveAgain is how long it may take until the answer to a question whether the page may be left has
// closed it; then the answer is said again.
const leaveAgain = time.Second

// leave says that the page may be left. A navigation waits for it, so it has a deadline of its own and
// more than one try. (Other dialogs have one try: a second one could answer a dialog that came after.)
func (t *tab) leave() {
	var closed int
	t.look(func(st *tabState) { closed = st.dialogs })
	for range maxReads {
		_ = t.s.Post(page.HandleJavaScriptDialog.Method, page.HandleJavaScriptDialogParams{Accept: true}, nil)
		limit, cancel := context.WithTimeout(t.owner.ctx, leaveAgain)
		done := t.until(limit, func(st *tabState) bool { return st.dialogs > closed })
		cancel()
		if done || !t.alive() || t.owner.ctx.Err() != nil {
			return
		}
	}
}

// maxMessage caps the text of a dialog, in bytes: it is the page's and may be long.
const maxMessage = 2000
