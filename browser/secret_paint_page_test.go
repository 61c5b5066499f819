package browser

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	"net/http"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// lettering is the style in which pages of these tests write a secret: the template has it, too.
const lettering = `font:20px/24px monospace;color:#000;background:#fff`

// gray is a frame as levels of grey.
func gray(t *testing.T, data []byte) *image.Gray {
	t.Helper()
	from, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	to := image.NewGray(from.Bounds())
	draw.Draw(to, to.Rect, from, image.Point{}, draw.Src)
	return to
}

// template is the rendered canary, cut out of a page that shows nothing else.
func template(t *testing.T) *image.Gray {
	t.Helper()
	e := open(t, SessionOptions{Capture: true}, site(t, map[string]string{"/": `<title>t</title>
		<body style="margin:0"><span style="position:absolute;left:40px;top:40px;` + lettering + `">` + canary}).URL)
	all := gray(t, e.ok(cua.Action{Kind: cua.Observe}).Shot.Data)
	ink := image.Rectangle{}
	for y := 30; y < 80; y++ {
		for x := range all.Rect.Dx() {
			if all.GrayAt(x, y).Y < 128 {
				ink = ink.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	if ink.Dx() < 10*len(canary) {
		t.Fatalf("the canary was not rendered: its ink is %v", ink)
	}
	return all.SubImage(ink).(*image.Gray)
}

// legible says whether a frame shows the template anywhere: its dark points are dark there, and its light
// ones light, but for a few. A place with too many or too few dark points is ruled out by their number.
func legible(frame, text *image.Gray) bool {
	w, h := text.Rect.Dx(), text.Rect.Dy()
	few := w * h / 50
	in, of := darkPoints(frame), darkPoints(text)
	all := of.in(0, 0, w, h)
	for y := 0; y+h <= frame.Rect.Dy(); y++ {
		for x := 0; x+w <= frame.Rect.Dx(); x++ {
			n := in.in(x, y, w, h) - all
			if -few <= n && n <= few && differing(frame, text, x, y, few) <= few {
				return true
			}
		}
	}
	return false
}

// differing counts the points in which a frame at a place differs from the template, until they are too many.
func differing(frame, text *image.Gray, x, y, most int) (n int) {
	for j := range text.Rect.Dy() {
		a, b := frame.Pix[(y+j)*frame.Stride+x:], text.Pix[j*text.Stride:]
		for i := range text.Rect.Dx() {
			if (a[i] < 128) != (b[i] < 128) {
				n++
			}
		}
		if n > most {
			break
		}
	}
	return n
}

// darkSums are, for each point, how many dark ones are above it and to its left.
type darkSums struct {
	n     []int32
	width int
}

func darkPoints(m *image.Gray) darkSums {
	s := darkSums{make([]int32, (m.Rect.Dx()+1)*(m.Rect.Dy()+1)), m.Rect.Dx() + 1}
	for y := range m.Rect.Dy() {
		row := int32(0)
		for x := range m.Rect.Dx() {
			if m.Pix[y*m.Stride+x] < 128 {
				row++
			}
			s.n[(y+1)*s.width+x+1] = s.n[y*s.width+x+1] + row
		}
	}
	return s
}

// in is how many dark points a rectangle has.
func (s darkSums) in(x, y, w, h int) int {
	at := func(x, y int) int { return int(s.n[y*s.width+x]) }
	return at(x+w, y+h) - at(x, y+h) - at(x+w, y) + at(x, y)
}

// showing are pages that show what is typed into their first field. OTHER is the origin of another site whose
// page /frame shows what it is sent.
var showing = []struct{ name, page string }{
	{"the field itself", `<input aria-label=Mine>`},
	{"a password field that turns to text", `<input type=password aria-label=Mine oninput="this.type='text'">`},
	{"a text area", `<textarea aria-label=Mine cols=30></textarea>`},
	{"an editable element", `<div contenteditable role=textbox aria-label=Mine style="width:400px;height:30px"></div>`},
	{"a paragraph", `<input aria-label=Mine oninput="o.textContent=this.value"><p id=o>`},
	{"other text around it", `<input aria-label=Mine oninput="o.textContent='You typed '+this.value+', is that right?'"><p id=o>`},
	{"a span for each letter", `<input aria-label=Mine oninput="o.innerHTML=[...this.value].map(c=>'<span>'+c+'</span>').join('')"><p id=o>`},
	{"a place for each letter", `<input aria-label=Mine oninput="o.innerHTML=[...this.value].map((c,i)=>'<b style=\'font-weight:400;position:absolute;left:'+(40+12*i)+'px;top:300px\'>'+c+'</b>').join(' ')"><p id=o>`},
	{"another field", `<input aria-label=Mine oninput="o.value=this.value"><input id=o>`},
	{"a field that is made again", `<p id=p><input type=password aria-label=Mine oninput="const v=this.value;setTimeout(()=>{p.innerHTML='<input id=o>';o.value=v})">`},
	{"a placeholder", `<style>::placeholder{color:#000;opacity:1}</style><input aria-label=Mine oninput="o.placeholder=this.value"><input id=o>`},
	{"a list", `<input aria-label=Mine oninput="o.innerHTML='<option>'+this.value"><select id=o style="appearance:none;border:0"></select>`},
	{"a button", `<input aria-label=Mine oninput="o.value=this.value"><input type=button id=o>`},
	{"a shadow tree", `<input aria-label=Mine oninput="s.innerHTML='<p>'+this.value"><div id=h></div><script>const s=h.attachShadow({mode:'open'})</script>`},
	{"a scrolled container", `<input aria-label=Mine oninput="o.textContent=this.value;b.scrollTop=180"><div id=b style="height:90px;overflow:auto"><p style="height:200px"></p><p id=o></p><p style="height:300px">`},
	{"a transform", `<input aria-label=Mine oninput="o.textContent=this.value"><p id=o style="transform:translate(133px,91px)">`},
	{"a frame", `<input aria-label=Mine oninput="frames[0].document.body.textContent=this.value"><iframe width=500 srcdoc="<body style='margin:0;` + lettering + `'>"></iframe>`},
	{"a frame that is moved", `<input aria-label=Mine oninput="frames[0].document.body.textContent=this.value"><iframe width=500 style="transform:translate(60px,80px)" srcdoc="<body style='margin:0;` + lettering + `'>"></iframe>`},
	{"a frame of another site", `<input aria-label=Mine oninput="frames[0].postMessage(this.value,'*')"><iframe width=500 src="OTHER/frame"></iframe>`},
	{"text that moves", `<input aria-label=Mine oninput="o.textContent=this.value"><p id=o style="position:absolute;top:300px;left:0"></p><script>let x=0;setInterval(()=>{x=(x+3)%600;o.style.left=x+'px'},16)</script>`},
}

// No stored picture shows a secret, wherever the page shows it; without painting over each of these pages
// does.
func TestSecretsArePaintedOver(t *testing.T) {
	t.Parallel()
	text := template(t)
	for _, tt := range showing {
		t.Run(tt.name, func(t *testing.T) {
			ts := serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				page := tt.page
				if r.URL.Path == "/frame" {
					page = `<body style="margin:0"><p id=o style="margin:0"></p><script>onmessage=e=>o.textContent=e.data</script>`
				}
				other := "http://" + strings.Replace(r.Host, "127.0.0.1", "localhost", 1)
				fmt.Fprint(w, `<!doctype html><title>t</title><style>*{`+lettering+`}input,textarea{width:400px;display:block}
					</style>`, strings.ReplaceAll(page, "OTHER", other))
			})
			for _, o := range []SessionOptions{{}, {Capture: true}, {unpainted: true}} {
				o.Secrets = map[string]string{"PW": canary}
				found, frames := 0, 0
				for _, shot := range typedSecret(t, o, ts.URL) {
					frames++
					if legible(gray(t, shot.Data), text) {
						found++
					}
				}
				if o.unpainted && found == 0 {
					t.Errorf("without painting over, none of %d pictures shows it", frames)
				}
				if !o.unpainted && found > 0 {
					t.Errorf("%d of %d pictures show it (screenshots %t)", found, frames, o.Capture)
				}
			}
		})
	}
}

// typedSecret types the secret into the first field of the page, and is what pictures came of it.
func typedSecret(t *testing.T, o SessionOptions, url string) (out []*cua.Shot) {
	t.Helper()
	e := openBlank(t, o)
	first := e.reset(cua.Task{URL: url})
	secret := into("Mine")(first)
	secret.Kind, secret.Text = cua.Type, "<secret:PW>"
	keep := func(o cua.Observation) {
		if o.Shot == nil {
			t.Error("there is no picture")
			return
		}
		out = append(out, o.Shot)
	}
	keep(first)
	blank := cua.Point{X: 900, Y: 700}
	for _, a := range []cua.Action{secret, {Kind: cua.Click, Point: &blank}, {Kind: cua.Observe}} {
		target, err := e.Locate(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		if target.Idle.Shot != nil {
			out = append(out, target.Idle.Shot)
		}
		keep(e.ok(a))
	}
	return out
}
