package miniwob

import (
	"slices"
	"testing"
)

func TestPageSeedsAreThoseThatNumPyDraws(t *testing.T) {
	// as published with BrowserGym's results
	for seed, want := range []int64{985772, 128037, 875688, 71530, 991406, 297827} {
		if got := PageSeed(int64(seed)); got != want {
			t.Errorf("the page seed of task seed %d is %d, want %d", seed, got, want)
		}
	}
}

func TestTheBenchmarkHas590DistinctEpisodes(t *testing.T) {
	distinct, repeating := 0, 0
	for i, seeds := range taskSeeds(len(Benchmark())) {
		for _, s := range seeds {
			if s < 0 || s >= seedBound {
				t.Errorf("task %d has seed %d", i, s)
			}
		}
		slices.Sort(seeds)
		n := len(slices.Compact(seeds))
		distinct += n
		if n < EpisodesPerTask {
			repeating++
		}
	}
	if len(Benchmark()) != 125 || distinct != 590 || repeating != 33 {
		t.Errorf("%d tasks, %d distinct episodes, %d tasks with a seed twice; want 125, 590, 33",
			len(Benchmark()), distinct, repeating)
	}
}

func TestSeedsDoNotDependOnHowManyTasksAreAsked(t *testing.T) {
	all := taskSeeds(130)
	for _, n := range []int{1, 7, 125} {
		if got := taskSeeds(n); !slices.EqualFunc(got, all[:n], slices.Equal) {
			t.Errorf("the seeds of the first %d tasks differ from those of all", n)
		}
	}
}
