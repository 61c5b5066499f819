package brain

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// simCase is a page, a task, and the steps in which the heuristic solves it.
type simCase struct {
	name string
	make func() (*sim, cua.Task)
	want string
}

func login() (*sim, cua.Task) {
	s := &sim{url: "http://h/login", title: "Log in"}
	user, pass := field("Username", "text"), field("Password", "password")
	s.els = []*el{user, pass, button("Sign in", func() {
		if user.value == "alice" && pass.value == "<secret:PW>" {
			s.page("Welcome, alice")
			s.url = "http://h/home"
		}
	})}
	return s, cua.Task{Goal: `Log in to the site: fill in both fields and press "Sign in".`, Fields: fields("Username", "alice", "Password", "<secret:PW>")}
}

func signup() (*sim, cua.Task) {
	s := &sim{url: "http://h/signup", title: "Create account"}
	mail, pass, again, terms := field("E-mail", "email"), field("Password", "password"),
		field("Confirm password", "password"), field("I agree to the terms", "checkbox")
	terms.required = true
	s.els = []*el{mail, pass, again, terms, button("Create account", func() {
		if mail.value == "a@b.c" && pass.value == "pw" && again.value == "pw" && terms.checked {
			s.page("Account created")
		}
	})}
	return s, cua.Task{Goal: "Sign up with the given data", Fields: fields("Email", "a@b.c",
		"Password", "pw")}
}

func address() (*sim, cua.Task) {
	s := &sim{url: "http://h/address"}
	street, country := field("Street", "text"), field("Country", "select")
	country.options = []string{"Choose…", "France", "Germany"}
	s.els = []*el{street, country, button("Save address", func() {
		if street.value == "High St 1" && country.value == "Germany" {
			s.page("Address saved")
		}
	})}
	return s, cua.Task{Goal: "Fill in the address and save it", Fields: fields("Street", "High St 1",
		"Country", "germany")}
}

func unlabelled() (*sim, cua.Task) {
	s := &sim{url: "http://h/x"}
	a, b := holder("First name"), holder("Type here")
	s.els = []*el{a, b, button("Send", func() {
		if a.value == "Ada" && b.value == "Lovelace" {
			s.page("Thank you")
		}
	})}
	return s, cua.Task{Goal: "Send the form", Fields: fields("Last name", "Lovelace", "First name", "Ada")}
}

// nameless is a form whose fields all say the same.
func nameless() (*sim, cua.Task) {
	s := &sim{url: "http://h/x"}
	a, b, c := holder("Type here"), holder("Type here"), holder("Type here")
	s.els = []*el{a, b, c, button("Send", func() {
		if a.value == "Ada" && b.value == "Paris" && c.value == "B-17" {
			s.page("Thank you")
		}
	})}
	return s, cua.Task{Goal: "Send the form", Fields: fields("Guest", "Ada", "Town", "Paris", "Code", "B-17")}
}

func lone() (*sim, cua.Task) {
	s := &sim{url: "http://h/x"}
	a := holder("Enter text…")
	s.els = []*el{a, button("Submit", func() {
		if a.value == "B-17" {
			s.page("Submitted")
		}
	})}
	return s, cua.Task{Goal: "Submit the code", Fields: fields("Code", "B-17")}
}

func twelve() (*sim, cua.Task) {
	s := &sim{url: "http://h/x"}
	task := cua.Task{Goal: "Fill in the form and submit it"}
	// every other element is text between the fields, so that the form is longer than the viewport
	for i := range 24 {
		f := field(fmt.Sprintf("Item %c", 'A'+i), "text")
		if i%2 == 1 {
			f = button(fmt.Sprintf("Help on %c", 'A'+i), nil)
		} else {
			task.Fields = append(task.Fields, cua.PlanValue{Label: f.label, Value: fmt.Sprint("v", i)})
		}
		s.els = append(s.els, f)
	}
	s.els = append(s.els, button("Submit", func() {
		for i := 0; i < 24; i += 2 {
			if s.els[i].value != fmt.Sprint("v", i) {
				return
			}
		}
		s.page("Form submitted")
	}))
	return s, task
}

func pager(goal string, title bool) func() (*sim, cua.Task) {
	return func() (*sim, cua.Task) {
		s, n := &sim{url: "http://h/list"}, 1
		var show func()
		show = func() {
			s.text = fmt.Sprintf("Entries\nPage %d of 9", n)
			if title {
				s.title = fmt.Sprintf("Page %d", n)
			}
			next := button("Next", func() { n++; show() })
			next.disabled = n == 9
			s.els = []*el{button("Previous", func() { n--; show() }), next}
		}
		show()
		return s, cua.Task{Goal: goal}
	}
}

func stepper() (*sim, cua.Task) {
	s, n := &sim{url: "http://h/cart"}, 1
	show := func() { s.text = fmt.Sprintf("Cart\nQuantity %d", n) }
	s.els = []*el{button("-", func() { n--; show() }), button("+", func() { n++; show() })}
	show()
	return s, cua.Task{Goal: "Set the quantity to 10 with the + button"}
}

func stepperField() (*sim, cua.Task) {
	s := &sim{url: "http://h/cart"}
	q := field("Quantity", "number")
	q.value, q.readOnly = "7", true
	n := 7
	s.els = []*el{q, button("Increase quantity", func() { n++; q.value = fmt.Sprint(n) }),
		button("Add to cart", func() { s.page("Done: in the cart") })}
	return s, cua.Task{Goal: `Set the quantity to 10, then press "Add to cart".`}
}

func calendar() (*sim, cua.Task) {
	s := &sim{url: "http://h/date"}
	in := field("Date", "text")
	in.readOnly = true
	months, m := []string{"January", "February", "March", "April"}, 0
	var show func()
	show = func() {
		s.text = months[m] + " 2026"
		s.els = []*el{in, button("Previous month", func() { m--; show() }),
			button("Next month", func() { m++; show() })}
		for d := 1; d <= 15; d++ {
			s.els = append(s.els, button(fmt.Sprint(d), func() {
				in.value = fmt.Sprintf("2026-%02d-%02d",
					m+1, d)
			}))
		}
	}
	in.press = show
	s.els = []*el{in}
	return s, cua.Task{Goal: "Choose 15 March 2026"}
}

func slow() (*sim, cua.Task) {
	s := &sim{url: "http://h/settings"}
	s.els = []*el{button("Save", func() {
		s.text = "Saving…"
		s.later = func() { s.text = "Saving, please wait"; s.later = func() { s.text = "All changes saved" } }
	})}
	return s, cua.Task{Goal: "Press Save and wait until it is saved"}
}

func five() (*sim, cua.Task) {
	s, n := &sim{url: "http://h/x"}, 0
	s.els = []*el{button("Count", func() { n++; s.text = fmt.Sprint("Counter: ", n) })}
	return s, cua.Task{Goal: `Press "Count" five times`}
}

func wizard() (*sim, cua.Task) {
	s := &sim{url: "http://h/w"}
	first := field("First name", "text")
	city := field("City", "text")
	s.els = []*el{first, button("Next", func() {
		s.page("Step 2", city, button("Continue", func() {
			s.page("Check your data", button("Place order", func() { s.page("Order placed") }))
		}))
	})}
	return s, cua.Task{Goal: "Order with this data", Fields: fields("First name", "Ada", "City", "Paris")}
}

func behindLink() (*sim, cua.Task) {
	s, task := login()
	form := s.els
	s.els = []*el{button("Products", nil), button("Log in", func() { s.page("", form...) })}
	return s, task
}

func TestHeuristicSolves(t *testing.T) {
	cases := []simCase{
		{"login takes two steps a field", login, "click Username, type=alice, click Password, type=<secret:PW>, click Sign in, extract, done"},
		{"sign-up repeats the password and ticks what is required", signup,
			"click E-mail, type=a@b.c, click Password, type=pw, click Confirm password, type=pw, click I agree to the terms, click Create account, extract, done"},
		{"a select is chosen from in one step", address, "click Street, type=High St 1, select Country=Germany, click Save address, extract, done"},
		{"a field without a name takes the value that is left", unlabelled, "click First name, type=Ada, click Type here, type=Lovelace, click Send, extract, done"},
		{"fields that all say the same take the values in order, and keep them", nameless,
			"click Type here, type=Ada, click Type here, type=Paris, click Type here, type=B-17, click Send, extract, done"},
		{"a lone field with a generic placeholder", lone, "click Enter text…, type=B-17, click Submit, extract, done"},
		{"pages are counted where only Next leads on", pager("Open page 7", false), "click Next ×6, extract, done"},
		{"a title tells the page", pager("Go to page 3 with Next", true), "click Next ×2, extract, done"},
		{"the last page is where Next ends", pager("Go to the last page", false), "click Next ×8, extract, done"},
		{"press until the condition holds", pager(`Click Next until "Page 4 of 9" is shown`, true), "click Next, extract, click Next, extract, click Next, extract, done"},
		{"a stepper is read, tried once, pressed on and read again", stepper, "extract, click +, extract, click + ×8, extract, done"},
		{"a stepper's field tells its value by its digest", stepperField, "click Increase quantity ×3, click Add to cart, extract, done"},
		{"months are turned until the right one is shown", calendar, "click Date, extract, click Next month ×2, click 15, extract, done"},
		{"a slow save is waited for", slow, "click Save, extract, wait, extract, wait, extract, done"},
		{"a count of presses is kept", five, "click Count ×5, extract, done"},
		{"a form in parts goes on", wizard, "click First name, type=Ada, click Next, click City, type=Paris, click Continue, extract, click Place order, extract, done"},
		{"a field that only Tab reaches is clicked where it seems to be", func() (*sim, cua.Task) {
			s, task := login()
			s.els[1] = button("Password", nil)
			return s, task
		}, "click Username, type=alice, click Password ×58"},
		{"a form behind a link", behindLink, "click Log in, click Username, type=alice, click Password, type=<secret:PW>, click Sign in, extract, done"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s, task := c.make()
			if got := told(play(t, Heuristic{}, s, task, 60)); got != c.want {
				t.Errorf("goal %q\n got %s\nwant %s", task.Goal, got, c.want)
			}
		})
	}
	t.Run("a long form is scrolled and each field filled", func(t *testing.T) {
		s, task := twelve()
		steps := play(t, Heuristic{}, s, task, 60)
		if last := steps[len(steps)-1].Proposed; !last.Success || !strings.Contains(last.Text,
			"Form submitted") {
			t.Errorf("ended with %+v after %s", last, told(steps))
		}
		if n := len(steps); n > 24+1+2+6 {
			t.Errorf("%d steps: %s", n, told(steps))
		}
	})
}
