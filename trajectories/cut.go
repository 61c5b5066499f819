package trajectories

import "fmt"

// Cut counts the actions of t whose outcome nobody saw, and those of them that may have sent a form.
func (t *Trajectory) Cut() (intents, sent int) {
	for _, e := range t.Events {
		if e.Kind == InterruptedEvent && e.Intent != nil {
			intents++
			if e.Intent.Submit {
				sent++
			}
		}
	}
	if t.Interrupted != nil {
		intents++
		if t.Interrupted.Submit {
			sent++
		}
	}
	return intents, sent
}

// CutWords say what Cut counted; "" is nothing.
func CutWords(intents, sent int) string {
	if intents == 0 {
		return ""
	}
	return fmt.Sprintf("%s, %d of them possibly sent a form", Plural(intents, "interrupted intent"), sent)
}
