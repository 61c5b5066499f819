package formctl

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/cua-runner/cua-runner/cua"
)

// TestMatchPropertyValues: what the fields hold changes no assignment of values that they do not hold.
func TestMatchPropertyValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		task, fields, _ := scene(t)
		fields = append(fields, in("x", ""), in("y", "Nickname"))
		want := assigned(task, fields)
		for i := range fields {
			c := rapid.SampledFrom(concepts).Draw(t, "shown")
			fields[i] = holding(fields[i], rapid.SampledFrom([]string{"", c[0], c[1]}).Draw(t, "text"))
		}
		if got := assigned(task, fields); !maps.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

// TestAssignPropertyBest: the assignment is one-to-one and no other one weighs more.
func TestAssignPropertyBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, m := rapid.IntRange(1, 5).Draw(t, "rows"), rapid.IntRange(1, 5).Draw(t, "columns")
		w := make([][]float64, n)
		for i := range w {
			w[i] = rapid.SliceOfN(rapid.SampledFrom([]float64{0, 0, -1, 0.2, 0.5, 0.9, 1}), m,
				m).Draw(t, "row")
		}
		got, sum := assign(w), 0.0
		taken := map[int]bool{}
		for i, j := range got {
			if j < 0 {
				continue
			}
			if taken[j] || w[i][j] <= 0 {
				t.Fatalf("%v of %v", got, w)
			}
			taken[j], sum = true, sum+w[i][j]
		}
		if best := exhaustive(w, 0, map[int]bool{}); math.Abs(best-sum) > 1e-9 {
			t.Fatalf("%v weighs %g, best is %g: %v", got, sum, best, w)
		}
	})
}

func exhaustive(w [][]float64, row int, taken map[int]bool) float64 {
	if row == len(w) {
		return 0
	}
	best := exhaustive(w, row+1, taken)
	for j, v := range w[row] {
		if !taken[j] && v > 0 {
			taken[j] = true
			best = max(best, v+exhaustive(w, row+1, taken))
			taken[j] = false
		}
	}
	return best
}

// TestMatchPropertyOneToOne: whatever the page says, no field takes two values, each score
// reaches the threshold, and a field that takes a password is asked for one.
func TestMatchPropertyOneToOne(t *testing.T) {
	words := []string{"", "Name", "First name", "Password", "Confirm password", "Email", "User", "City",
		"Type here", "Company name", "Code"}
	rapid.Check(t, func(t *rapid.T) {
		var task cua.Task
		for range rapid.IntRange(1, 5).Draw(t, "values") {
			task.Fields = append(task.Fields, cua.PlanValue{Label: rapid.SampledFrom(words[1:]).Draw(t,
				"label"), Value: rapid.SampledFrom([]string{"x", "a@b.c", "7",
				"<secret:S>"}).Draw(t, "value")})
		}
		var fields []cua.Field
		for j := range rapid.IntRange(0, 6).Draw(t, "fields") {
			f := typed(in(fmt.Sprint("f", j), rapid.SampledFrom(words).Draw(t, "text")),
				rapid.SampledFrom([]string{"text", "password", "email", "number"}).Draw(t, "type"))
			f.Placeholder, f.NameAttr = rapid.SampledFrom(words).Draw(t, "placeholder"),
				rapid.SampledFrom(words).Draw(t, "name")
			fields = append(fields, f)
		}
		taken := map[string]string{}
		for _, v := range state(task, steps(page(fields...))).Values {
			if v.Field == "" {
				continue
			}
			if by, ok := taken[v.Field]; ok {
				t.Fatalf("%s takes %q and %q", v.Field, by, v.Label)
			}
			taken[v.Field] = v.Label
			if v.Score < DefaultConfig().Threshold || v.Score > 1 {
				t.Fatalf("%+v", v)
			}
		}
	})
}

func groupOf(fields []cua.Field, id string) string {
	return fields[slices.IndexFunc(fields, func(f cua.Field) bool { return f.ID == id })].Group
}
