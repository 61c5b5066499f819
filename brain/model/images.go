package model

// Images says which screenshots of a conversation stay in its requests. They are dropped in groups and not
// one per turn, so that the prefix of the requests stays the same for a while and a vendor can cache it.
type Images struct {
	// Keep is the number of newest screenshots that are always kept; 0 keeps all.
	Keep int
	// Every is how many more accumulate before they are dropped together; 0 drops each at once.
	Every int
}

// From is the index of the first image that is kept, out of total.
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
