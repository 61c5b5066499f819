package formctl

import "math"

// assign is the one-to-one assignment of rows to columns with the greatest total weight, -1
// for a row without one. A weight of 0 or less is no pair. weights has the same number of
// columns in each row.
//
// It is the Hungarian algorithm with potentials, O(rows² × columns), over the columns and one
// column of weight 0 for each row, which stands for staying alone.
func assign(weights [][]float64) []int {
	n := len(weights)
	if n == 0 {
		return nil
	}
	fields := len(weights[0])
	m := fields + n
	cost := func(i, j int) float64 {
		if j < fields {
			return -math.Max(weights[i][j], 0)
		}
		return 0
	}
	u, v := make([]float64, n+1), make([]float64, m+1)
	rowOf, way := make([]int, m+1), make([]int, m+1) // of columns, from 1; row 0 is none
	for i := 1; i <= n; i++ {
		rowOf[0] = i
		at := 0
		least, used := make([]float64, m+1), make([]bool, m+1)
		for j := range least {
			least[j] = math.Inf(1)
		}
		for rowOf[at] != 0 {
			used[at] = true
			row, next, delta := rowOf[at], 0, math.Inf(1)
			for j := 1; j <= m; j++ {
				if used[j] {
					continue
				}
				if c := cost(row-1, j-1) - u[row] - v[j]; c < least[j] {
					least[j], way[j] = c, at
				}
				if least[j] < delta {
					delta, next = least[j], j
				}
			}
			for j := range used {
				if used[j] {
					u[rowOf[j]] += delta
					v[j] -= delta
				} else {
					least[j] -= delta
				}
			}
			at = next
		}
		for at != 0 {
			rowOf[at] = rowOf[way[at]]
			at = way[at]
		}
	}
	return paired(rowOf, weights)
}

// paired is the column of each row by the row of each column, both from 1 in rowOf; pairs without
// weight and columns that stand for staying alone are none.
func paired(rowOf []int, weights [][]float64) []int {
	out := make([]int, len(weights))
	for i := range out {
		out[i] = -1
	}
	for j := 1; j <= len(weights[0]); j++ {
		if i := rowOf[j]; i > 0 && weights[i-1][j-1] > 0 {
			out[i-1] = j - 1
		}
	}
	return out
}
