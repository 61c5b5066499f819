package browser

import "context"

// startScreencast opens the screencast of a tab. A tab that is being left may refuse; its frames are then
// captured one by one.
func (t *tab) startScreencast(ctx context.Context) {
	if err := t.frames.Start(ctx); err != nil {
		t.note(err.Error())
	}
}

// maxCasting is how many sessions of a browser may keep their screencasts open while their brains think.
// If there are more, each is open only during an action: to open one costs a trip to the page, and an open
// one costs memory.
const maxCasting = 8

// resumeScreencast opens the screencast of t for an action, if suspendScreencast closed it.
func (s *Session) resumeScreencast(ctx context.Context, t *tab) {
	if s.suspended && t.alive() {
		s.suspended = false
		t.startScreencast(ctx)
	}
}

// suspendScreencast closes the screencast of the active tab after an action, if many sessions share the
// browser.
func (s *Session) suspendScreencast(ctx context.Context) {
	s.b.mu.Lock()
	open := len(s.b.sessions)
	s.b.mu.Unlock()
	if t, err := s.here(); err == nil && open > maxCasting && t.alive() {
		_ = t.frames.Stop(ctx) // one that stays open costs memory and nothing else
		s.suspended = true
	}
}
