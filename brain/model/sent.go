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

// maxSent bounds the text of one request, bytes.
const maxSent = 256 << 10

// Sending says that body is the request that is sent under ctx. A Caller says so of each; a wire without one
// says it itself. The last one counts.
func Sending(ctx context.Context, body []byte) {
	if n, ok := ctx.Value(attemptsKey{}).(*tally); ok {
		n.body.Store(&body)
	}
}

// body is what a request was sent as; nil is nothing.
type body = atomic.Pointer[[]byte]

// sent is the last request of a conversation.
type sent map[string]any

// news is the text of a request that the one before did not have: one line for each value, with the path to
// it. Of a list that goes on where the one before ended it has what was added.
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

// short cuts a text to maxSent, and says so.
func short(text string) string {
	if len(text) <= maxSent {
		return text
	}
	return cua.HeadBytes(text, maxSent) + fmt.Sprintf("\n[%d bytes more were sent]\n",
		len(text)-maxSent)
}

// encoded is what no person reads: a picture, a signature, sealed reasoning.
var encoded = regexp.MustCompile(`^(data:[^,\s]*,)?[A-Za-z0-9+/_=-]{256,}$`)

// plain is v without what is encoded and without the marks of a vendor's cache, which move from request to
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

// added writes what now has and was has not.
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
