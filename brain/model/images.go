package model

// Images say which screenshots of a conversation stay in its requests. They are dropped in steps and not one
// a turn, so that what was sent stays the same for a while and a vendor's cache can hold it.
type Images struct {
	// Keep is how many of the newest are always kept; 0 keeps all.
	Keep int
	// Every is how many gather beyond those before they are dropped together; 0 drops each at once.
	Every int
}

// From is the index of the first image that is kept of total.
func (p Images) From(total int) int {
	if p.Keep < 1 || total <= p.Keep {
		return 0
	}
	extra := total - p.Keep
	if p.Every > 1 {
		extra -= extra % p.Every
	}
	return extra
}
