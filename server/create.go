package server

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// createInput is POST /v1/cua.
type createInput struct {
	Prefer  string `header:"Prefer" doc:"wait=N waits up to N seconds, at most 60, for the end."`
	Key     string `header:"Idempotency-Key" doc:"1 to 255 printable ASCII characters: the same key and body give the same episode."`
	Body    Request
	RawBody []byte
}

// answer is an episode.
type answer struct {
	Status   int
	Location string `header:"Location"`
	ETag     string `header:"ETag"`
	Replayed string `header:"Idempotent-Replayed"`
	Body     Episode
}

// maxWait bounds Prefer: wait, seconds.
const maxWait = 60

// create accepts an episode.
func (s *Server) create(ctx context.Context, in *createInput) (*answer, error) {
	wait, err := waitOf(ctx, in.Prefer)
	if err != nil {
		return nil, err
	}
	if !printable(in.Key) {
		return nil, invalid(ctx, "header.Idempotency-Key", "1 to 255 printable ASCII characters are wanted")
	}
	t := requestOf(ctx).tenant
	e, replayed, err := s.accept(ctx, t, in)
	if err != nil {
		return nil, err
	}
	ended := s.awaitEnd(ctx, e, wait)
	out, err := s.answer(ctx, e, http.StatusAccepted)
	if err != nil {
		return nil, err
	}
	if ended {
		out.Status = http.StatusOK
	}
	if replayed {
		out.Replayed = "true"
	}
	out.Location = out.Body.Links.Self
	return out, nil
}

// waitOf reads the header Prefer.
func waitOf(ctx context.Context, prefer string) (time.Duration, error) {
	for part := range strings.SplitSeq(prefer, ",") {
		text, ok := strings.CutPrefix(strings.TrimSpace(part), "wait=")
		if !ok {
			continue
		}
		n, ok := digits(text)
		if !ok || n > maxWait {
			return 0, invalid(ctx, "header.Prefer", "wait is 0 to 60 seconds")
		}
		return time.Duration(n) * time.Second, nil
	}
	return 0, nil
}

// printable reports whether key may be one; "" is none.
func printable(key string) bool {
	return len(key) <= 255 && strings.IndexFunc(key, func(r rune) bool { return r < ' ' || r > '~' }) < 0
}

// accept puts the episode on disk and into the queue, or finds the one of the same key.
func (s *Server) accept(ctx context.Context, t *tenant, in *createInput) (e *episode, replayed bool,
	err error) {
	if s.o.Dir == "" {
		return nil, false, problem(ctx, NotYoursToDo,
			"this server shows what a command plays, and runs nothing")
	}
	t.creating.Lock()
	defer t.creating.Unlock()
	if s.isDraining() { // its body came late: the folder may be another server's by now
		return nil, false, s.drains(ctx)
	}
	r := record{Request: in.Body}
	if in.Key != "" {
		r.Key = digest(s.key, []byte("key"), []byte(t.Name), []byte(in.Key))
		r.Body = digest(s.key, []byte("body"), []byte(t.Name), in.RawBody)
		t.mu.Lock()
		e := t.byKey[r.Key]
		t.mu.Unlock()
		switch {
		case e != nil && e.record.Body == r.Body:
			return e, true, nil
		case e != nil:
			return nil, false, problem(ctx, IdempotencyReuse,
				"the key belongs to an episode with another body")
		}
	}
	p, err := s.prepare(t, in.Body)
	if err == nil {
		err = t.permits(ctx, &p.request, len(s.o.Tenants) == 1)
	}
	if err == nil {
		err = s.o.Player.Check(&p.request)
	}
	switch {
	case err != nil:
		return nil, false, refused(ctx, err)
	case len(p.needs) > 0:
		return nil, false, invalid(ctx, "body.secrets", "a secret that the request names has no value")
	case s.full(t):
		p := problem(ctx, QueueFull, "the queue is full")
		p.retry = 10 * time.Second
		return nil, false, p
	}
	r.Request, r.Created = p.request, utc(s.o.Now())
	if r.ID, err = trajectories.NewID(r.Created, s.o.Random); err != nil {
		return nil, false, err
	}
	if err := s.store(t.dir, r); err != nil {
		return nil, false, s.broken(ctx, "accepting an episode", err)
	}
	e = t.add(r, filepath.Join(t.dir, r.ID))
	e.set(func() { e.secrets = p.secrets })
	s.enqueue(e)
	return e, false, nil
}

// permits reports whether the tenant, who may be the only one, may ask for this.
func (t *tenant) permits(ctx context.Context, r *Request, alone bool) error {
	if t.Brains != nil {
		for _, b := range []string{r.Brain, r.Director} {
			if b != "" && !slices.Contains(t.Brains, b) {
				return problem(ctx, NotYoursToDo, "the tenant may not use this brain")
			}
		}
	}
	if t.Allow == nil && alone {
		return nil
	}
	hosts := cua.AllowList{Hosts: t.Allow, Open: t.Allow == nil}
	if _, err := hosts.Check(r.URL); err != nil {
		return problem(ctx, HostNotAllowed, "the tenant may not open the start page's host")
	}
	for _, h := range r.Allow {
		_, err := hosts.Check("https://" + h)
		// a name with its port may resolve to a private address (egress.Policy): the operator lists those
		to, bad := cua.ParseHost(h)
		if err != nil || bad != nil || to.Port != 0 && !t.lists(to) {
			return problem(ctx, HostNotAllowed, "the tenant may not allow this host")
		}
	}
	return nil
}

// lists reports whether the tenant's list has that very host and port.
func (t *tenant) lists(h cua.Host) bool {
	return slices.ContainsFunc(t.Allow, func(entry string) bool {
		e, err := cua.ParseHost(entry)
		return err == nil && e == h
	})
}

// broken is the problem of a machine that failed. The cause is for the log.
func (s *Server) broken(ctx context.Context, doing string, err error) error {
	s.o.Log(doing + ": " + err.Error())
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return problem(ctx, DiskFull, "there is no room left on the server's disk")
	}
	return problem(ctx, Internal, "the server failed; its log says why")
}

// awaitEnd waits at most so long for the end, and reports whether it has come.
func (s *Server) awaitEnd(ctx context.Context, e *episode, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		changed := e.wait()
		if state, _, _ := e.now(); state == Ended {
			return true
		}
		select {
		case <-changed:
		case <-timer.C:
			return false
		case <-ctx.Done():
			return false
		case <-s.closing:
			return false
		}
	}
}

// answer is e as it is now.
func (s *Server) answer(ctx context.Context, e *episode, status int) (*answer, error) {
	v, n, err := s.view(e)
	if err != nil {
		return nil, s.broken(ctx, "reading episode "+e.record.ID, err)
	}
	return &answer{Status: status, ETag: etag(n), Body: v}, nil
}

func etag(records int) string { return `"` + strconv.Itoa(records) + `"` }

// lists reports whether a header lists that ETag.
func lists(header, tag string) bool {
	for t := range strings.SplitSeq(header, ",") {
		if strings.TrimSpace(t) == tag {
			return true
		}
	}
	return false
}
