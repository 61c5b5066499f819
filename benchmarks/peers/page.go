package peers

import (
	"fmt"
	"strings"
)

// fields is how many text fields the page has, and how many boxes to tick.
const fields = 12

// Page is a static form with some text. Points are the centres of its fields and boxes in the order in which
// they are clicked: a field, a box, the next field. Each click changes what is shown.
func Page() (html string, points [][2]float64) {
	var b strings.Builder
	b.WriteString(`<!doctype html><meta charset=utf-8><title>Register</title><style>body{margin:0;font:16px sans-serif;background:#f4f6fa}
		.a{position:absolute}input{box-sizing:border-box}</style><h1 class=a style="left:60px;top:20px">Register</h1>
		<p class=a style="left:60px;top:80px">All fields are needed. What you tick is sent to you by mail.</p><form>`)
	for i := range fields {
		x, y := 60+400*(i%3), 140+130*(i/3)
		fmt.Fprintf(&b, `<label class=a style="left:%dpx;top:%dpx">Field %d<br><input name=f%d style="width:300px;height:32px"></label>
			<label class=a style="left:%dpx;top:%dpx"><input type=checkbox name=b%d style="width:20px;height:20px;margin:0"> Topic %d</label>`,
			x, y, i+1, i, x, y+70, i, i+1)
		points = append(points, [2]float64{float64(x + 150), float64(y + 36)},
			[2]float64{float64(x + 10), float64(y + 82)})
	}
	b.WriteString(`</form>`)
	return b.String(), points
}
