package recovery_test

import (
	"fmt"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/recovery"
)

// closeMenu is a row for a site whose open menus swallow clicks: it presses Escape while a menu is open.
var closeMenu = recovery.Row{
	Code: "close_menu",
	When: func(m *recovery.Moment) bool {
		f := m.Now.Focus
		return f != nil && f.Role == "menuitem"
	},
	Do: func(m *recovery.Moment) recovery.Way {
		return recovery.Way{Action: cua.Action{Kind: cua.Key, Keys: "Escape"},
			Detail: fmt.Sprintf("a menu was open: Escape instead of another %s", m.Proposal.Action.Kind)}
	},
}

// A program with an agent of its own asks the rescue table before it does what the agent proposes. The table
// has a row of its own for what only this site does.
func ExampleRescue_ownRow() {
	config := recovery.DefaultConfig()
	rescue := recovery.Rescue{Config: config.Rescue, Own: []recovery.Row{closeMenu}, Rows: cua.Reasons(),
		FrozenAfter: 3, Stop: config.StopRule(false)}

	page := cua.Observation{URL: "https://shop.example/cart", DOMDigest: "cart",
		Focus: &cua.Field{ID: "menuitem|Help", Role: "menuitem"}}
	click := cua.Action{Kind: cua.Click, Point: &cua.Point{X: 400, Y: 300}}
	order := cua.Target{ID: "button|Order", Role: "button", Name: "Order"}
	history := cua.History{Start: page}
	for n := 1; n <= 3; n++ { // three presses without effect
		history.Steps = append(history.Steps, cua.Step{N: n, Decision: n, Proposed: click, Action: &click,
			Target: order, After: page, Effect: &cua.Effect{}})
	}
	turn := &cua.Turn{History: history, Now: page, Number: 4, Evidence: cua.EvidenceOf(history, nil),
		Signals: []cua.Signal{{Shape: cua.ShapeRepeat, Level: cua.Soft, Run: 3, Since: 1, Target: order.ID,
			Evidence: []int{1, 2, 3}}}}

	ruling := rescue.Review(turn, cua.Proposal{Action: click, Target: order})
	fmt.Println(ruling.Verdict, ruling.Reason, ruling.Action.Keys, ruling.Evidence)
	fmt.Println(ruling.Detail)

	page.Focus, turn.Now.Focus = nil, nil // no menu is open: the row does not apply
	ruling = rescue.Review(turn, cua.Proposal{Action: click, Target: order})
	fmt.Println(ruling.Verdict)
	// Output:
	// replace close_menu Escape [1 2 3]
	// a menu was open: Escape instead of another click
	// pass
}
