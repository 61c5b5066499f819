package formctl

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cua-runner/cua-runner/cua"
)

// concepts are labels that mean different things, with another wording of each.
var concepts = [][2]string{{"First name", "Given name"}, {"Last name", "Surname"},
	{"Company name", "Organization"}, {"Username", "User ID"}, {"E-mail", "Email address"},
	{"Phone", "Telephone number"}, {"City", "Town"}, {"Zip code", "Postcode"}, {"Country", "Country"}, {"Address", "Street address"}, {"Address line 2", "Apartment"},
	{"Card number", "Credit card number"}, {"Message", "Comments"}, {"Password", "Your password"}}

// scene is a task and a page of fields for it, each value with a field of its own meaning.
func scene(t *rapid.T) (cua.Task, []cua.Field, map[string]string) {
	var task cua.Task
	var fields []cua.Field
	want := map[string]string{}
	for i, c := range rapid.Permutation(concepts).Draw(t, "concepts")[:rapid.IntRange(1, 8).Draw(t,
		"values")] {
		label, id := c[rapid.IntRange(0, 1).Draw(t, "wording")], fmt.Sprint("f", i)
		task.Fields = append(task.Fields, cua.PlanValue{Label: label, Value: fmt.Sprint("value ", i)})
		f := in(id, c[rapid.IntRange(0, 1).Draw(t, "field's wording")])
		if c[0] == "Password" {
			f.Type = "password"
		}
		fields = append(fields, f)
		want[label] = id
	}
	return task, fields, want
}

// assigned is the field of each value.
func assigned(task cua.Task, fields []cua.Field) map[string]string {
	out := map[string]string{}
	for _, v := range state(task, steps(page(fields...))).Values {
		out[v.Label] = v.Field
	}
	return out
}

// TestMatchPropertyOrder: each value finds the field of its meaning, in whatever order values and
// fields come, and whatever else is on the page.
func TestMatchPropertyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		task, fields, want := scene(t)
		for n := range rapid.IntRange(0, 4).Draw(t, "others") {
			fields = append(fields, in(fmt.Sprint("other", n), rapid.SampledFrom([]string{"Coupon",
				"Type here…", "", "Order note", "How did you hear of us?", "Nickname"}).Draw(t, "other")))
		}
		task.Fields = rapid.Permutation(task.Fields).Draw(t, "order of values")
		fields = rapid.Permutation(fields).Draw(t, "order of fields")
		if got := assigned(task, fields); !maps.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

// TestMatchPropertyUnrelated: a field that no value is meant for never changes an assignment by
// exact labels.
func TestMatchPropertyUnrelated(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		task, fields, want := scene(t)
		for i := range fields {
			fields[i].Label, fields[i].Name = task.Fields[i].Label, task.Fields[i].Label
		}
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"name", "number", "company", "address", "confirm",
			"work", "first", "password", "here", "city"}), 0, 3).Draw(t, "words")
		other := in("other", strings.Join(words, " "))
		other.NameAttr = rapid.SampledFrom([]string{"", "name", "email", "q", "password"}).Draw(t, "name")
		if slices.ContainsFunc(task.Fields, func(v cua.PlanValue) bool {
			return strings.EqualFold(v.Label,
				other.Label)
		}) {
			return
		}
		at := rapid.IntRange(0, len(fields)).Draw(t, "place")
		got := assigned(task, slices.Insert(slices.Clone(fields), at, other))
		maps.DeleteFunc(got, func(label, _ string) bool { return strings.HasPrefix(label, "Confirm ") })
		if !maps.Equal(got, want) {
			t.Fatalf("%v, want %v beside %q", got, want, other.Label)
		}
	})
}

// TestSecretsProperty: a secret belongs only in a field that says password, code or the like by its
// type or its words, and in none of them when its own label does not.
func TestSecretsProperty(t *testing.T) {
	labels := []string{"", "Name", "Password", "Confirm password", "PIN", "Security code", "City",
		"Password hint", "Search", "Email", "Card number"}
	rapid.Check(t, func(t *rapid.T) {
		task := plan(rapid.SampledFrom([]string{"Password", "Passphrase", "Login password"}).Draw(t, "label"),
			"<secret:P>", "City", "Oslo", "Name", "Ada")
		var fields []cua.Field
		for j := range rapid.IntRange(1, 6).Draw(t, "fields") {
			f := typed(in(fmt.Sprint("f", j), rapid.SampledFrom(labels).Draw(t, "text")),
				rapid.SampledFrom([]string{"text", "password", "search"}).Draw(t, "type"))
			f.Placeholder, f.NameAttr = rapid.SampledFrom(labels).Draw(t, "placeholder"),
				rapid.SampledFrom(labels).Draw(t, "name")
			fields = append(fields, f)
		}
		o := page(fields...)
		for j := range o.Fields {
			r := review(t, ForceFill{DefaultConfig()}, turn(task, steps(o)), onto(o.Fields[j]))
			if r.Verdict != cua.Replace {
				continue
			}
			f := o.FieldByID(r.Action.Into)
			says := strings.ToLower(strings.Join([]string{f.Label, f.Placeholder, f.NameAttr}, " "))
			secret := cua.SecretName(r.Action.Text) != ""
			if secret && f.Type != "password" && !strings.Contains(says, "password") {
				t.Fatalf("a secret goes into %+v", *f)
			}
			if !secret && f.Type == "password" && f.Label != "City" && f.Label != "Name" &&
				f.Placeholder != "City" && f.Placeholder != "Name" && f.NameAttr != "City" &&
				f.NameAttr != "Name" {
				t.Fatalf("%q goes into the password field %+v", r.Action.Text, *f)
			}
		}
	})
}

// TestFillProperty: a brain that clicks at random on a page that keeps what is typed gets every value in
// once, and nothing is typed into a field that holds its value.
func TestFillProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		task, fields, _ := scene(t)
		h := steps(page(fields...))
		typings := map[string]int{}
		for n := range rapid.IntRange(1, 20).Draw(t, "clicks") {
			j := rapid.IntRange(0, len(fields)-1).Draw(t, "field")
			tn := turn(task, h)
			p := onto(fields[j])
			r := review(t, ForceFill{DefaultConfig()}, tn, p)
			a := p.Action
			if r.Verdict == cua.Replace {
				a = *r.Action
				k := slices.IndexFunc(fields, func(f cua.Field) bool { return f.ID == a.Into })
				if fields[k].ValueDigest == cua.Digest(a.Text) {
					t.Fatalf("%s holds %q and it is typed again", a.Into, a.Text)
				}
				typings[a.Into]++
				fields = slices.Clone(fields)
				fields[k] = holding(fields[k], a.Text)
			}
			after := page(fields...)
			if rapid.IntRange(0, 5).Draw(t, "elsewhere") == 0 { // and back: leaving changes nothing
				gone := cua.Observation{URL: "https://shop.example/help", Document: "h", FormDigest: "none"}
				h.Steps = append(h.Steps, cua.Step{N: len(h.Steps) + 1, Proposed: p.Action, Action: &a,
					Rulings: []cua.Ruling{r}, After: after})
				a, r, after = cua.Action{Kind: cua.Back}, cua.Ruling{}, gone
			}
			h.Steps = append(h.Steps, cua.Step{N: len(h.Steps) + 1, Proposed: p.Action, Action: &a,
				Rulings: []cua.Ruling{r}, After: after})
			if n%3 == 2 {
				h.Steps = append(h.Steps, cua.Step{N: len(h.Steps) + 1, After: page(fields...)})
			}
			if h.Now().FormDigest == "none" {
				h.Steps = append(h.Steps, cua.Step{N: len(h.Steps) + 1,
					Action: &cua.Action{Kind: cua.Forward}, After: page(fields...)})
			}
		}
		for id, n := range typings {
			if n > 1 {
				t.Fatalf("%s was typed into %d times", id, n)
			}
		}
		for _, v := range state(task, h).Values {
			if v.Landed != (typings[v.Field] == 1) {
				t.Fatalf("%+v after %v", v, typings)
			}
		}
	})
}

// TestNeverDoubledProperty: a brain that types planned values at random, without replacing what is there,
// never gets a value into a field twice.
func TestNeverDoubledProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		task, fields, want := scene(t)
		h := cua.History{Start: page(fields...)}
		text := map[string]string{}
		for n := range rapid.IntRange(1, 20).Draw(t, "steps") {
			v := rapid.SampledFrom(task.Fields).Draw(t, "value")
			j := slices.IndexFunc(fields, func(f cua.Field) bool { return f.ID == want[v.Label] })
			p := onto(fields[j])
			p.Action.Kind, p.Action.Text = cua.Type, v.Value
			id := fields[j].ID
			r := review(t, ForceFill{DefaultConfig()}, turn(task, h), p)
			if (r.Verdict == cua.Refuse) != (text[id] == v.Value) {
				t.Fatalf("%+v, and the field holds %q", r, text[id])
			}
			s := cua.Step{N: n + 1, Proposed: p.Action, Target: p.Target, Rulings: []cua.Ruling{r},
				After: h.Now()}
			if r.Verdict == cua.Pass {
				text[id] += v.Value
				fields = slices.Clone(fields)
				fields[j] = holding(fields[j], text[id])
				s.Action, s.Effect, s.After = &p.Action, &cua.Effect{}, page(fields...)
			}
			h.Steps = append(slices.Clone(h.Steps), s)
		}
	})
}
