package server

import (
	"context"
	"net/http/httptest"
	"sync"
	"testing"
)

// waiting is a context that says when it is waited for.
type waiting struct {
	context.Context
	say func()
}

func (w waiting) Done() <-chan struct{} {
	w.say()
	return w.Context.Done()
}

// A pause and a takeover wait while the browser is opened: the state, running, allows them.
func TestABrowserThatIsOpenedIsWaitedFor(t *testing.T) {
	for _, verb := range []string{"pause", "takeover"} {
		t.Run(verb, func(t *testing.T) {
			s := serve(t, t.TempDir(), nil)
			s.player.opens = make(chan struct{})
			path := s.begin(asked("long"))
			open := sync.OnceFunc(func() { close(s.player.opens) })
			r := httptest.NewRequestWithContext(waiting{t.Context(), open}, "POST", path+"/"+verb, nil)
			r.Header.Set("Authorization", "Bearer "+aToken)
			w := httptest.NewRecorder()
			s.server.Handler().ServeHTTP(w, r)
			if w.Code != 200 {
				t.Errorf("%d: %s", w.Code, w.Body)
			}
		})
	}
}
