package runner

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

func TestOverlay(t *testing.T) {
	base := DefaultConfig()
	for _, row := range []struct {
		name, doc string
		want      func(*Config)
		err       string // a part of the message; "" is success
	}{
		{name: "an empty document changes nothing", doc: `{}`, want: func(*Config) {}},
		{name: "one nested field", doc: `{"detector":{"soft":4}}`, want: func(c *Config) { c.Detector.Soft = 4 }},
		{name: "a toggle", doc: `{"toggles":{"breaker":false}}`, want: func(c *Config) { c.Toggles.Breaker = false }},
		{name: "an unknown field names the known ones", doc: `{"detectors":{}}`, err: `unknown field "detectors"; known: viewport, toggles`},
		{name: "an unknown nested field has its path", doc: `{"detector":{"sofft":4}}`, err: `unknown field "detector.sofft"`},
		{name: "an unknown toggle", doc: `{"toggles":{"brake":true}}`, err: `unknown field "toggles.brake"`},
		{name: "a value of the wrong kind", doc: `{"detector":{"soft":"four"}}`, err: "config: "},
		{name: "a value where an object belongs", doc: `{"detector":4}`, err: "detector is an object with fields"},
		{name: "no JSON", doc: `soft: 4`, err: "config: "},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := base.Overlay([]byte(row.doc))
			if row.err != "" {
				if err == nil || !strings.Contains(err.Error(), row.err) {
					t.Fatalf("error %v, want one with %q", err, row.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want := DefaultConfig()
			row.want(&want)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
			if !reflect.DeepEqual(base, DefaultConfig()) {
				t.Error("the overlay changed its base")
			}
		})
	}
}

func TestSet(t *testing.T) {
	for _, row := range []struct {
		name, set string
		want      func(*Config)
		err       string
	}{
		{name: "a number", set: "detector.hard=9", want: func(c *Config) { c.Detector.Hard = 9 }},
		{name: "a word needs no quotes", set: "recovery.on_spiral=halt", want: func(c *Config) { c.Recovery.OnSpiral = "halt" }},
		{name: "a list", set: "placebo.at=[1,3]", want: func(c *Config) { c.Placebo.At = []int{1, 3} }},
		{name: "no value", set: "detector.hard", err: "want path=value"},
		{name: "an unknown path", set: "detector.rings=3", err: `unknown field "detector.rings"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := DefaultConfig().Set(row.set)
			if row.err != "" {
				if err == nil || !strings.Contains(err.Error(), row.err) {
					t.Fatalf("error %v, want one with %q", err, row.err)
				}
				return
			}
			want := DefaultConfig()
			row.want(&want)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v (%v), want %+v", got, err, want)
			}
		})
	}
}

func TestOnlyKeepsWhatIsRequired(t *testing.T) {
	c, err := DefaultConfig().Only("loop_recovery")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range cua.Mechanisms() {
		on, err := c.Toggles.Get(m.Name)
		if err != nil {
			t.Fatal(err)
		}
		want := m.Name == "loop_recovery"
		for _, r := range cua.Requires("loop_recovery") {
			want = want || m.Name == r
		}
		if on != want {
			t.Errorf("--only loop_recovery: %s is %v, want %v", m.Name, on, want)
		}
	}
	if _, err := DefaultConfig().Only("brake"); err == nil || !strings.Contains(err.Error(), "known: ") {
		t.Errorf("an unknown mechanism: %v, want the known ones", err)
	}
}

func TestArms(t *testing.T) {
	for _, a := range Arms() {
		c, err := DefaultConfig().Arm(a.Name)
		if err != nil {
			t.Errorf("arm %s: %v", a.Name, err)
		} else if err := c.Validate(); err != nil {
			t.Errorf("arm %s: %v", a.Name, err)
		}
	}
	classic, err := DefaultConfig().Arm("classic")
	if err != nil || !classic.Recovery.Rescue.Classic {
		t.Errorf("arm classic has another table: %+v (%v)", classic.Recovery.Rescue, err)
	}
	c, err := DefaultConfig().Arm("-nudge")
	if err != nil || c.Toggles.Nudge || !c.Toggles.Breaker {
		t.Errorf("arm -nudge: %+v, %v", c.Toggles, err)
	}
	if _, err := DefaultConfig().Arm("sideways"); err == nil || !strings.Contains(err.Error(),
		"default, classic, naive, nudge, placebo, detectors, off") {
		t.Errorf("an unknown arm: %v, want the known ones", err)
	}
}

// A config written into a header and read back is the same config.
func TestConfigSurvivesTheHeader(t *testing.T) {
	raw, err := json.Marshal(DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	var got Config
	if err := json.Unmarshal(raw, &got); err != nil || !reflect.DeepEqual(got, DefaultConfig()) {
		t.Errorf("got %+v (%v)", got, err)
	}
}
