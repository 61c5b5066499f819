package formctl

import "math"

// assign is the one-to-one assignment of rows to columns with the greatest total weight, -1 for a row without
// a column. A weight of 0 or less is no pair. All rows have the same number of columns.
//
// It is the Hungarian algorithm with potentials, O(rows² × columns), over the columns and one more column of
// weight 0 for each row, which stands for staying alone.
func assign(weights [][]float64) []int {
	out := make([]int, len(weights))
	if len(weights) == 0 {
		return out
	}
	columns := len(weights[0])
	all := columns + len(weights) + 1
	a := assignment{weights, make([]float64, len(weights)+1), make([]float64, all), make([]int, all)}
	for i := range weights {
		out[i] = -1
		a.add(i + 1)
	}
	for j := 1; j <= columns; j++ {
		if i := a.rowOf[j]; i > 0 && weights[i-1][j-1] > 0 {
			out[i-1] = j - 1
		}
	}
	return out
}

// assignment is the best one of the rows so far. Rows and columns count from 1; row 0 is none.
type assignment struct {
	weights [][]float64
	u, v    []float64 // the potentials of rows and columns
	rowOf   []int     // of each column
}

func (a *assignment) cost(row, column int) float64 {
	reduced := -a.u[row] - a.v[column]
	if w := a.weights[row-1]; column <= len(w) {
		reduced -= math.Max(w[column-1], 0)
	}
	return reduced
}

// add assigns one more row along the cheapest path of reassignments, which starts at column 0.
func (a *assignment) add(row int) {
	a.rowOf[0] = row
	least, way, used := make([]float64, len(a.v)), make([]int, len(a.v)), make([]bool, len(a.v))
	for j := range least {
		least[j] = math.Inf(1)
	}
	at := 0
	for a.rowOf[at] != 0 {
		used[at] = true
		next, delta := 0, math.Inf(1)
		for j := 1; j < len(a.v); j++ {
			if used[j] {
				continue
			}
			if c := a.cost(a.rowOf[at], j); c < least[j] {
				least[j], way[j] = c, at
			}
			if least[j] < delta {
				delta, next = least[j], j
			}
		}
		a.shift(used, least, delta)
		at = next
	}
	for at != 0 {
		a.rowOf[at] = a.rowOf[way[at]]
		at = way[at]
	}
}

// shift makes the next column free of reduced cost.
func (a *assignment) shift(used []bool, least []float64, delta float64) {
	for j := range used {
		if used[j] {
			a.u[a.rowOf[j]] += delta
			a.v[j] -= delta
		} else {
			least[j] -= delta
		}
	}
}
