package browser

import (
	"maps"
	"slices"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// A page, and a frame in it, see a window as large as the viewport, by a getter that prints itself as the
// browser's own: the window is smaller, and only what draws it knows.
func TestPagesSeeAWindowOfTheirSize(t *testing.T) {
	const size = `[outerWidth, outerHeight, innerWidth, innerHeight].join()`
	pages := map[string]string{
		"/": `<title>t</title><button onclick="document.title = ` + size + ` + ' ' + frames[0].document.title +
			/native code/.test(Object.getOwnPropertyDescriptor(window, 'outerWidth').get)">b</button>
			<iframe src=/inner style="width:300px;height:200px;border:0"></iframe>`,
		"/inner": `<title>x</title><script>document.title = ` + size + `</script>`,
	}
	for _, name := range slices.Sorted(maps.Keys(browsers(t))) {
		t.Run(name, func(t *testing.T) {
			b := alone(t, Options{Path: browsers(t)[name]})
			e := openIn(t, b, SessionOptions{Viewport: cua.Size{W: 900, H: 700}}, site(t, pages).URL)
			out := e.act(e.at(cua.Action{Kind: cua.Click}, "b"))
			if want := "900,700,900,700 900,700,300,200true"; out.After.Title != want {
				t.Errorf("the page sees %q, want %q", out.After.Title, want)
			}
		})
	}
}
