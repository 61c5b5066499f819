package server

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/trajectories"
)

// A ticket of a pause that has just ended is not valid, and the episode is not left locked.
func TestATicketAfterThePause(t *testing.T) {
	now := time.Now()
	e := &episode{control: &control{holder: "h", ticket: "k", expires: now.Add(time.Minute),
		lapse: time.AfterFunc(time.Hour, func() {})}}
	if sock, ctx, before := e.take("k", now); sock != nil || ctx != nil || before != nil {
		t.Errorf("%v, %v, %v, want nothing", sock, ctx, before)
	}
	if !e.mu.TryLock() {
		t.Error("the episode is locked")
	}
}

// A pause that ends while a ticket is used closes the socket, or the ticket was not valid. Nothing is left.
func TestAPauseEndsWhileATicketIsUsed(t *testing.T) {
	s := &Server{o: Options{Now: time.Now}, keep: time.Hour}
	for range 500 {
		e := &episode{changed: make(chan struct{})}
		ctx, over := context.WithCancel(t.Context())
		var work sync.WaitGroup
		work.Go(func() { _, _ = e.attend(ctx, trajectories.PauseCard{}) })
		for changed := e.wait(); ; changed = e.wait() {
			if state, _, _ := e.now(); state == Paused {
				break
			}
			<-changed
		}
		k, ok := s.grant(e, "")
		if !ok {
			t.Fatal("no ticket")
		}
		work.Go(over)
		if sock, until := s.redeem(e, k.ticket()); sock != nil {
			<-until.Done()
			s.closed(e, sock)
		}
		work.Wait()
		if !e.mu.TryLock() || e.control != nil || e.asking != nil {
			t.Fatalf("the episode is locked, or keeps %v, %v", e.control, e.asking)
		}
	}
}
