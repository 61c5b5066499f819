package cua

import (
	"net/url"
	"regexp"
	"strings"
)

// secretKeys are names of query values that open something to whoever has the address.
var secretKeys = regexp.MustCompile(`(?i)(^|[_.-])(token|key|api[_-]?key|auth|authorization|code|credential|jwt|nonce|otp|pass|passwd|password|pwd|secret|session|sessionid|phpsessid|jsessionid|sid|sig|signature|state|ticket)([_.-]|$)`)

// pathKeys are sessions that servers write into the path: "/cart;jsessionid=0A1B".
var pathKeys = regexp.MustCompile(`(?i);([a-z]*sess(?:ion)?_?id|sid)=[^;/]+`)

// longValue is what random keys look like: 24 or more letters and digits in one piece.
var longValue = regexp.MustCompile(`^[A-Za-z0-9+/=_-]{24,}$`)

// PublicURL is an address fit to be kept and shown: without userinfo, and with "…" for query values that look
// like secrets, and for sessions in the path. Of a fragment it keeps a route ("#/home", "#!/home"), by the
// same rules, and nothing else. "" for what is no address of a page.
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

// publicQuery is a query with its mark, "" where it is empty.
func publicQuery(query string) string {
	if query == "" {
		return ""
	}
	var b strings.Builder
	for query != "" { // some servers part values by semicolons
		pair, mark := query, ""
		if i := strings.IndexAny(query, "&;"); i >= 0 {
			pair, mark = query[:i], query[i:i+1]
		}
		b.WriteString(publicPair(pair) + mark)
		query = query[len(pair)+len(mark):]
	}
	return "?" + b.String()
}

// publicPair is one part of a query, with "…" for a value that looks like a secret. One without a name is all
// value.
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

// leads says whether a value is itself an address that is not fit to be shown as it is.
func leads(value string) bool {
	return strings.Contains(value, "://") && PublicURL(value) != value
}
