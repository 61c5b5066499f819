package browser

// startScreencast opens the screencast of a tab. A tab that is being left may refuse; its frames are then
// captured one by one.
func (t *tab) startScreencast() {
	t.frames.Start(func(err error) { t.note(err.Error()) })
}

// maxCasting is how many sessions of a browser may keep their screencasts open while their brains think.
// If there are more, each is open only during an action: to open one costs a trip to the page, and an open
// one costs memory.
const maxCasting = 8

// resumeScreencast opens the screencast of t for an action, if the session is suspended.
func (s *Session) resumeScreencast(t *tab) {
	if s.suspended && t.alive() {
		s.suspended = false
		t.startScreencast()
	}
}

// suspendScreencast closes the screencast of the active tab after an action, if many sessions share the
// browser.
func (s *Session) suspendScreencast() {
	s.b.mu.Lock()
	open := len(s.b.sessions)
	s.b.mu.Unlock()
	if t, err := s.here(); err == nil && open > maxCasting && t.alive() {
		t.frames.Stop()
		s.suspended = true
	}
}
