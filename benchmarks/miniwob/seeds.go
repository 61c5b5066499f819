package miniwob

import "gonum.org/v1/gonum/mathext/prng"

const (
	// EpisodesPerTask is how often BrowserGym's benchmark plays each task, each time under a seed of its own.
	EpisodesPerTask = 5
	// suiteSeed is the seed from which BrowserGym draws the seeds of its tasks, and seedBound the end, not
	// included, of what it draws them from: so few that many tasks get one of them twice.
	suiteSeed, seedBound = 42, 34
	// pageSeeds is the end, not included, of what the seed of a page is drawn from.
	pageSeeds = 1_000_000
)

// random is NumPy's RandomState: the generator MT19937, and integers drawn as its randint draws them.
type random struct{ *prng.MT19937 }

func newRandom(seed uint32) random {
	r := random{prng.NewMT19937()}
	r.Seed(uint64(seed))
	return r
}

// randint is a number from 0 to n-1, n from 2 to 2³²: as many low bits of the next word as n-1 has, again and
// again until they are no more than that.
func (r random) randint(n uint32) int64 {
	top := n - 1
	mask := top
	for shift := 1; shift < 32; shift *= 2 {
		mask |= mask >> shift
	}
	for {
		if v := r.Uint32() & mask; v <= top {
			return int64(v)
		}
	}
}

// PageSeed is the seed of the page of an episode under a task's seed, 0 to 2³²-1.
func PageSeed(taskSeed int64) int64 { return newRandom(uint32(taskSeed)).randint(pageSeeds) }

// taskSeeds are the seeds of n tasks in BrowserGym's order, EpisodesPerTask each: equal ones are equal
// episodes. Tasks after those of the benchmark continue the same sequence of draws.
func taskSeeds(n int) [][]int64 {
	r := newRandom(suiteSeed)
	out := make([][]int64, n)
	for i := range out {
		for range EpisodesPerTask {
			out[i] = append(out[i], r.randint(seedBound))
		}
	}
	return out
}
