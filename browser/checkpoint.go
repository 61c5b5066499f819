package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/domstorage"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/storage"

	"github.com/cua-runner/cua-runner/cua"
)

// keptRaw is what one document must be given back, with its values in clear: it never leaves this package.
type keptRaw struct {
	Origin   string            `json:"origin"`
	X        float64           `json:"x"`
	Y        float64           `json:"y"`
	Boxes    []cua.ScrolledBox `json:"boxes"`
	Controls []controlRaw      `json:"controls"`
	Entry    int               `json:"entry"`
	Entries  int               `json:"entries"`
	Cookies  string            `json:"cookies"` // a digest over those that scripts see
	Stored   *storedRaw        `json:"stored"`  // nil when it was not asked for and has been told
}

type storedRaw struct {
	Local   map[string]string `json:"local"`
	Session map[string]string `json:"session"`
}

type controlRaw struct {
	Key      string   `json:"key"`
	Alt      string   `json:"alt"`
	Kind     string   `json:"kind"`
	Type     string   `json:"type"`
	Auto     string   `json:"auto"`
	Value    string   `json:"value"`
	On       bool     `json:"on"`
	Chosen   []string `json:"chosen"`
	Withheld bool     `json:"withheld"`
}

// keptFrame is what one document of a read told.
type keptFrame struct {
	path, url, doc string
	*keptRaw
}

// keptBy lists what the answers of a read tell, the top document first.
func keptBy(all []probeRaw) []keptFrame {
	var out []keptFrame
	for i := range all {
		for _, q := range all[i].flatten() {
			if q.Kept != nil {
				out = append(out, keptFrame{q.Path, q.URL, q.Doc, q.Kept})
			}
		}
	}
	return out
}

// keeping is what a tab remembers of its checkpoints: what is stored is read again only after it
// changed. The browser reports each change (DOMStorage events) before it answers the next look.
type keeping struct {
	changes int                        // of storage so far, by events; under tab.mu
	read    int                        // changes when it was read last
	stores  map[string]cua.OriginStore // by origin, sealed
	docs    map[string]string          // the document that told each
}

// jar is what a session remembers of its cookies: they are read again only after an answer set some, or
// where a document sees others than at the look before.
type jar struct {
	sets    int    // answers that set cookies so far; under Session.mu
	seen    string // sets, and what the documents saw, when they were read last
	cookies []cua.Cookie
	known   bool
}

// stateEvent counts what makes storage or cookies worth another look. It runs on the connection's reader.
func (t *tab) stateEvent(method string, params jsonv2.Value) {
	if method != network.ResponseReceivedExtraInfo.Method {
		t.mu.Lock()
		t.keep.changes++
		t.mu.Unlock()
		return
	}
	var e struct {
		Headers map[string]any `json:"headers"`
	}
	if unpack(params, &e) && hasHeader(e.Headers, "set-cookie") {
		t.owner.mu.Lock()
		t.owner.jar.sets++
		t.owner.mu.Unlock()
	}
}

// stateEvents are the events that stateEvent reads.
func stateEvents(method string) bool {
	switch method {
	case network.ResponseReceivedExtraInfo.Method, domstorage.DomStorageItemAdded.Method,
		domstorage.DomStorageItemRemoved.Method, domstorage.DomStorageItemUpdated.Method,
		domstorage.DomStorageItemsCleared.Method:
		return true
	}
	return false
}

// keeps says what the next look has to ask for: see probeArgs.Keep.
func (t *tab) keeps() int {
	if t.owner.opts.NoState {
		return 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.keep.changes == t.keep.read {
		return 1
	}
	t.keep.read = t.keep.changes
	return 2
}

// checkpoint is what the look before must be given back; nil when nothing was asked for. It rides on
// that look: the browser itself is asked only for cookies, and only when they changed, while the frame is
// being taken.
func (s *Session) checkpoint(ctx context.Context, t *tab) *cua.PageState {
	kept := t.probe.kept
	if len(kept) == 0 || kept[0].path != "" {
		return nil
	}
	seal := newSealer(s.opts.Secrets)
	p := &cua.PageState{URL: seal.text(kept[0].url), Entry: kept[0].Entry, Entries: kept[0].Entries}
	t.keep.told(kept, seal)
	origins := map[string]bool{}
	for _, k := range kept {
		p.Frames = append(p.Frames, frameState(k, seal))
		store, ok := t.keep.stores[k.Origin]
		if !origins[k.Origin] && ok && k.Origin != "null" {
			p.Stores = append(p.Stores, store)
		}
		origins[k.Origin] = true
	}
	p.DigestKey = s.digests.now()
	p.Cookies = s.cookies(ctx, kept, seal)
	p.Tabs, p.Tab = s.openTabs(t, seal)
	return p
}

// told takes over what was stored as far as the documents told it. A document that should have and did
// not (its answer was lost) is asked again the next time.
func (k *keeping) told(frames []keptFrame, seal sealer) {
	if k.stores == nil {
		k.stores, k.docs = map[string]cua.OriginStore{}, map[string]string{}
	}
	for _, f := range frames {
		switch {
		case f.Stored != nil:
			k.stores[f.Origin] = cua.OriginStore{Origin: f.Origin, Local: seal.all(f.Stored.Local),
				Session: seal.all(f.Stored.Session)}
			k.docs[f.Origin] = f.doc
		case k.docs[f.Origin] == "":
			k.read = -1
		}
	}
}

func frameState(k keptFrame, seal sealer) cua.FrameState {
	out := cua.FrameState{Path: k.path, Origin: k.Origin, X: k.X, Y: k.Y, Boxes: k.Boxes}
	for _, c := range k.Controls[:min(len(k.Controls), maxFields)] {
		out.Controls = append(out.Controls, c.state(seal))
	}
	return out
}

// state is c without what must not be kept: a known secret becomes its name, a password that is none is left
// out.
func (c controlRaw) state(seal sealer) cua.ControlState {
	out := cua.ControlState{Key: seal.text(c.Key), Alt: seal.text(c.Alt), Kind: c.Kind, On: c.On,
		Withheld: c.Withheld}
	for _, v := range c.Chosen {
		out.Chosen = append(out.Chosen, seal.text(v))
	}
	if out.Value, out.Mask = seal.named(c.Type, c.Value); out.Value != "" {
		return out
	}
	if (cua.Field{Type: c.Type, Autocomplete: strings.ToLower(c.Auto)}).Sensitive() && c.Value != "" {
		out.Withheld = true
		return out
	}
	out.Value = seal.text(c.Value)
	return out
}

// cookies are those of the whole session, read again only when something says that they changed; nil when
// they cannot be read. A cookie that no script can see, set by an answer whose headers are reported after the
// look, is in the next checkpoint.
func (s *Session) cookies(ctx context.Context, kept []keptFrame, seal sealer) []cua.Cookie {
	s.mu.Lock()
	seen := fmt.Sprint(s.jar.sets)
	s.mu.Unlock()
	for _, k := range kept {
		seen += " " + k.Origin + " " + k.Cookies
	}
	if s.jar.known && s.jar.seen == seen {
		return s.jar.cookies
	}
	got, err := s.readCookies(ctx, seal)
	s.jar.seen, s.jar.cookies, s.jar.known = seen, got, err == nil
	if err != nil {
		s.note("cookies: " + err.Error())
	}
	return s.jar.cookies
}

func (s *Session) readCookies(ctx context.Context, seal sealer) ([]cua.Cookie, error) {
	res, err := cdp.Call(ctx, s.b.root, storage.GetCookies, storage.GetCookiesParams{BrowserContextID: s.id})
	if err != nil {
		return nil, err
	}
	out := []cua.Cookie{}
	for _, c := range res.Cookies {
		k := cua.Cookie{Name: c.Name, Value: seal.text(c.Value), Domain: c.Domain, Path: c.Path,
			Secure: c.Secure, HTTPOnly: c.HTTPOnly, SameSite: string(c.SameSite), Expires: max(0, c.Expires)}
		if c.PartitionKey != nil {
			k.Partition, _ = json.Marshal(c.PartitionKey) // two words and a bool
		}
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b cua.Cookie) int { return strings.Compare(cookieKey(a), cookieKey(b)) })
	return out, nil
}

func cookieKey(c cua.Cookie) string {
	return c.Domain + "\n" + c.Path + "\n" + c.Name + "\n" + string(c.Partition)
}

// openTabs are all tabs in their order, and the place of t among them, from 1.
func (s *Session) openTabs(t *tab, seal sealer) (out []cua.TabState, at int) {
	s.mu.Lock()
	tabs := s.tabs
	s.mu.Unlock()
	for i, x := range tabs {
		out = append(out, cua.TabState{ID: string(x.id), URL: seal.text(x.url())})
		if x == t {
			at = i + 1
		}
	}
	return out, at
}
