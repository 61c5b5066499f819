package detector

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// ranges are the least and the greatest value of each field beside the defaults of the others.
var ranges = map[string][2]float64{
	"soft": {2, 1000}, "hard": {5, 1000}, "frozen.soft": {2, 1000},
	"drift.tol_px": {0, 500}, "drift.tol_share": {0, 1}, "drift.button": {0, 10}, "drift.link": {0, 10}, "drift.menu": {0, 10},
	"cycle.max_period": {2, 50}, "cycle.soft": {2, 1000}, "cycle.soft_steps": {0, 1000}, "cycle.hard": {2, 1000}, "cycle.hard_steps": {5, 1000},
	"revisit.soft": {2, 1000}, "revisit.soft_window": {3, 1000}, "revisit.hard": {4, 1000}, "revisit.hard_window": {5, 1000}, "revisit.max_new": {0, 1},
	"spiral.soft": {2, 1000}, "spiral.hard": {4, 1000}, "spiral.overwrites": {3, 1000},
	"failures.soft": {2, 1000}, "failures.hard": {4, 1000},
	"streak.from": {2, 1000},
	"stall.soft":  {2, 1000}, "stall.hard": {7, 1000}, "stall.soft_s": {1, 86400}, "stall.hard_s": {60, 86400}, "stall.unknown_ms": {0, 3600000},
	"stagnation.soft": {2, 1000}, "stagnation.hard": {15, 1000}, "stagnation.blind": {2, 1000}, "stagnation.max_nodes": {0, 1},
	"blind.press": {2, 1000}, "blind.named": {2, 1000}, "blind.type": {2, 1000}, "blind.periods": {2, 1000}, "blind.visits": {2, 1000},
}

// leaves are the paths of the fields of a config document that are numbers.
func leaves(path string, typ reflect.Type) []string {
	var out []string
	for f := range typ.Fields() {
		name := path + strings.Split(f.Tag.Get("json"), ",")[0]
		if f.Type.Kind() == reflect.Struct {
			out = append(out, leaves(name+".", f.Type)...)
			continue
		}
		if f.Type.Kind() != reflect.Bool { // has no range
			out = append(out, name)
		}
	}
	return out
}

// with is the default config with one field set by its path.
func with(path string, v float64) (Config, error) {
	doc := strconv.FormatFloat(v, 'f', -1, 64)
	parts := strings.Split(path, ".")
	for _, p := range slices.Backward(parts) {
		doc = fmt.Sprintf("{%q:%s}", p, doc)
	}
	c := DefaultConfig()
	return c, json.Unmarshal([]byte(doc), &c)
}

func TestConfigRanges(t *testing.T) {
	if err := DefaultConfig().Validate(); err != nil {
		t.Fatal(err)
	}
	if got, want := slices.Sorted(maps.Keys(ranges)), slices.Sorted(slices.Values(leaves("",
		reflect.TypeFor[Config]()))); !slices.Equal(got, want) {
		t.Fatalf("fields %v, ranges of %v", want, got)
	}
	for path, r := range ranges {
		for _, v := range []float64{r[0] - 1, r[0], r[1], r[1] + 1} {
			t.Run(fmt.Sprintf("%s=%v", path, v), func(t *testing.T) {
				c, err := with(path, v)
				if err != nil {
					t.Fatal(err)
				}
				err = c.Validate()
				if inside := v >= r[0] && v <= r[1]; inside {
					// Where it is the least value of another field, that one is named.
					if err != nil && strings.Contains(err.Error(), "detector: "+path+" must") {
						t.Errorf("%v", err)
					}
				} else if err == nil || !strings.HasPrefix(err.Error(), "detector: "+path+" must be ") {
					t.Errorf("error %v, want one that names %s", err, path)
				}
			})
		}
	}
}

// A window that reach does not cover is never filled in a long episode. A field that may be large only beside
// another is covered by that one.
func TestReachCoversEachWindow(t *testing.T) {
	for path := range ranges {
		c, err := with(path, maxWindow)
		counts := !slices.Contains([]string{"stall.unknown_ms", "stall.soft_s", "stall.hard_s"}, path)
		if counts && err == nil && c.Validate() == nil && c.reach() < maxWindow {
			t.Errorf("%s may be %d, and reach is %d then", path, maxWindow, c.reach())
		}
	}
}

func TestConfigFieldsThatHangTogether(t *testing.T) {
	rows := []struct {
		name   string
		change func(*Config)
		names  string // what the error names; "" is none
	}{
		{"hard right above soft", func(c *Config) { c.Soft, c.Frozen.Soft, c.Hard = 3, 3, 4 }, ""},
		{"hard not above soft", func(c *Config) { c.Hard = 3 }, "hard"},
		{"hard not above frozen.soft", func(c *Config) { c.Frozen.Soft = 8 }, "hard"},
		{"fewer periods for hard", func(c *Config) { c.Cycle.Soft = 4 }, "cycle.hard"},
		{"fewer steps for hard", func(c *Config) { c.Cycle.SoftSteps = 9 }, "cycle.hard_steps"},
		{"more visits than steps", func(c *Config) { c.Revisit.SoftWindow = 2 }, "revisit.soft_window"},
		{"stall: hard before soft", func(c *Config) { c.Stall.SoftS = 200 }, "stall.hard_s"},
		{"no number", func(c *Config) { c.Drift.Link = math.NaN() }, "drift.link"},
		{"no number of seconds", func(c *Config) { c.Stall.HardS = math.NaN() }, "stall.hard_s"},
		{"endless", func(c *Config) { c.Revisit.MaxNew = math.Inf(1) }, "revisit.max_new"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			c := DefaultConfig()
			row.change(&c)
			err := c.Validate()
			if (err == nil) != (row.names == "") || err != nil && !strings.HasPrefix(err.Error(),
				"detector: "+row.names+" must") {
				t.Errorf("error %v, want one that names %q", err, row.names)
			}
		})
	}
}

// TestAnyConfigThatValidates can be asked, and its levels keep their order.
func TestAnyConfigThatValidates(t *testing.T) {
	paths := slices.Sorted(maps.Keys(ranges))
	rapid.Check(t, func(t *rapid.T) {
		doc := DefaultConfig()
		for range rapid.IntRange(0, 6).Draw(t, "changes") {
			path := rapid.SampledFrom(paths).Draw(t, "path")
			r := ranges[path]
			v := float64(rapid.IntRange(int(r[0]), int(min(r[1], r[0]+9))).Draw(t, "value"))
			if rapid.IntRange(0, 4).Draw(t, "greatest") == 0 {
				v = r[1]
			}
			one, err := with(path, v)
			if err != nil {
				t.Fatal(err)
			}
			merge(&doc, one)
		}
		if doc.Validate() != nil {
			t.Skip()
		}
		h := wander(t, rapid.IntRange(0, 30).Draw(t, "steps"))
		d := append(Shapes(doc), classic(doc)...)
		for i := range h.Steps {
			for _, s := range d.Detect(prefix(h, i+1)) {
				if s.Level == "" || s.Run < 1 || s.Since < 1 || s.Since > i+1 || len(s.Evidence) == 0 ||
					!slices.IsSorted(s.Evidence) || s.Evidence[len(s.Evidence)-1] > i+1 {
					t.Fatalf("after step %d under %+v: %+v", i+1, doc, s)
				}
			}
		}
	})
}

// merge puts what one has other than the defaults into c.
func merge(c *Config, one Config) {
	var walk func(to, from, base reflect.Value)
	walk = func(to, from, base reflect.Value) {
		for i := range to.NumField() {
			if to.Field(i).Kind() == reflect.Struct {
				walk(to.Field(i), from.Field(i), base.Field(i))
			} else if !from.Field(i).Equal(base.Field(i)) {
				to.Field(i).Set(from.Field(i))
			}
		}
	}
	walk(reflect.ValueOf(c).Elem(), reflect.ValueOf(one), reflect.ValueOf(DefaultConfig()))
}
