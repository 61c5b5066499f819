package runner_test

import (
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories/show"
)

// counterPage is a form with one stepper. Its buttons and its counter are given; step(by) changes the number,
// which is sent as n.
func counterPage(stepper, script string) string {
	return `<title>Table</title><h1>Book a table</h1><p>Up to 8 at each table. Call 555 0191.</p><form method=post action=/send>
		<input type=hidden name=n value=2><div style="display:flex;gap:8px">` + stepper + `</div>
		<p><button>Book</button></form><script>const field=document.querySelector('[name=n]');let n=2;
		const show=()=>{const c=document.getElementById('count');if(c)c.textContent=c.dataset.unit?n+' '+c.dataset.unit:n};
		` + script + `</script>`
}

const stepAtOnce = `const step=by=>{n+=by;field.value=n;show()}`

// The heuristic sets a number by what a real page shows of it. It ends at the number that the goal names, or
// without success.
func TestTheHeuristicSetsAQuantity(t *testing.T) {
	t.Parallel() // most of it is waiting
	plain := `Party size <button type=button onclick=step(-1)>−</button><span id=count>2</span><button type=button onclick=step(1)>+</button>`
	for _, row := range []struct {
		name, html string
		sent       string // "" is that nothing may be sent, and no success claimed
	}{
		{"a counter between its buttons", counterPage(plain, stepAtOnce), "4"},
		{"a counter that lags", counterPage(plain, `const step=by=>{n+=by;field.value=n;setTimeout(show,1500)}`), "4"},
		{"a live text with a unit", counterPage(`<button type=button aria-label="Fewer guests" onclick=step(-1)>−</button>
			<span id=count aria-live=polite data-unit=guests>2 guests</span><button type=button aria-label="More guests" onclick=step(1)>+</button>`, stepAtOnce), "4"},
		{"German names", counterPage(`Personen <button type=button aria-label="Eine Person weniger" onclick=step(-1)><svg width=16 height=16></svg></button>
			<span id=count>2</span><button type=button aria-label="Eine Person mehr" onclick=step(1)><svg width=16 height=16></svg></button>`, stepAtOnce), "4"},
		{"a limit below it", counterPage(plain, `const step=by=>{n=Math.min(3,n+by);field.value=n;show()}`), ""},
		{"a number field with spin buttons", strings.Replace(counterPage("", stepAtOnce), "type=hidden name=n", `type=number min=1 max=8 aria-label="Party size" name=n`, 1), "4"},
		{"a number field that keeps three at most", strings.Replace(counterPage("", `field.oninput=()=>{if(field.value>3)field.value=3}`),
			"type=hidden name=n", `type=number aria-label="Party size" name=n`, 1), ""},
		{"a list", strings.Replace(counterPage("", ``), "<input type=hidden name=n value=2>",
			`<label>Party size <select name=n><option value=2>2 people<option value=4>4 people<option value=14>14 people</select></label>`, 1), "4"},
	} {
		t.Run(row.name, func(t *testing.T) {
			site := formPages(t, map[string]string{"/": row.html})
			task := cua.Task{ID: "party", URL: site.URL, Goal: `Set the party size to 4, then press "Book".`, MaxSteps: 30}
			tr := playLate(t, "off", task, brain.Heuristic{})
			last := tr.Steps[len(tr.Steps)-1].Proposed
			if success := last.Kind == cua.Done && last.Success; success != (row.sent != "") {
				t.Errorf("success %v: %s", success, last.Text)
			}
			if row.sent == "" {
				site.received(t)
			} else {
				site.received(t, map[string]string{"n": row.sent})
			}
			if t.Failed() {
				for i := range tr.Steps {
					t.Log(show.StepLine(&tr.Steps[i]), tr.Steps[i].Thought)
				}
			}
		})
	}
}

// Two numbers on one page are each set by their own buttons, which have no names.
func TestTheHeuristicSetsTwoQuantities(t *testing.T) {
	t.Parallel() // most of it is waiting
	row := func(label, name string) string {
		return `<p>` + label + ` <button type=button onclick="step(this,-1)">−</button> <span>0</span> <button type=button onclick="step(this,1)">+</button>
			<input type=hidden name=` + name + ` value=0></p>`
	}
	site := formPages(t, map[string]string{"/": `<title>Rooms</title><form method=post action=/send>` + row("Adults", "adults") + row("Children", "children") +
		`<p><button>Search</button></form><script>const step=(b,by)=>{const i=b.parentNode.querySelector('input');i.value=+i.value+by;
		b.parentNode.querySelector('span').textContent=i.value}</script>`})
	task := cua.Task{ID: "rooms", URL: site.URL, Goal: `Choose 2 adults and 1 child, then press "Search".`, MaxSteps: 30}
	tr := playLate(t, "off", task, brain.Heuristic{})
	site.received(t, map[string]string{"adults": "2", "children": "1"})
	if last := tr.Steps[len(tr.Steps)-1].Proposed; !last.Success {
		t.Errorf("no success: %s", last.Text)
	}
	if t.Failed() {
		for i := range tr.Steps {
			t.Log(show.StepLine(&tr.Steps[i]), tr.Steps[i].Thought)
		}
	}
}
