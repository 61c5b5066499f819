package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/cua-runner/cua-runner/cua"
)

const (
	// maxInput bounds one message of a person, bytes: a text of cua.MaxInputText with its escapes.
	maxInput = 6*cua.MaxInputText + 1024
	// pingEvery is how often a socket is asked whether it lives.
	pingEvery = 15 * time.Second
)

// pageNews is what the socket says of the page. A message of bytes, the frame as JPEG, follows if Frame says
// so.
type pageNews struct {
	Type   string      `json:"type"` // page
	Frame  bool        `json:"frame"`
	AtMS   int64       `json:"at_ms"`
	W      int         `json:"w"`
	H      int         `json:"h"`
	Tab    int         `json:"tab"`
	Tabs   int         `json:"tabs"`
	Dialog *cua.Dialog `json:"dialog,omitempty"`
}

// live is the WebSocket of a takeover: frames go down, inputs come up. Nothing of it is recorded or logged.
func (s *Server) live(w http.ResponseWriter, r *http.Request, e *episode) {
	sock, ctx := s.redeem(e, r.URL.Query().Get("ticket"))
	if sock == nil {
		problem(r.Context(), Unauthenticated, "the ticket is used up or too old").write(w)
		return
	}
	defer s.closed(e, sock)
	conn, err := websocket.Accept(w, r, nil) // it compares Origin and Host
	if err != nil {
		return
	}
	defer conn.CloseNow() //nolint:errcheck // it may be closed already
	conn.SetReadLimit(maxInput)
	e.mu.Lock()
	at := e.runner
	e.mu.Unlock()
	if at == nil {
		return
	}
	page, ok := at.Env.(Live)
	if !ok {
		return
	}
	view := newScreen(conn)
	var work sync.WaitGroup
	inputs := make(chan cua.Input, 64)
	work.Go(func() { view.write(ctx, sock.cancel) })
	work.Go(func() { defer sock.cancel(); readInputs(ctx, conn, inputs) })
	if err := page.TakeOver(ctx, inputs, view.show); err != nil {
		s.o.Log("episode " + e.record.ID + ": the takeover ended: " + err.Error())
	}
	// The page is let go before the socket is closed, which the other side may take its time for.
	sock.cancel()
	_ = conn.Close(websocket.StatusNormalClosure, "")
	work.Wait()
}

// readInputs passes on what comes until ctx ends or the socket is lost. A message that is no input closes it.
func readInputs(ctx context.Context, conn *websocket.Conn, to chan<- cua.Input) {
	for {
		kind, text, err := conn.Read(ctx)
		if err != nil {
			return
		}
		var in cua.Input
		if kind != websocket.MessageText {
			err = errors.New("input: a text message is wanted")
		} else if json.Unmarshal(text, &in) != nil {
			err = errors.New("input: JSON is wanted")
		} else {
			in, err = in.Checked(cua.Size{W: maxViewport, H: maxViewport}) // the page knows its own size
		}
		if err != nil {
			_ = conn.Close(websocket.StatusPolicyViolation, err.Error())
			return
		}
		select {
		case to <- in:
		case <-ctx.Done():
			return
		default:
			if in.Type == cua.InputMove { // the next one says where the mouse is
				continue
			}
			select {
			case to <- in:
			case <-ctx.Done():
				return
			}
		}
	}
}

// minViewport and maxViewport bound the edges of a viewport, CSS pixels.
const (
	minViewport = 64
	maxViewport = 8192
)

// screen sends the newest of the page to a person. A person who reads slowly sees fewer frames, and the page
// never waits.
type screen struct {
	conn *websocket.Conn
	wake chan struct{}

	mu     sync.Mutex
	newest cua.LiveView
}

func newScreen(conn *websocket.Conn) *screen {
	return &screen{conn: conn, wake: make(chan struct{}, 1)}
}

// show takes what is new. A frame that was not sent is replaced, and kept where there is only other news.
func (v *screen) show(l cua.LiveView) {
	v.mu.Lock()
	if l.JPEG == nil {
		l.JPEG, l.AtMS = v.newest.JPEG, v.newest.AtMS
	}
	v.newest = l
	v.mu.Unlock()
	select {
	case v.wake <- struct{}{}:
	default:
	}
}

// write sends until ctx ends or the socket is lost, and then calls lost.
func (v *screen) write(ctx context.Context, lost func()) {
	defer lost()
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return
		case <-ping.C:
			limit, cancel := context.WithTimeout(ctx, slowest)
			err = v.conn.Ping(limit)
			cancel()
		case <-v.wake:
			v.mu.Lock()
			l := v.newest
			v.newest.JPEG = nil
			v.mu.Unlock()
			err = v.send(ctx, l)
		}
		if err != nil {
			return
		}
	}
}

func (v *screen) send(ctx context.Context, l cua.LiveView) error {
	ctx, cancel := context.WithTimeout(ctx, slowest)
	defer cancel()
	err := v.conn.Write(ctx, websocket.MessageText, rawJSON(pageNews{"page", l.JPEG != nil, l.AtMS, l.View.W,
		l.View.H, l.Tab, l.Tabs, l.Dialog}))
	if err == nil && l.JPEG != nil {
		err = v.conn.Write(ctx, websocket.MessageBinary, l.JPEG)
	}
	return err
}
