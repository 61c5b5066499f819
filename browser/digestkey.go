package browser

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"sync"
)

// processKey is the key of a digestKey that is nil.
var processKey = newKey()

func newKey() []byte {
	key := make([]byte, sha256.Size)
	_, _ = rand.Read(key) // never fails
	return key
}

// digestKey is the key of the digests of what holds a secret, and of what was cut: nobody may guess a value
// from them. The zero value makes one of its own, nil has that of the process.
//
// It is in the checkpoints of the episode, and a session that restores one adopts it. With another key a form
// that is the same would look changed after a resume: it could be sent twice, and a loop that went on from
// before would not be seen. A key that is derived from the secret would need no file, but who has the journal
// could test guesses with it. The checkpoint is readable by the owner alone and is never exported or served;
// who can read it has the cookies of the session already. With the journal he can test guesses of a secret
// that is part of a longer value, which is not so with the journal alone.
type digestKey struct {
	mu  sync.Mutex
	key []byte
}

// now is the key.
func (k *digestKey) now() []byte {
	if k == nil {
		return processKey
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.key == nil {
		k.key = newKey()
	}
	return k.key
}

// adopt takes over the key of a checkpoint. One of another length is none.
func (k *digestKey) adopt(key []byte) {
	if len(key) != sha256.Size {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.key = bytes.Clone(key)
}

// sum is the keyed digest of value.
func sum(key []byte, value string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(value))
	return h.Sum(nil)
}

// of is a digest of value that is good for comparisons within one episode only.
func (k *digestKey) of(value string) string { return hex.EncodeToString(sum(k.now(), value)[:8]) }
