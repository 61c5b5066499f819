package benchmarks

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestFullDiskLosesNoResult(t *testing.T) {
	s := create(t, 1)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	cells, err := s.Plan.Cells()
	if err != nil {
		t.Fatal(err)
	}
	err = s.commit(&ledger{full}, Result{Cell: cells[0]})
	if !errors.Is(err, syscall.ENOSPC) || strings.Contains(err.Error(), "\n") || len(s.Results) != 0 {
		t.Errorf("%v, %d results", err, len(s.Results))
	}
}

func TestAnythingButATornEndIsNamed(t *testing.T) {
	good := `{"suite":"controls","task":"stepper","seed":1,"arm":"off"}` + "\n"
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
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &Study{Plan: testPlan(1)}
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

// A study of whole suites keeps its cells when the program's suites grow.
func TestPlanNamesItsTasks(t *testing.T) {
	p := testPlan(1)
	p.Tasks = nil
	all, err := p.tasks()
	if err != nil {
		t.Fatal(err)
	}
	s, err := Create(filepath.Join(t.TempDir(), "study"), p)
	if err != nil {
		t.Fatal(err)
	}
	if s, err = Open(s.Dir); err != nil || len(s.Plan.Tasks) != len(all) || s.Plan.Tasks[0] != all[0].Name {
		t.Errorf("tasks %v of %d (%v)", s.Plan.Tasks, len(all), err)
	}
}

func FuzzResults(f *testing.F) {
	f.Add([]byte(`{"suite":"controls","task":"stepper","seed":1,"arm":"off"}` + "\n{"))
	f.Add([]byte("\n\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		s := &Study{Plan: testPlan(1)}
		err := s.parseResults(text)
		again := &Study{Plan: s.Plan}
		if e := again.parseResults(text[:s.good]); e != nil || len(again.Results) != len(s.Results) || again.Torn {
			t.Fatalf("what was kept reads differently: %v after %v", e, err)
		}
	})
}
