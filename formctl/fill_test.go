package formctl

import (
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// TestForceFillWhatLandedElsewhere: a value that went into another field before its own was shown goes into its own
// too, as long as nothing was sent.
func TestForceFillWhatLandedElsewhere(t *testing.T) {
	const address = "ada@x.example"
	foot := typed(in("n", "E-mail for our newsletter"), "email")
	foot.Form = "news"
	step1 := page(in("a", "First name"), foot)
	astray := page(in("a", "First name"), holding(foot, address))
	own := typed(in("e", "E-mail"), "email")
	step2 := page(own, holding(foot, address))
	typing := cua.Action{Kind: cua.Type, Into: "n", Text: address, Clear: true}
	sent := func(o cua.Observation, status int) cua.Observation {
		o.Writes = []cua.Write{{Method: "POST", URL: "https://shop.example/s", Status: status}}
		return o
	}
	opened := func(o cua.Observation) cua.Observation { o.Document = "d2"; return o }
	wizard := func(obs ...cua.Observation) cua.History {
		h := steps(append([]cua.Observation{step1, astray}, obs...)...)
		h.Steps[0].Action = &typing
		return h
	}
	same := typed(in("w", "Work e-mail"), "email")
	for _, c := range []struct {
		name string
		h    cua.History
		on   cua.Field
		want bool
	}{
		{"its own field comes later", wizard(step2), own, true},
		{"and the other one is gone", wizard(page(own)), own, true},
		{"its own field is not blank", wizard(page(holding(own, "eve@x.example"), holding(foot, address))), own, false},
		{"the field that it landed in", wizard(step2), holding(foot, address), false},
		{"it was sent with the other field", wizard(sent(astray, 200), step2), own, false},
		{"what was sent was refused", wizard(sent(astray, 422), step2), own, true},
		{"something was sent before", func() cua.History {
			h := steps(step1, sent(step1, 200), astray, step2)
			h.Steps[1].Action = &typing
			return h
		}(), own, true},
		{"a later document", wizard(opened(step2)), own, false},
		{"a field that it fits by half", wizard(page(same)), same, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			now := turn(plan("E-mail", address), c.h)
			if !now.Form.AllLanded() {
				t.Fatalf("it has landed, somewhere: %+v", now.Form)
			}
			r := review(t, ForceFill{DefaultConfig()}, now, onto(c.on))
			if got := r.Verdict == cua.Replace; got != c.want || got && (r.Action.Into != c.on.ID || r.Action.Text != address) {
				t.Errorf("%+v", r)
			}
		})
	}
}
