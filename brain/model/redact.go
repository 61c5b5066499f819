package model

import "github.com/cua-runner/cua-runner/cua/redact"

// leastSecret is how long a key must be, bytes, to be taken out of what a model says, too: what local servers
// are given in place of one (EMPTY, lm-studio) are words that an answer may hold. Every vendor's keys are
// longer. Out of errors each is taken.
const leastSecret = 16

// KeyMark stands where a key was.
const KeyMark = "[key]"

// Redact is text without the secrets, in every spelling that package redact knows. It comes before any
// clipping: half a key is not found any more. Those shorter than redact.MinLength are not looked for.
func Redact(text string, secrets ...string) string {
	return redact.Keys(KeyMark, secrets...).Text(text)
}

// Reveals reports whether text holds one of the secrets, in a spelling that Redact knows.
func Reveals(text string, secrets ...string) bool { return Redact(text, secrets...) != text }

// redacted is an answer without the key: an error without any, what a model says without one that is long
// enough to be one.
func redacted(body []byte, status int, secret string) []byte {
	if secret == "" || status < 300 && len(secret) < leastSecret {
		return body
	}
	return []byte(Redact(string(body), secret))
}
