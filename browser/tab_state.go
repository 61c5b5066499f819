package browser

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	wire "github.com/cua-runner/cua-runner/browser/internal/cdp"
	"github.com/cua-runner/cua-runner/cua"
)

// tabState is what the events of a tab have told so far.
type tabState struct {
	// documents counts the script contexts that came to be, in all frames.
	documents int
	// seq counts navigation events; loading holds the frames that load and the seq at
	// which each began.
	seq     int
	loading map[cdp.FrameID]int
	// commits counts new documents and same-document navigations of the top frame.
	commits int
	url     string // of the top document
	loader  cdp.LoaderID
	status  int  // its HTTP status, 0 where there is none
	posted  bool // it was asked for by a request that may have changed the server
	// loaders are those of the documents that all frames show; statuses and methods those of the top
	// documents that were answered or asked for and are not shown yet.
	loaders  map[cdp.FrameID]cdp.LoaderID
	statuses map[cdp.LoaderID]int
	methods  map[cdp.LoaderID]string
	// navError is the net:: error of the document that is shown, failed the URL that could not
	// be loaded.
	navError, failed string
	undecoded        cdp.LoaderID            // of the last document whose body could not be read; "" is none
	netErrors        map[cdp.LoaderID]string // of document requests
	unauthorized     bool                    // the document asked for HTTP authentication
	signedIn         fetch.RequestID         // the request that was last given credentials
	partial          bool                    // the document was stopped before it was complete
	opened           int                     // windows asked for by the page
	dialog           *cua.Dialog
	dialogs          int // closed so far
	answering        int // dialogs that we answered ourselves and that are not closed yet
	alerts           []string
	crashed          bool
	shown            int            // documents of the tab since the action began
	breaks           map[string]int // crashes and hangs, by URL
	chooser          *page.EventFileChooserOpened
	denied           []string // URLs of top documents that the allow-list stopped
	requests         []request
	answeredWell     int // top documents of the same site since the last acting action began
	// scripts are those that the document asked for since the action began and that have not come:
	// one that is imported is in no element that could be watched.
	scripts map[network.RequestID]bool
}

// request is a request that may have changed the server.
type request struct {
	id       network.RequestID
	loader   cdp.LoaderID
	document bool
	write    cua.Write
}

// maxRequests caps what is kept of them between two observations.
const maxRequests = 200

func newTabState() tabState {
	return tabState{loading: map[cdp.FrameID]int{}, netErrors: map[cdp.LoaderID]string{},
		breaks: map[string]int{}, scripts: map[network.RequestID]bool{},
		loaders: map[cdp.FrameID]cdp.LoaderID{}, statuses: map[cdp.LoaderID]int{},
		methods: map[cdp.LoaderID]string{}}
}

// busy says whether a frame is loading that began to after seq.
func (st *tabState) busy(seq int) bool {
	for _, began := range st.loading {
		if began > seq {
			return true
		}
	}
	return false
}

// event follows the page session. It runs on the connection's reader and answers only by post.
func (t *tab) event(method string, params jsonv2.Value) {
	switch method {
	case page.JavascriptDialogOpening.Method:
		var e page.EventJavascriptDialogOpening
		if unpack(params, &e) {
			t.dialogOpened(e)
		}
	case page.JavascriptDialogClosed.Method:
		t.update(func(st *tabState) { st.dialog = nil; st.dialogs++; st.answering = max(0, st.answering-1) })
	case inspector.TargetCrashed.Method:
		t.crash()
	case page.WindowOpen.Method:
		t.update(func(st *tabState) { st.opened++ })
	case page.FileChooserOpened.Method:
		var e page.EventFileChooserOpened
		if unpack(params, &e) {
			t.update(func(st *tabState) { st.chooser = &e })
		}
	default:
		t.frameEvent(t.s, method, params)
	}
}

// frameEvent follows what can happen in the page and in each of its frames alike.
func (t *tab) frameEvent(s *wire.Session, method string, params jsonv2.Value) {
	switch method {
	case target.AttachedToTarget.Method:
		var e target.EventAttachedToTarget
		if unpack(params, &e) {
			t.attachFrame(s, e)
		}
	case target.DetachedFromTarget.Method:
		var e target.EventDetachedFromTarget
		if unpack(params, &e) {
			t.detachFrame(e.SessionID)
		}
	case inspector.TargetCrashed.Method:
		s.Fail(fmt.Errorf("%w: a frame", wire.ErrCrashed))
		t.note("the process of a frame crashed")
		t.owner.b.accuse(t.owner)
	case fetch.RequestPaused.Method:
		var e fetch.EventRequestPaused
		if unpack(params, &e) {
			t.judge(s, &e)
		}
	case fetch.AuthRequired.Method:
		var e fetch.EventAuthRequired
		if unpack(params, &e) {
			t.signIn(s, &e)
		}
	case network.RequestWillBeSent.Method, network.ResponseReceived.Method, network.LoadingFailed.Method:
		t.networkEvent(method, params)
	case network.LoadingFinished.Method:
		t.scriptCame(params)
	default:
		if stateEvents(method) {
			t.stateEvent(method, params)
			return
		}
		t.navigationEvent(method, params)
	}
}

// navigationEvent follows which documents load and which one is shown.
func (t *tab) navigationEvent(method string, params jsonv2.Value) {
	var f struct {
		FrameID cdp.FrameID `json:"frameId"`
	}
	began := func() {
		if unpack(params, &f) {
			t.update(func(st *tabState) {
				st.seq++
				if _, ok := st.loading[f.FrameID]; !ok {
					st.loading[f.FrameID] = st.seq
				}
			})
		}
	}
	switch method {
	case runtime.ExecutionContextCreated.Method:
		t.update(func(st *tabState) { st.documents++ })
	case page.FrameStartedLoading.Method:
		began()
	case page.FrameStoppedLoading.Method:
		if unpack(params, &f) {
			t.update(func(st *tabState) { st.seq++; delete(st.loading, f.FrameID) })
		}
	case page.FrameDetached.Method:
		// A frame that moves to another process is detached here and loads on there.
		var e page.EventFrameDetached
		if unpack(params, &e) && e.Reason == page.FrameDetachedReasonRemove {
			t.update(func(st *tabState) {
				st.seq++
				delete(st.loading, e.FrameID)
				delete(st.loaders,
					e.FrameID)
			})
		}
	case page.NavigatedWithinDocument.Method:
		var e page.EventNavigatedWithinDocument
		if unpack(params, &e) && e.FrameID == t.top() {
			t.update(func(st *tabState) { st.seq++; st.commits++; st.url = e.URL })
		}
	case page.FrameNavigated.Method:
		var e page.EventFrameNavigated
		if !unpack(params, &e) || e.Frame == nil {
			return
		}
		t.update(func(st *tabState) { st.loaders[e.Frame.ID] = e.Frame.LoaderID })
		if e.Frame.ID == t.top() {
			t.committed(e.Frame)
		}
	}
}

// top is the id of the top frame, which is that of the target.
func (t *tab) top() cdp.FrameID { return cdp.FrameID(t.id) }

// committed notes a new top document.
func (t *tab) committed(f *cdp.Frame) {
	way := t.owner.way()
	endless := false
	t.update(func(st *tabState) {
		st.seq++
		st.commits++
		st.shown++
		endless = st.shown > maxDocuments && len(t.owner.turn) > 0 // a person may go where he likes
		st.loader, st.url = f.LoaderID, f.URL+f.URLFragment
		st.navError, st.failed, st.partial = "", f.UnreachableURL, false
		if f.UnreachableURL != "" {
			st.url = f.UnreachableURL
			st.navError = cmp.Or(st.netErrors[f.LoaderID], "net::ERR_FAILED")
			st.explain(way)
		}
		st.status, st.posted = st.statuses[f.LoaderID], mutating(st.methods[f.LoaderID])
		clear(st.netErrors)
		clear(st.statuses)
		clear(st.methods)
	})
	if endless {
		t.owner.blame(faultGoesOn, "the page went on to more than %d documents in one step", maxDocuments)
	}
}

// networkEvent is what is read of an event of the network domain. Only the few fields that are needed are:
// pages make many requests.
type networkEvent struct {
	RequestID network.RequestID    `json:"requestId"`
	LoaderID  cdp.LoaderID         `json:"loaderId"`
	FrameID   cdp.FrameID          `json:"frameId"`
	Type      network.ResourceType `json:"type"`
	Document  string               `json:"documentURL"`
	ErrorText string               `json:"errorText"`
	Request   struct {
		Method string `json:"method"`
		URL    string `json:"url"`
	} `json:"request"`
	Redirect *struct {
		Status int `json:"status"`
	} `json:"redirectResponse"`
	Response struct {
		Status  int            `json:"status"`
		URL     string         `json:"url"`
		Headers map[string]any `json:"headers"`
	} `json:"response"`
}

// networkEvent follows document requests and requests that may change the server.
func (t *tab) networkEvent(method string, params jsonv2.Value) {
	var e networkEvent
	if !unpack(params, &e) {
		return
	}
	switch e.Type {
	case network.ResourceTypeDocument, network.ResourceTypeXHR, network.ResourceTypeFetch:
		t.update(func(st *tabState) {
			st.follow(method, &e, e.document() && e.FrameID == t.top())
			st.brokeOff(&e, t.top())
		})
	case network.ResourceTypeScript:
		switch {
		case method == network.RequestWillBeSent.Method && e.FrameID == t.top():
			t.update(func(st *tabState) { st.scriptAsked(&e) })
		case method == network.LoadingFailed.Method:
			t.scriptCame(params)
		}
	}
}

// document says whether e is of a request for a document.
func (e *networkEvent) document() bool { return e.Type == network.ResourceTypeDocument }

// follow takes in an event; top says that it is of the document of the tab itself.
func (st *tabState) follow(method string, e *networkEvent, top bool) {
	switch method {
	case network.RequestWillBeSent.Method:
		st.requested(e, top)
	case network.ResponseReceived.Method:
		st.responded(e, top)
	case network.LoadingFailed.Method:
		// The request of a document has the id of its loader.
		if e.document() {
			st.netErrors[cdp.LoaderID(e.RequestID)] = e.ErrorText
		}
	}
}

func (st *tabState) requested(e *networkEvent, top bool) {
	if e.Redirect != nil {
		st.answered(e.RequestID, e.Redirect.Status)
	}
	if top {
		st.unauthorized, st.methods[e.LoaderID] = false, e.Request.Method
	}
	if mutating(e.Request.Method) && len(st.requests) < maxRequests {
		if e.document() || sameSite(e.Request.URL, e.Document) {
			st.requests = append(st.requests, request{e.RequestID, e.LoaderID, e.document(),
				cua.Write{Method: e.Request.Method, URL: e.Request.URL}})
		}
	}
}

func (st *tabState) responded(e *networkEvent, top bool) {
	st.answered(e.RequestID, e.Response.Status)
	if !top {
		return
	}
	st.statuses[e.LoaderID] = e.Response.Status
	if e.Response.Status >= 200 && e.Response.Status < 400 && sameSite(e.Response.URL, st.url) {
		st.answeredWell++
	}
	st.unauthorized = e.Response.Status == 401 && hasHeader(e.Response.Headers, "www-authenticate")
}

// scriptAsked keeps a script that the document of the tab waits for.
func (st *tabState) scriptAsked(e *networkEvent) {
	if e.LoaderID == st.loader && len(st.scripts) < maxRequests { // a worker's own script has no loader
		st.scripts[e.RequestID] = true
	}
}

// scriptCame forgets a request that is over.
func (t *tab) scriptCame(params jsonv2.Value) {
	var e struct {
		RequestID network.RequestID `json:"requestId"`
	}
	if !unpack(params, &e) {
		return
	}
	t.mu.Lock()
	waited := t.st.scripts[e.RequestID]
	t.mu.Unlock()
	if waited {
		t.update(func(st *tabState) { delete(st.scripts, e.RequestID) })
	}
}

func mutating(method string) bool {
	return !slices.Contains([]string{"", "GET", "HEAD", "OPTIONS"}, method)
}

// sameSite says whether two addresses are of one host, or of a host and one below it.
func sameSite(a, b string) bool {
	p, err1 := url.Parse(a)
	q, err2 := url.Parse(b)
	if err1 != nil || err2 != nil {
		return false
	}
	x, y := p.Hostname(), q.Hostname()
	return x == y || strings.HasSuffix(x, "."+y) || strings.HasSuffix(y, "."+x)
}

func hasHeader(headers map[string]any, name string) bool {
	for k := range headers {
		if strings.EqualFold(k, name) {
			return true
		}
	}
	return false
}

func (st *tabState) answered(id network.RequestID, status int) {
	for i := range st.requests {
		if st.requests[i].id == id && st.requests[i].write.Status == 0 {
			st.requests[i].write.Status = status
			return
		}
	}
}

func (t *tab) url() (u string) {
	t.look(func(st *tabState) { u = st.url })
	return u
}
