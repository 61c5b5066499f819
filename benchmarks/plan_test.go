package benchmarks_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/studytest"
)

func TestCellsAreInterleaved(t *testing.T) {
	cells, err := studytest.Plan(2).Cells()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range cells {
		got = append(got, fmt.Sprintf("%s@%s.%d", c.Task, c.Arm, c.Seed))
	}
	want := []string{"stepper@default.1", "stepper@off.1", "slow-save@off.1", "slow-save@default.1",
		"t6-dead-button@default.1", "t6-dead-button@off.1", "stepper@off.2", "stepper@default.2",
		"slow-save@default.2", "slow-save@off.2", "t6-dead-button@off.2", "t6-dead-button@default.2"}
	if !slices.Equal(got, want) {
		t.Errorf("cells\n%v, want\n%v", got, want)
	}
}

func TestBadPlansAreNamed(t *testing.T) {
	bad := func(change func(*benchmarks.Plan)) error {
		p := studytest.Plan(1)
		change(&p)
		return p.Validate()
	}
	for _, c := range []struct {
		name string
		err  error
		says string
	}{
		{"unknown suite", bad(func(p *benchmarks.Plan) { p.Suites = []string{"froms"} }), `unknown suite "froms"`},
		{"unknown task", bad(func(p *benchmarks.Plan) { p.Tasks = []string{"login"} }), "known: pagination"},
		{"arm twice", bad(func(p *benchmarks.Plan) { p.Arms[1].Name = "default" }), "twice"},
		{"no base", bad(func(p *benchmarks.Plan) { p.Base = "naive" }), `base arm "naive"`},
		{"seed twice", bad(func(p *benchmarks.Plan) { p.Seeds = []int64{1, 1} }), "seed 1"},
		{"newer format", bad(func(p *benchmarks.Plan) { p.Version = 9 }), "version 9"},
		{"bad config", bad(func(p *benchmarks.Plan) { p.Arms[0].Config.Viewport.W = 1 }), "arm default"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.err == nil || !strings.Contains(c.err.Error(), c.says) {
				t.Errorf("error %v, want %q in it", c.err, c.says)
			}
		})
	}
}

func TestFaultsThatWouldShareAFolder(t *testing.T) {
	for _, row := range []struct {
		name   string
		faults []string
		says   string
	}{
		{"twice", []string{"jitter=1", "jitter=1"}, `"jitter=1" is there twice`},
		{"one folder", []string{"jitter=1@5", "jitter=1-5"}, "twice"},
		{"no name", []string{""}, "not named"},
		{"apart", []string{"jitter=1", "jitter=0.1", benchmarks.NoFault}, ""},
	} {
		p := studytest.Plan(1)
		p.EachFault = row.faults
		err := p.Validate()
		if (row.says == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: %v", row.name, err)
		}
	}
}

func TestFaultsOfACell(t *testing.T) {
	p := benchmarks.Plan{Faults: []string{"nudge_obedience=0"}}
	for fault, want := range map[string][]string{"": {"nudge_obedience=0"},
		benchmarks.NoFault: {"nudge_obedience=0"},
		"jitter=1":         {"nudge_obedience=0", "jitter=1"}} {
		if got := p.FaultsOf(benchmarks.Cell{Fault: fault}); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", fault, got, want)
		}
	}
}

// Repeats are cells of their own beside seeds, with another chance of the brain and folders of their own.
func TestRepeatsAreNoSeeds(t *testing.T) {
	p := studytest.Plan(2)
	p.Repeats = 3
	cells, err := p.Cells()
	if err != nil || len(cells) != 3*2*2*3 {
		t.Fatalf("%d cells, %v", len(cells), err)
	}
	chances, folders := map[int64]int{}, map[string]bool{}
	for _, c := range cells {
		if c.Repeat < 0 || c.Repeat > 2 || c.Seed < 1 || c.Seed > 2 || c.Repeat == 0 && c.Chance() != c.Seed {
			t.Errorf("cell %+v", c)
		}
		chances[c.Chance()]++
		folders[c.Episode(1)] = true
	}
	// two seeds three times, the same in both arms and each task
	if len(chances) != 6 || len(folders) != len(cells) {
		t.Errorf("%d chances, %d folders", len(chances), len(folders))
	}
	for _, n := range []int{-1, benchmarks.MaxRepeats + 1} {
		p.Repeats = n
		if err := p.Validate(); err == nil || !strings.Contains(err.Error(), "repeats") {
			t.Errorf("%d repeats: %v", n, err)
		}
	}
}
