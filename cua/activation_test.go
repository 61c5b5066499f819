package cua

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestMayPress(t *testing.T) {
	press := func(id string) Proposal { return Proposal{Action: Action{Kind: Click}, Target: Target{ID: id}} }
	button := func(text, name string) Control {
		return Control{ID: "b", Role: "button", Text: text,
			Name: name}
	}
	for _, c := range []struct {
		name string
		p    Proposal
		c    Control
		want Activation
	}{
		{"what the brain proposed to press", press("b"), button("Buy now", "Buy now"), ActivateAsked},
		{"not what it typed into", Proposal{Action: Action{Kind: Type}, Target: Target{ID: "b"}}, button("Buy now", "Buy now"), ""},
		{"another one", press("c"), button("Buy now", "Buy now"), ""},
		{"an input", press("c"), Control{ID: "b", Role: "checkbox", Name: "Red", Input: true}, ActivateInput},
		{"an input that says that it costs", press("c"), Control{ID: "b", Role: "tab", Name: "Buy now", Input: true}, ""},
		{"an input that shows that it costs", press("c"), Control{ID: "b", Role: "switch", Name: "Red", Text: "Pay", Input: true}, ""},
		{"a box that agrees", press("c"), Control{ID: "b", Role: "checkbox", Tag: "input", Type: "checkbox", Name: "I agree", Input: true}, ""},
		{"a box that agrees and was asked for", press("b"), Control{ID: "b", Role: "checkbox", Tag: "input", Type: "checkbox", Name: "I agree", Input: true}, ActivateAsked},
		{"a text field for the number of an order", press("c"), Control{ID: "b", Role: "textbox", Tag: "input", Name: "Order number", Input: true}, ActivateInput},
		{"what only calls itself a text field", press("c"), Control{ID: "b", Role: "textbox", Tag: "div", Name: "Order now", Input: true}, ""},
		{"a disabled one", press("b"), Control{ID: "b", Role: "button", Disabled: true}, ""},
		{"one without identity", press(""), Control{Role: "button", Text: "Next", Name: "Next"}, ""},
		{"a harmless name", press("c"), button("Next", "Next page"), ActivateHarmless},
		{"in capitals, with an arrow", press("c"), button("NEXT ›", "next"), ActivateHarmless},
		{"within a longer name", press("c"), button("Next: pay", "Next: pay"), ""},
		{"by its text alone", press("c"), button("Next", ""), ""},
		{"an icon, by its name alone", press("c"), button("", "Search"), ""},
		{"two names that disagree", press("c"), button("Konto endgültig löschen", "Close"), ""},
		{"nothing at all", press("c"), button("", ""), ""},
		{"German", press("c"), button("Weiter", "Weiter"), ""},
		{"a closer that sends a form", press("c"), Control{ID: "b", Role: "button", Text: "×", Name: "Close", Submit: true}, ""},
		{"a closer that names its layer", press("c"), button("Close this notice", "Close this notice"), ActivateHarmless},
		{"a closer of something else", press("c"), button("Close this account", "Close this account"), ""},
		{"accepting", press("c"), button("Accept all", "Accept all"), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := MayPress(c.p, c.c); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestMayReturn(t *testing.T) {
	field := Field{ID: "f", Tag: "input", Type: "text", Form: "form", Editable: true}
	buy := Control{ID: "buy", Role: "button", Text: "Buy now", Name: "Buy now", Form: "form", Submit: true}
	search := Control{ID: "go", Role: "button", Text: "Search", Name: "Search", Form: "form", Submit: true}
	dead := Proposal{Action: Action{Kind: Click}, Target: Target{ID: "check", Role: "button", Name: "Check",
		Form: "form"}}
	submit := Proposal{Action: Action{Kind: Click}, Target: Target{ID: "send", Role: "button", Name: "Send",
		Form: "form"}}
	for _, c := range []struct {
		name   string
		p      Proposal
		button *Control
		change func(o *Observation, f *Field, p *Proposal)
		want   Activation
	}{
		{"a default button that nobody asked for, in view or not", dead, &buy, nil, ""},
		{"the default button that was clicked", Proposal{Action: Action{Kind: Click}, Target: Target{ID: "buy", Form: "form"}}, &buy, nil, ActivateAsked},
		{"a harmless one", dead, &search, nil, ActivateHarmless},
		{"no default button, and a press of the form's own control", submit, nil, nil, ActivateAsked},
		{"no default button, and a press of something else", dead, nil, nil, ""},
		{"no default button, and a control of another form", submit, nil, func(_ *Observation, _ *Field, p *Proposal) { p.Target.Form = "other" }, ""},
		{"a field in no form", submit, nil, func(o *Observation, f *Field, p *Proposal) { f.Form, p.Target.Form, o.Forms[0].ID = "", "", "" }, ""},
		{"a field of many lines", submit, nil, func(_ *Observation, f *Field, _ *Proposal) { f.Tag = "textarea" }, ""},
		{"a covered field", submit, nil, func(_ *Observation, f *Field, _ *Proposal) { f.Covered = true }, ""},
		{"a field behind a modal dialog", submit, nil, func(o *Observation, _ *Field, _ *Proposal) { o.Modal = "dialog" }, ""},
		{"a field in that dialog, for a press behind it", submit, nil, func(o *Observation, f *Field, _ *Proposal) { o.Modal, f.Dialog = "dialog", "dialog" }, ""},
		{"both in the dialog", submit, nil, func(o *Observation, f *Field, p *Proposal) {
			o.Modal, f.Dialog, p.Target.Dialog = "dialog", "dialog", "dialog"
		}, ActivateAsked},
		{"an alert is open", submit, nil, func(o *Observation, _ *Field, _ *Proposal) { o.Dialog = &Dialog{Type: "alert"} }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, p := field, c.p
			o := Observation{Forms: []Form{{ID: "form", Default: c.button}}}
			if c.change != nil {
				c.change(&o, &f, &p)
			}
			if got := MayReturn(&o, p, &f); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestNamedAlone(t *testing.T) {
	named := func(name string) Control { return Control{ID: name, Role: "button", Text: name, Name: name} }
	marks := func(names ...string) (out []Mark) {
		for _, name := range names {
			out = append(out, Mark{ID: name, Role: "button", Text: name, Name: name})
		}
		return out
	}
	for _, c := range []struct {
		thought, name string
		reach         []Mark
		want          bool
	}{
		{"I press Weather now.", "Weather", nil, true},
		{"Weather", "weather ›", nil, true},
		{"I press the weathervane", "Weather", nil, false},
		{"I must not press Weather", "Weather", nil, false},
		{"Don't press Weather!", "Weather", nil, false},
		{"Press anything but never Weather", "Weather", nil, false},
		{"Instead of News I press Weather", "Weather", nil, false},
		{"That was wrong. I press Weather. No more waiting.", "Weather", nil, true},
		{"Ich darf Wetter nicht drücken", "Wetter", nil, false},
		{"Ne pas cliquer sur Météo", "Météo", nil, false},
		{"No pulsar Tiempo", "Tiempo", nil, false},
		{"天気 を押さない", "天気", nil, false},
		{"Не нажимать Погода", "Погода", nil, false},
		{"I press Delete account", "Delete account", nil, false},
		{"Ich drücke Konto löschen", "Konto löschen", nil, false},
		{"購入する を押す", "購入する", nil, false},
		{"First Weather, then News", "Weather", marks("Weather", "News"), false},
		{"I press Weather map", "Weather map", marks("Weather map", "Weather"), true},
		{"×", "×", nil, false},
		{"Buttons I must not press: Weather", "Weather", nil, false},
		{"Do not press:\n- Weather\n- News", "Weather", nil, false},
		{"Never press e.g. Weather.", "Weather", nil, false},
		{"Should I press Weather? I wonder.", "Weather", nil, false},
		{"Leave Weather alone.", "Weather", nil, false},
		{"It would be wrong to press Weather.", "Weather", nil, false},
		{"The page did not change. I press Weather.", "Weather", nil, true},
		{"Jag ska inte trycka Weather", "Weather", nil, false},
		// A language that we do not carry may say no in a way that we do not know.
		{"Motoru çalıştır düğmesine basmamalıyım.", "Motoru çalıştır", nil, false},
		{"لا تضغط تشغيل المحرك", "تشغيل المحرك", nil, false},
		{"मुझे इंजन शुरू करें नहीं दबाना है।", "इंजन शुरू करें", nil, false},
		// A disguised name is risky.
		{"I press De\u200blete account", "De\u200blete account", nil, false},
		{"I press D\u0435lete account", "D\u0435lete account", nil, false},
		{"", "", nil, false},
	} {
		t.Run(c.thought+" / "+c.name, func(t *testing.T) {
			if got := NamedAlone(Proposal{Thought: c.thought}, named(c.name), c.reach); got != c.want {
				t.Errorf("%t, want %t", got, c.want)
			}
		})
	}
	two := named("Weather")
	two.Text = "Delete"
	if NamedAlone(Proposal{Thought: "I press Weather"}, two, nil) {
		t.Error("a control whose text and name disagree is named by neither")
	}
}

func TestNamesOnTheLists(t *testing.T) {
	for _, name := range []string{"Close", "×", " ✕ ", "Cancel", "Not now", "No, thanks", "Reject all",
		"I disagree", "Decline", "Only necessary"} {
		if !Refusal(name) {
			t.Errorf("%q says no", name)
		}
	}
	for _, name := range []string{"Accept", "OK", "Next", "Log in", "Close account", "Cancel subscription",
		"Delete", "Yes", "", "Reject and delete"} {
		if Refusal(name) {
			t.Errorf("%q is no refusal", name)
		}
	}
	for _, name := range []string{"Buy", "Place order", "Löschen", "Zahlungspflichtig bestellen", "購入する",
		"削除", "Supprimer", "Eliminar", "Удалить", "Unsubscribe", "Close account",
		"Cancel subscription", "I agree", "Pay €5", "Sign out"} {
		if !riskyName(name) {
			t.Errorf("%q is risky", name)
		}
	}
	for _, name := range []string{"Weather", "Close", "Cancel", "Sign in", "Details", "Colours"} {
		if riskyName(name) {
			t.Errorf("%q is not risky", name)
		}
	}
}

// TestWordsNeverUnlockRisk: whatever is said around a risky name, it is not named; and a negation in front of
// any name denies it.
func TestWordsNeverUnlockRisk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := rapid.StringMatching(`[a-z ,.]{0,30}`).Draw(t, "before"), rapid.StringMatching(`[a-z ,.]{0,30}`).Draw(t, "after")
		risky := rapid.SampledFrom([]string{"Delete account", "Buy now", "Send", "Konto löschen",
			"購入する"}).Draw(t, "risky")
		if NamedAlone(Proposal{Thought: before + " " + risky + " " + after},
			Control{ID: "c", Text: risky, Name: risky}, nil) {
			t.Fatalf("%q unlocks %q", before, risky)
		}
		not := rapid.SampledFrom([]string{"not", "never", "nicht", "nie", "pas", "nunca", "não",
			"niet"}).Draw(t, "not")
		denied := strings.NewReplacer(".", " ").Replace(before) + " " + not + " Weather"
		if NamedAlone(Proposal{Thought: denied}, Control{ID: "c", Text: "Weather", Name: "Weather"}, nil) {
			t.Fatalf("%q names Weather", denied)
		}
	})
}
