package model

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/cua-runner/cua-runner/cua"
)

// maxSent is the limit of the stored text of one request, bytes.
const maxSent = 256 << 10

// Sending records body as the request that is sent under ctx. Caller does so for each request; a wire
// without a Caller must do it itself. The last call counts.
func Sending(ctx context.Context, body []byte) {
	if n, ok := ctx.Value(attemptsKey{}).(*tally); ok {
		n.body.Store(&body)
	}
}

// body is the body of a request; nil means none.
type body = atomic.Pointer[[]byte]

// sent is the last request of a conversation.
type sent map[string]any

// news is the part of a request that the previous request did not have: one line per value, with its path.
// For a list that only grew, it is the added elements.
func (s *sent) news(body []byte) string {
	var now map[string]any
	if json.Unmarshal(body, &now) != nil {
		return ""
	}
	now = plain(now).(map[string]any)
	var b strings.Builder
	added(&b, "", map[string]any(*s), now)
	*s = now
	return short(b.String())
}

// short cuts a text to maxSent and notes that it was cut.
func short(text string) string {
	if len(text) <= maxSent {
		return text
	}
	return cua.HeadBytes(text, maxSent) + fmt.Sprintf("\n[%d bytes more were sent]\n",
		len(text)-maxSent)
}

// encoded matches data that people do not read: pictures, signatures, encrypted reasoning.
var encoded = regexp.MustCompile(`^(data:[^,\s]*,)?[A-Za-z0-9+/_=-]{256,}$`)

// plain is v without encoded data and without the cache markers of a vendor, which move from request to
// request.
func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "cache_control")
		for k, inner := range v {
			v[k] = plain(inner)
		}
	case []any:
		for i, inner := range v {
			v[i] = plain(inner)
		}
	case string:
		if encoded.MatchString(v) {
			return fmt.Sprintf("[%d characters, not kept]", len(v))
		}
	}
	return v
}

// added writes what now has and was does not.
func added(b *strings.Builder, path string, was, now any) {
	if reflect.DeepEqual(was, now) {
		return
	}
	switch now := now.(type) {
	case map[string]any:
		before, _ := was.(map[string]any)
		for _, k := range slices.Sorted(maps.Keys(now)) {
			added(b, strings.TrimPrefix(path+"."+k, "."), before[k], now[k])
		}
	case []any:
		before, _ := was.([]any)
		from := 0
		for from < min(len(before), len(now)) && reflect.DeepEqual(before[from], now[from]) {
			from++
		}
		for i := from; i < len(now); i++ {
			added(b, fmt.Sprintf("%s[%d]", path, i), nil, now[i])
		}
	case string:
		if strings.Contains(now, "\n") {
			fmt.Fprintf(b, "%s:\n%s\n", path, now)
			return
		}
		fmt.Fprintf(b, "%s: %s\n", path, now)
	case nil:
	default:
		fmt.Fprintf(b, "%s: %v\n", path, now)
	}
}
