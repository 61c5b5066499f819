package browser

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"github.com/cua-runner/cua-runner/cua"
)

// siteFault is what a page has done that ends the episode: it is no fault of the browser or of the machine.
type siteFault struct {
	name   string // one of those below
	detail string
}

// The site faults.
const (
	faultCrash   = "crash"      // the page crashed again after it was reloaded
	faultHung    = "hung"       // the page hung again after it was interrupted
	faultUnread  = "unreadable" // the page cannot be read: it is broken
	faultAlerts  = "alerts"     // more than maxAlerts since the last observation
	faultWindows = "windows"    // more than maxWindows since the last observation
	faultGoesOn  = "navigation" // more than maxDocuments in one step, or none that stays
	faultMemory  = "memory"     // the browser was over its cap, and this page held the most
	faultAnswer  = "answer"     // the server's answer to the start page is none
)

const (
	// maxAlerts is how many alerts a page may show between two observations: a person has closed the tab by
	// then.
	maxAlerts = 100
	// maxDocuments is how many documents a tab may show in one step: a sign-in goes through fewer.
	maxDocuments = 20
	// maxWindows is how many windows a page may open between two observations.
	maxWindows = 20
)

// pageFaults are what a session knows of the faults of its page.
type pageFaults struct {
	blamed  *siteFault // what the page did that ended the episode; nil is nothing
	windows int        // that the page has opened since the last observation
}

func (f *siteFault) Error() string { return f.name + ": " + f.detail }

// failure is f as the failure of a step.
func (f *siteFault) failure() *cua.Failure {
	return &cua.Failure{Kind: cua.FailSite, Detail: cua.ClipBytes(f.Error(), 300)}
}

// blame ends the episode by a fault of its page: what is under way fails at once, and no tab comes any more.
// The first one counts.
func (s *Session) blame(name, format string, args ...any) {
	s.mu.Lock()
	if s.blamed == nil && !s.closed {
		s.blamed = &siteFault{name, fmt.Sprintf(format, args...)}
		s.signal()
	}
	why, tabs := s.blamed, s.tabs
	s.mu.Unlock()
	if why == nil {
		return
	}
	for _, t := range tabs {
		t.fail(why)
	}
}

// guilt is the site fault that has ended the episode; nil is none.
func (s *Session) guilt() *siteFault {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.blamed
}

// faulted is the outcome of a step that a fault of the page has ended.
func (s *Session) faulted(w *settling, out cua.Outcome, f *siteFault) cua.Outcome {
	s.note("site fault: " + f.name)
	return s.lost(w, out, f.failure())
}

// badAnswers are the errors of a document that only what its server answered can cause.
var badAnswers = map[string]bool{"net::ERR_TOO_MANY_REDIRECTS": true, "net::ERR_UNSAFE_REDIRECT": true,
	"net::ERR_INVALID_REDIRECT": true, "net::ERR_INVALID_RESPONSE": true, "net::ERR_INVALID_HTTP_RESPONSE": true,
	"net::ERR_CONTENT_DECODING_FAILED": true, "net::ERR_RESPONSE_HEADERS_TOO_BIG": true}

// brokeOff records that the body of a document could not be read. If the answer is to blame, the document is
// not shown and there is no load event, so nothing may wait for one.
func (st *tabState) brokeOff(e *networkEvent, top cdp.FrameID) {
	if loader := cdp.LoaderID(e.RequestID); e.document() && loader == st.loader &&
		badAnswers[e.ErrorText] {
		st.seq++
		st.undecoded, st.navError, st.failed = loader, e.ErrorText, st.url
		delete(st.loading, top)
	}
}

// errEndless is the error of a page none of whose documents stays long enough to be read.
var errEndless = errors.New("the page navigates without end")

// errHung is the error of a page that does not answer while its document loads.
var errHung = fmt.Errorf("the document does not answer while it loads: %w", context.DeadlineExceeded)

const (
	// hangCheck is how long a document may load before it is asked whether its scripts run.
	hangCheck = 2 * time.Second
	// hangTimeout is how long the answer may take.
	hangTimeout = 5 * time.Second
)

// answering is ctx that also ends, with errHung as its cause, where the document that is shown stops
// answering. One that waits for the next document answers nothing either way, and is not asked.
func (t *tab) answering(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	leaving := func() (yes bool) {
		t.look(func(st *tabState) { yes = len(st.methods) > 0 || st.dialog != nil || st.answering > 0 })
		return yes
	}
	go func() {
		for {
			timer := time.NewTimer(hangCheck)
			select {
			case <-timer.C:
			case <-ctx.Done():
				timer.Stop()
				return
			}
			if leaving() {
				continue
			}
			limit, done := context.WithTimeout(ctx, hangTimeout)
			_, err := cdp.Call(limit, t.s, runtime.Evaluate, runtime.EvaluateParams{Expression: "0"})
			done()
			if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil && !leaving() {
				cancel(errHung)
				return
			}
		}
	}()
	return ctx, func() { cancel(nil) }
}
