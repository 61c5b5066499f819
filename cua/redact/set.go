package redact

import (
	"cmp"
	"maps"
	"slices"
	"sync"
)

// Set holds values of secrets, and what stands in their place. The zero value, and a nil Set, hold none. Its
// methods may be called from several goroutines.
type Set struct {
	mu     sync.RWMutex
	values map[entry]bool // all that were ever learned
	finder *finder        // nil: nothing is looked for
}

// New is a Set in which <secret:NAME> stands for each value.
func New(secrets map[string]string) *Set {
	s := &Set{}
	s.Learn(secrets)
	return s
}

// Keys is a Set in which mark stands for each of the values; those that are "" are left out.
func Keys(mark string, values ...string) *Set {
	s := &Set{}
	s.finder = newFinder(slices.Collect(func(yield func(entry) bool) {
		for _, v := range values {
			if !yield(entry{mark, v}) {
				return
			}
		}
	}))
	return s
}

// Mark is what stands for the secret of that name.
func Mark(name string) string { return "<secret:" + name + ">" }

// Learn adds secrets by name to a Set that New made. It is cheap where they are known. A value that had the
// name before is still looked for: what has it may come late.
func (s *Set) Learn(secrets map[string]string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	known := len(s.values)
	for name, value := range secrets {
		if s.values == nil {
			s.values = map[entry]bool{}
		}
		s.values[entry{Mark(name), value}] = true
	}
	if len(s.values) == known {
		return
	}
	s.finder = newFinder(slices.SortedFunc(maps.Keys(s.values), func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.mark, b.mark), cmp.Compare(a.value, b.value))
	}))
}

// now is what is looked for; nil is nothing.
func (s *Set) now() *finder {
	if s == nil {
		return nil
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.finder
}

// Text is text with the mark of a secret in place of each spelling of its value (Spellings), also where
// single characters of it are escaped as JSON, URLs and HTML escape them, and in letters of another case. A
// value below MinLength is left. The beginning of a spelling that a clip cut (cua.Clip) is replaced if it has
// at least MinLength characters.
func (s *Set) Text(text string) string {
	f := s.now()
	if f == nil {
		return text
	}
	return f.clean(text)
}

// Holds reports whether text has a spelling of a value.
func (s *Set) Holds(text string) bool { return s.Text(text) != text }

// entry is a value and its mark.
type entry struct{ mark, value string }
