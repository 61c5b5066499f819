package formctl

import "slices"

// least is the smallest gain that changes an assignment: smaller ones are rounding errors.
const least = 1e-12

// assign is the one-to-one assignment of rows to columns with the largest total weight; -1 is a row without a
// column. A weight of 0 or less is no pair. All rows must have the same length.
//
// It adds one row after the other, each by the chain of reassignments with the largest gain: the row takes a
// column, the row that had it takes another one, and so on.
func assign(weights [][]float64) []int {
	column := slices.Repeat([]int{-1}, len(weights)) // of each row
	for row := range weights {
		gain, taker := slices.Clone(weights[row]), slices.Repeat([]int{row}, len(weights[row]))
		for lengthen(weights[:row], column, gain, taker) {
		}
		end, loser, most := -1, -1, least
		for j, g := range gain {
			owner := slices.Index(column[:row], j)
			if owner >= 0 {
				g -= weights[owner][j] // owner gets no other column
			}
			if g > most {
				end, loser, most = j, owner, g
			}
		}
		if loser >= 0 {
			column[loser] = -1
		}
		for j := end; j >= 0; {
			r := taker[j]
			j, column[r] = column[r], j
		}
	}
	return column
}

// lengthen extends the chains by one reassignment, and reports whether one gains. gain is that of the best
// chain that ends at a column, taker the row that takes it.
func lengthen(weights [][]float64, column []int, gain []float64, taker []int) (longer bool) {
	for row, w := range weights {
		had := column[row]
		if had < 0 {
			continue
		}
		for j := range w {
			if g := gain[had] - w[had] + w[j]; w[j] > 0 && g > gain[j]+least {
				gain[j], taker[j], longer = g, row, true
			}
		}
	}
	return longer
}
