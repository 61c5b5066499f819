package report

import (
	"bytes"
	"fmt"
	"html/template"
	"image/color"
	"io"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/cua"
)

// Plot is one picture of a report.
type Plot struct {
	// Name is that of its files, without the ending; Title is what it shows.
	Name, Title string
	plot        *plot.Plot
}

// The size of a plot.
const (
	plotWidth  = 400 * vg.Length(1)
	plotHeight = 260 * vg.Length(1)
)

// Plots are success by arm with its intervals, steps to success, where in an episode signals fire, and
// recoveries by reason; what nothing is known of is left out.
func (rep Report) Plots() ([]Plot, error) {
	var out []Plot
	for _, p := range []struct {
		name, title string
		draw        func(*plot.Plot) (bool, error)
	}{
		{"success", "Success by arm, 95 % intervals", rep.plotSuccess},
		{"steps", "Cells solved by so many steps", rep.plotSteps},
		{"signals", "Cells with a signal by so many steps", rep.plotSignals},
		{"recoveries", "Recoveries by reason", rep.plotRecoveries},
	} {
		x := plot.New()
		x.Title.Text = p.title
		x.Legend.Top, x.Legend.Padding = true, vg.Points(2)
		some, err := p.draw(x)
		if err != nil {
			return nil, fmt.Errorf("report: drawing %s: %w", p.name, err)
		}
		if some {
			out = append(out, Plot{p.name, p.title, x})
		}
	}
	return out, nil
}

// WriteSVG writes the plot as SVG.
func (p Plot) WriteSVG(w io.Writer) error {
	c := vgsvg.New(plotWidth, plotHeight)
	p.plot.Draw(vgdraw.New(c))
	_, err := c.WriteTo(w)
	return err
}

// WritePNG writes the plot as PNG, twice the size.
func (p Plot) WritePNG(w io.Writer) error {
	c := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(plotWidth, plotHeight),
		vgimg.UseDPI(2*vgimg.DefaultDPI))}
	p.plot.Draw(vgdraw.New(c))
	_, err := c.WriteTo(w)
	return err
}

// inline is the SVG as a page takes it in: without what comes before its first element, on the page's own
// ground and in its own ink, which a dark page has in other colours.
func (p Plot) inline() (template.HTML, error) {
	var b bytes.Buffer
	if err := p.WriteSVG(&b); err != nil {
		return "", err
	}
	text := b.String()
	text = text[max(strings.Index(text, "<svg"), 0):]
	return template.HTML(onPage.Replace(text)), nil // gonum escapes what it draws
}

var onPage = strings.NewReplacer(`style="fill:#FFFFFF"`, `style="fill:none"`, ":#000000", ":currentColor")

// inlined are the plots as the page takes them in.
func (rep Report) inlined() ([]template.HTML, error) {
	plots, err := rep.Plots()
	if err != nil {
		return nil, err
	}
	var out []template.HTML
	for _, p := range plots {
		svg, err := p.inline()
		if err != nil {
			return nil, err
		}
		out = append(out, svg)
	}
	return out, nil
}

// writePlots writes each plot beside the study, as SVG and PNG.
func writePlots(s *benchmarks.Study, rep Report) error {
	plots, err := rep.Plots()
	if err != nil {
		return err
	}
	for _, p := range plots {
		if err := writeFile(s, "plot-"+p.Name+".svg", p.WriteSVG); err != nil {
			return err
		}
		if err := writeFile(s, "plot-"+p.Name+".png", p.WritePNG); err != nil {
			return err
		}
	}
	return nil
}

// shades are the colours of arms (M. Okabe and K. Ito): people who see no red, no green or no blue tell them
// apart, and they are seen on white and on the dark page.
var shades = []color.RGBA{
	{0x00, 0x72, 0xb2, 255}, {0xd5, 0x5e, 0x00, 255}, {0x00, 0x9e, 0x73, 255}, {0xcc, 0x79, 0xa7, 255},
}

// shade is the colour of arm i, which it has in every plot. Beyond the fourth arm they come again, in curves
// with other dashes.
func shade(i int) color.RGBA { return shades[i%len(shades)] }

// dashes are those of arm i; a second line of the same arm is dashed where the first is not.
func dashes(i, line int) []vg.Length { return plotutil.Dashes(2*(i/len(shades)) + line) }

// ink is what no arm has: a legend's sign for all of them.
var ink = color.Gray{0}

// shares are rates as points with what lies below and above them.
type shares struct {
	plotter.XYs
	plotter.YErrors
}

func (rep Report) plotSuccess(p *plot.Plot) (bool, error) {
	p.Y.Label.Text, p.Y.Min, p.Y.Max = "share of cells", 0, 1
	if len(rep.Arms) == 0 {
		return false, nil
	}
	var names []string
	for _, a := range rep.Arms {
		names = append(names, a.Arm)
	}
	for i, kind := range []struct {
		name  string
		of    func(ArmReport) benchmarks.Rate
		shape vgdraw.GlyphDrawer
	}{{"strict", func(a ArmReport) benchmarks.Rate { return a.Success }, vgdraw.CircleGlyph{}},
		{"solved", func(a ArmReport) benchmarks.Rate { return a.Lenient }, vgdraw.SquareGlyph{}}} {
		for x, a := range rep.Arms {
			r := kind.of(a)
			at := plotter.XY{X: float64(x) + 0.16*float64(i) - 0.08, Y: r.Share}
			s := shares{plotter.XYs{at}, plotter.YErrors{{Low: r.Share - r.Low, High: r.High - r.Share}}}
			points, err := plotter.NewScatter(s.XYs)
			if err != nil {
				return false, err
			}
			points.GlyphStyle = vgdraw.GlyphStyle{Color: shade(x), Radius: vg.Points(3), Shape: kind.shape}
			bars, err := plotter.NewYErrorBars(s)
			if err != nil {
				return false, err
			}
			bars.Color = shade(x)
			p.Add(bars, points)
		}
		sign := vgdraw.GlyphStyle{Color: ink, Radius: vg.Points(3), Shape: kind.shape}
		p.Legend.Add(kind.name, &plotter.Scatter{GlyphStyle: sign})
	}
	p.NominalX(names...)
	p.X.Min, p.X.Max = -0.5, float64(len(names))-0.5
	slant(p, len(names))
	return true, nil
}

// slant turns the names below many columns, so that they do not run into each other.
func slant(p *plot.Plot, n int) {
	if n > 5 {
		p.X.Tick.Label.Rotation, p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = 0.6, vgdraw.XRight,
			vgdraw.YTop
	}
}

func (rep Report) plotSteps(p *plot.Plot) (bool, error) {
	p.X.Label.Text, p.Y.Label.Text = "steps", "share of cells"
	return rep.plotReached(p, "", 0, func(r benchmarks.Result) (int, bool) { return r.Steps, r.Lenient })
}

func (rep Report) plotSignals(p *plot.Plot) (bool, error) {
	p.X.Label.Text, p.Y.Label.Text = "step", "share of cells"
	soft, err := rep.plotReached(p, " soft", 0, func(r benchmarks.Result) (int, bool) {
		return r.FirstSoft,
			r.FirstSoft > 0
	})
	if err != nil {
		return false, err
	}
	hard, err := rep.plotReached(p, " hard", 1, func(r benchmarks.Result) (int, bool) {
		return r.FirstHard,
			r.FirstHard > 0
	})
	return soft || hard, err
}

// plotReached has a line an arm: the share of its cells in which something had come by so many steps. That of
// an arm in which it never came lies at 0. Where it came in no arm there is no plot. When says the step;
// which is the line among those of one arm.
func (rep Report) plotReached(p *plot.Plot, suffix string, which int,
	when func(benchmarks.Result) (step int, ever bool)) (bool, error) {
	p.Y.Min, p.Y.Max, p.X.Min = 0, 1, 0
	some, longest := false, 0.0
	for _, r := range rep.Results {
		longest = max(longest, float64(r.Steps))
	}
	for i, a := range rep.Arms {
		mine := rep.of(a.Arm)
		var steps []int
		for _, r := range mine {
			if n, ever := when(r); ever {
				steps = append(steps, n)
			}
		}
		some = some || len(steps) > 0
		slices.Sort(steps)
		line := plotter.XYs{{X: 0, Y: 0}}
		for k, n := range steps {
			at := plotter.XY{X: float64(n), Y: float64(k+1) / float64(len(mine))}
			if last := &line[len(line)-1]; last.X == at.X {
				last.Y = at.Y
				continue
			}
			line = append(line, at)
		}
		if end := line[len(line)-1]; end.X < longest { // so that lines can be compared at every step
			line = append(line, plotter.XY{X: longest, Y: end.Y})
		}
		l, err := plotter.NewLine(line)
		if err != nil {
			return false, err
		}
		l.StepStyle = plotter.PostStep
		l.Color, l.Dashes, l.Width = shade(i), dashes(i, which), vg.Points(1.5)
		p.Add(l)
		p.Legend.Add(a.Arm+suffix, l)
	}
	p.Legend.Left = true
	p.X.Max = longest * 1.04 // else the last number is cut off
	return some, nil
}

func (rep Report) plotRecoveries(p *plot.Plot) (bool, error) {
	p.Y.Label.Text = "recoveries"
	var reasons []cua.Reason
	var names []string
	for _, reason := range cua.Reasons() {
		if slices.ContainsFunc(rep.Arms, func(a ArmReport) bool { return a.recovered(reason) > 0 }) {
			reasons = append(reasons, reason)
			names = append(names, string(reason))
		}
	}
	if len(reasons) == 0 {
		return false, nil
	}
	some := len(rep.Arms)
	width, most := plotWidth*0.6/vg.Length(len(reasons)*some), 0.0
	for i, a := range rep.Arms {
		var counts plotter.Values
		for _, reason := range reasons {
			counts = append(counts, float64(a.recovered(reason)))
			most = max(most, counts[len(counts)-1])
		}
		bars, err := plotter.NewBarChart(counts, width)
		if err != nil {
			return false, err
		}
		bars.Color, bars.LineStyle.Width = shade(i), 0
		bars.Offset = width * (vg.Length(i) - vg.Length(some-1)/2)
		p.Add(bars)
		p.Legend.Add(a.Arm, bars)
	}
	p.Y.Max = most * (1.1 + 0.08*float64(some)) // the legend lies above the bars
	p.Y.Tick.Marker = whole{}
	p.Legend.Left = true // at the right its names run into their colours
	p.X.Min, p.X.Max = -0.5, float64(len(names))-0.5
	p.NominalX(names...)
	slant(p, len(names)+3) // reasons are long names
	return true, nil
}

// whole are the ticks at whole numbers, at most eight of them: there is no half recovery.
type whole struct{}

func (whole) Ticks(low, high float64) []plot.Tick {
	var out []plot.Tick
	every := math.Max(1, math.Ceil((high-low)/8))
	for v := math.Ceil(low); v <= high; v += every {
		out = append(out, plot.Tick{Value: v, Label: fmt.Sprint(v)})
	}
	return out
}

// recovered is how often the arm recovered for that reason.
func (a ArmReport) recovered(reason cua.Reason) int {
	for _, r := range a.Recoveries {
		if r.Reason == reason {
			return r.Count
		}
	}
	return 0
}
