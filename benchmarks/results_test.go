package benchmarks

import (
	"strings"
	"testing"
)

// smallPlan is of three tasks in two arms.
func smallPlan() Plan {
	return Plan{Version: PlanVersion, Suites: []string{"controls", "traps"},
		Tasks: []string{"stepper", "slow-save", "t6-dead-button"},
		Arms:  []Arm{{Name: "default"}, {Name: "off"}}, Base: "off", Seeds: SeedsUpTo(1)}
}

func TestAnythingButATornEndIsNamed(t *testing.T) {
	good := `{"suite":"controls","task":"stepper","seed":1,"arm":"off"}` + "\n"
	put := func(fields string) string { return strings.Replace(good, "}", ","+fields+"}", 1) }
	for _, c := range []struct {
		name, text, says string
		results          int
		torn             bool
	}{
		{"whole", good, "", 1, false},
		{"torn", good + `{"suite":"contr`, "", 1, true},
		{"whole but for its line end", good + strings.TrimSuffix(strings.Replace(good, "off", "default", 1), "\n"), "", 1, true},
		{"no JSON", good + "what\n", "line 2 (byte 59)", 1, false},
		{"another study's cell", strings.Replace(good, "stepper", "login", 1), `"login"`, 0, false},
		{"twice", good + good, "line 2", 1, false},
		{"an episode by its name", put(`"episode":"stepper@off..1-1"`), "", 1, false},
		{"an episode elsewhere", put(`"episode":"../../other"`), `line 1 (byte 0): the episode "../../other" is no name of a folder`, 0, false},
		{"an episode below a folder", put(`"episode":"a/b"`), `"a/b"`, 0, false},
		{"the folder above", put(`"episode":".."`), `".."`, 0, false},
		{"the folder of all", put(`"episode":"."`), `"."`, 0, false},
		{"an absolute episode", put(`"episode":"/tmp"`), `"/tmp"`, 0, false},
		{"a reward of 7", put(`"reward":7,"success":true,"lenient":true,"end":"done"`), "line 1 (byte 0): strict true and solved true cannot be of a reward of 7", 0, false},
		{"a reward below 0", put(`"reward":-1`), "a reward of -1", 0, false},
		{"solved without the reward", put(`"reward":0.5,"lenient":true,"end":"done"`), "a reward of 0.5", 0, false},
		{"the reward without solved", put(`"reward":1,"end":"done"`), "a reward of 1", 0, false},
		{"strict at a cap", put(`"reward":1,"success":true,"lenient":true,"solvable":true,"end":"max_steps"`), `the end "max_steps"`, 0, false},
		{"solved by a fault", put(`"reward":1,"lenient":true,"end":"env_error"`), `the end "env_error"`, 0, false},
		{"solved at a cap", put(`"reward":1,"lenient":true,"solvable":true,"end":"max_steps"`), "", 1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &Study{Plan: smallPlan()}
			err := s.parseResults([]byte(c.text))
			if (c.says == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want %q", err, c.says)
			}
			if len(s.Results) != c.results || s.Torn != c.torn {
				t.Errorf("%d results, torn %v", len(s.Results), s.Torn)
			}
		})
	}
}

func FuzzResults(f *testing.F) {
	f.Add([]byte(`{"suite":"controls","task":"stepper","seed":1,"arm":"off"}` + "\n{"))
	f.Add([]byte("\n\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		s := &Study{Plan: smallPlan()}
		err := s.parseResults(text)
		again := &Study{Plan: s.Plan}
		if e := again.parseResults(text[:s.Readable]); e != nil || len(again.Results) != len(s.Results) ||
			again.Torn {
			t.Fatalf("what was kept reads differently: %v after %v", e, err)
		}
	})
}
