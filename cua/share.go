package cua

import (
	"maps"
	"reflect"
	"slices"
)

// Sharing is o, using the memory of old for what both have in common. Most pages differ little from the one
// before, and a history keeps them all. Neither o nor old is changed.
func (o Observation) Sharing(old *Observation) Observation {
	for _, s := range [][2]*string{{&o.URL, &old.URL}, {&o.Title, &old.Title}, {&o.Document, &old.Document},
		{&o.FormDigest, &old.FormDigest},
		{&o.DOMDigest, &old.DOMDigest}, {&o.FrameSHA, &old.FrameSHA}, {&o.Checkpoint, &old.Checkpoint}} {
		if *s[0] == *s[1] {
			*s[0] = *s[1]
		}
	}
	o.Marks = shared(o.Marks, old.Marks, func(a, b *Mark) bool { return *a == *b },
		func(m *Mark) string { return m.ID })
	o.Fields = shared(o.Fields, old.Fields, func(a, b *Field) bool { return reflect.DeepEqual(a, b) },
		func(f *Field) string { return f.ID })
	if maps.Equal(o.DOMParts, old.DOMParts) {
		o.DOMParts = either(o.DOMParts, old.DOMParts)
	}
	if maps.Equal(o.Canvases, old.Canvases) {
		o.Canvases = either(o.Canvases, old.Canvases)
	}
	if o.Focus != nil && old.Focus != nil && reflect.DeepEqual(o.Focus, old.Focus) {
		o.Focus = old.Focus
	}
	if o.Fingerprint != nil && old.Fingerprint != nil && *o.Fingerprint == *old.Fingerprint {
		o.Fingerprint = old.Fingerprint
	}
	return o
}

// either is old, unless one of the two is nil: nil and empty differ for readers and in records.
func either(now, old map[string]string) map[string]string {
	if now == nil || old == nil {
		return now
	}
	return old
}

// shared is now with its elements replaced by equal ones of old; it is old itself if both are equal.
func shared[E any](now, old []E, equal func(a, b *E) bool, id func(*E) string) []E {
	if len(now) == 0 || len(old) == 0 {
		return now
	}
	same := len(now) == len(old)
	for i := 0; same && i < len(now); i++ {
		same = equal(&now[i], &old[i])
	}
	if same {
		return old
	}
	was := make(map[string]*E, len(old))
	for i := range old {
		was[id(&old[i])] = &old[i]
	}
	now = slices.Clone(now)
	for i := range now {
		if e := was[id(&now[i])]; e != nil && equal(&now[i], e) {
			now[i] = *e
		}
	}
	return now
}
