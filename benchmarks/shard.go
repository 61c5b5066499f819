package benchmarks

import (
	"fmt"
	"hash/fnv"
)

// Shard is the part of a study's cells that one process plays: Index of Of, 1 <= Index <= Of.
type Shard struct {
	Index int `json:"index"`
	Of    int `json:"of"`
}

// MaxShards bounds the shards of a study.
const MaxShards = 10_000

// Validate says what is wrong with the shard; nil is the whole study.
func (s *Shard) Validate() error {
	if s != nil && (s.Of < 1 || s.Of > MaxShards || s.Index < 1 || s.Index > s.Of) {
		return fmt.Errorf("benchmarks: shard %d/%d: I/N with 1 <= I <= N <= %d is expected", s.Index, s.Of,
			MaxShards)
	}
	return nil
}

// has says whether the cells of that task and seed are in the shard: all arms, faults and repeats together,
// so that no pair is split over machines.
func (s *Shard) has(suite, task string, seed int64) bool {
	if s == nil {
		return true
	}
	h := fnv.New64a()
	fmt.Fprintf(h, "%s\x00%s\x00%d", suite, task, seed)
	return h.Sum64()%uint64(s.Of) == uint64(s.Index-1)
}
