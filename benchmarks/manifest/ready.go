package manifest

import (
	"encoding/json"
	"fmt"
	"time"
)

// readyPatience is how long a start page may take to show its task: code in parts, loaded one after another.
// On two busy cores every page of WebGames, ComponentBench and UI-CUBE that was played was there by then.
const readyPatience = 15 * time.Second

// awaited is a script that comes to {"held": true} once the expression does, and else, when readyPatience is
// over, to what it came to last and what is to be read on the page.
func awaited(expr string) string {
	return fmt.Sprintf(`(async () => {
const until = performance.now() + %d;
for (;;) {
 let last;
 try { last = await (%s
); if (last === true) return {held: true}; last = JSON.stringify(last); } catch (e) { last = String(e); }
 if (performance.now() > until) return {last: String(last).slice(0, 300), shows: (document.body ? document.body.innerText : '').replace(/\s+/g, ' ').trim().slice(0, 200)};
 await new Promise(done => setTimeout(done, 50));
}})()`, readyPatience.Milliseconds(), expr)
}

// shown is the error of a page that does not show its task; value is what the script of awaited came to. A
// page with a dialog is the agent's to answer.
func shown(value json.RawMessage) error {
	if value == nil {
		return nil
	}
	var said struct {
		Held  bool   `json:"held"`
		Last  string `json:"last"`
		Shows string `json:"shows"`
	}
	if err := json.Unmarshal(value, &said); err != nil {
		return fmt.Errorf("waiting for the task on the page: %w", err)
	}
	if said.Held {
		return nil
	}
	return fmt.Errorf("the page does not show its task within %s: what it should be ready by came to %s, "+
		"and it shows %q", readyPatience, said.Last, said.Shows)
}
