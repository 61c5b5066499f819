package cua

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// The prefixes of digests that are no Digest of a value: such a digest equals none, and can only be compared
// with others of the same run of the program.
const (
	// DigestCut is before one of a value of which only the beginning was read, with its length.
	DigestCut = "cut:"
	// DigestSecret is before one of a value that has a secret among other text, or a part of one.
	DigestSecret = "secret:"
)

// Digest is the digest under which a field's value is recorded: 16 hex digits, or "" for the empty value.
// Line ends are normalized to \n; any other difference gives another digest.
func Digest(value string) string {
	if value == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(strings.ReplaceAll(value, "\r\n", "\n")))
	return hex.EncodeToString(sum[:8])
}
