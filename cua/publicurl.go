package cua

import (
	"net/url"
	"regexp"
	"strings"
)

// secretKeys are names of query values that open something to whoever has the address.
var secretKeys = regexp.MustCompile(`(?i)(^|[_.-])(token|key|api[_-]?key|auth|authorization|code|credential|jwt|nonce|otp|pass|passwd|password|pwd|secret|session|sessionid|sid|sig|signature|state|ticket)([_.-]|$)`)

// longValue is what random keys look like: 24 or more letters and digits in one piece.
var longValue = regexp.MustCompile(`^[A-Za-z0-9+/=_-]{24,}$`)

// PublicURL is an address fit to be kept and shown: without userinfo and fragment, and with "…" for query values that
// look like secrets. "" for what is no address of a page.
func PublicURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme == "" || raw == "about:blank" {
		return ""
	}
	u.User, u.Fragment, u.RawFragment = nil, "", ""
	if u.RawQuery == "" {
		return u.String()
	}
	pairs := strings.Split(u.RawQuery, "&")
	for i, p := range pairs {
		key, value, ok := strings.Cut(p, "=")
		plain, err := url.QueryUnescape(key)
		if ok && value != "" && (err != nil || secretKeys.MatchString(plain) || SaysSecret(plain) || longValue.MatchString(value)) {
			pairs[i] = key + "=…"
		}
	}
	u.RawQuery = strings.Join(pairs, "&")
	return u.String()
}
