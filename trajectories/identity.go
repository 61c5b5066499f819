package trajectories

import (
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"
)

// NewID is an id that no other episode has: the milliseconds of at since 1970 in 48 bits, then 80 bits that
// are read from random, as 26 digits and small letters (base32hex of RFC 4648). Ids sort as their times do.
// An error is that of random.
func NewID(at time.Time, random io.Reader) (string, error) {
	var id [16]byte
	binary.BigEndian.PutUint64(id[:8], uint64(at.UnixMilli())<<16)
	if _, err := io.ReadFull(random, id[6:]); err != nil {
		return "", fmt.Errorf("trajectories: making an id: %w", err)
	}
	return strings.ToLower(base32.HexEncoding.WithPadding(base32.NoPadding).EncodeToString(id[:])), nil
}

var notInID = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// maxIDPart keeps a folder name within what file systems take.
const maxIDPart = 80

// EpisodeID is the readable name task@arm.seed-attempt, safe as a folder name: anything but letters, digits,
// dot, line and underscore becomes one line.
func EpisodeID(task, arm string, seed int64, attempt int) string {
	part := func(s, empty string) string {
		s = notInID.ReplaceAllString(s, "-")
		if len(s) > maxIDPart {
			s = s[:maxIDPart]
		}
		if s == "" || s[0] == '.' {
			return empty + s
		}
		return s
	}
	return fmt.Sprintf("%s@%s.%d-%d", part(task, "task"), part(arm, "arm"), seed, attempt)
}
