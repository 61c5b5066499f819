package cua

import (
	"net/url"
	"regexp"
	"strings"
)

// secretKeys are names of query parameters that grant access to whoever has the address.
var secretKeys = regexp.MustCompile(`(?i)(^|[_.-])(token|key|api[_-]?key|auth|authorization|code|credential|jwt|nonce|otp|pass|passwd|password|pwd|secret|session|sessionid|phpsessid|jsessionid|sid|sig|signature|state|ticket)([_.-]|$)`)

// pathKeys are session IDs that servers write into the path: "/cart;jsessionid=0A1B".
var pathKeys = regexp.MustCompile(`(?i);([a-z]*sess(?:ion)?_?id|sid)=[^;/]+`)

// longValue matches random keys: 24 or more letters and digits in one piece.
var longValue = regexp.MustCompile(`^[A-Za-z0-9+/=_-]{24,}$`)

// PublicURL is raw in a form that is safe to store and show: without userinfo, and with "…" for query values
// that look like secrets and for session IDs in the path. A fragment is kept only if it is a route ("#/home",
// "#!/home"), redacted by the same rules. It is "" if raw is not the address of a page.
func PublicURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme == "" || raw == "about:blank" {
		return ""
	}
	route, sent := u.EscapedFragment(), u.RawQuery
	u.User, u.Fragment, u.RawFragment, u.RawQuery, u.ForceQuery = nil, "", "", "", false
	public := pathKeys.ReplaceAllString(u.String(), ";$1=…") + publicQuery(sent)
	path, query, _ := strings.Cut(route, "?")
	if strings.HasPrefix(strings.TrimPrefix(path, "!"), "/") && !strings.Contains(path, "=") {
		public += "#" + path + publicQuery(query)
	}
	return public
}

// publicQuery is the redacted query with its question mark; "" if it is empty.
func publicQuery(query string) string {
	if query == "" {
		return ""
	}
	var b strings.Builder
	for query != "" { // some servers separate values by semicolons
		pair, mark := query, ""
		if i := strings.IndexAny(query, "&;"); i >= 0 {
			pair, mark = query[:i], query[i:i+1]
		}
		b.WriteString(publicPair(pair) + mark)
		query = query[len(pair)+len(mark):]
	}
	return "?" + b.String()
}

// publicPair is one pair of a query, with "…" for a value that looks like a secret. A pair without a name is
// all value.
func publicPair(pair string) string {
	key, value, ok := strings.Cut(pair, "=")
	if !ok {
		key, value = "", pair
	}
	name, err := url.QueryUnescape(key)
	plain, bad := url.QueryUnescape(value)
	switch {
	case value == "":
		return pair
	case err == nil && bad == nil && !secretKeys.MatchString(name) && !SaysSecret(name) &&
		!longValue.MatchString(value) &&
		!longValue.MatchString(plain) && !leads(plain):
		return pair
	case !ok:
		return "…"
	}
	return key + "=…"
}

// leads reports whether value is itself an address that must be redacted.
func leads(value string) bool {
	return strings.Contains(value, "://") && PublicURL(value) != value
}
