package benchmarks

import (
	"bytes"
	"fmt"
	"html/template"
	"image/color"
	"io"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

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

// Plots are success by arm with its intervals, steps to success, where in an episode signals fire, and recoveries by reason;
// what nothing is known of is left out.
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
			return nil, fmt.Errorf("benchmarks: drawing %s: %w", p.name, err)
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
	c := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(plotWidth, plotHeight), vgimg.UseDPI(2*vgimg.DefaultDPI))}
	p.plot.Draw(vgdraw.New(c))
	_, err := c.WriteTo(w)
	return err
}

// inline is the SVG as a page takes it in, without what comes before its first element.
func (p Plot) inline() (template.HTML, error) {
	var b bytes.Buffer
	if err := p.WriteSVG(&b); err != nil {
		return "", err
	}
	text := b.Bytes()
	return template.HTML(text[max(bytes.Index(text, []byte("<svg")), 0):]), nil // gonum escapes what it draws
}

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
func (s *Study) writePlots(rep Report) error {
	plots, err := rep.Plots()
	if err != nil {
		return err
	}
	for _, p := range plots {
		if err := s.writeFile("plot-"+p.Name+".svg", p.WriteSVG); err != nil {
			return err
		}
		if err := s.writeFile("plot-"+p.Name+".png", p.WritePNG); err != nil {
			return err
		}
	}
	return nil
}

// shade is the colour of an arm, one that can be told from white.
func shade(i int) color.Color { return plotutil.DarkColors[i%len(plotutil.DarkColors)] }

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
		name string
		of   func(ArmReport) Rate
	}{{"strict", func(a ArmReport) Rate { return a.Success }}, {"solved", func(a ArmReport) Rate { return a.Lenient }}} {
		var s shares
		for x, a := range rep.Arms {
			r := kind.of(a)
			s.XYs = append(s.XYs, plotter.XY{X: float64(x) + 0.16*float64(i) - 0.08, Y: r.Share})
			s.YErrors = append(s.YErrors, struct{ Low, High float64 }{r.Share - r.Low, r.High - r.Share})
		}
		points, err := plotter.NewScatter(s.XYs)
		if err != nil {
			return false, err
		}
		points.GlyphStyle = vgdraw.GlyphStyle{Color: shade(i), Radius: vg.Points(3), Shape: plotutil.Shape(i)}
		bars, err := plotter.NewYErrorBars(s)
		if err != nil {
			return false, err
		}
		bars.Color = shade(i)
		p.Add(bars, points)
		p.Legend.Add(kind.name, points)
	}
	p.NominalX(names...)
	p.X.Min, p.X.Max = -0.5, float64(len(names))-0.5
	slant(p, len(names))
	return true, nil
}

// slant turns the names below many columns, so that they do not run into each other.
func slant(p *plot.Plot, n int) {
	if n > 5 {
		p.X.Tick.Label.Rotation, p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = 0.6, vgdraw.XRight, vgdraw.YTop
	}
}

func (rep Report) plotSteps(p *plot.Plot) (bool, error) {
	p.X.Label.Text, p.Y.Label.Text = "steps", "share of cells"
	return rep.plotReached(p, "", 0, func(r Result) (int, bool) { return r.Steps, r.Lenient })
}

func (rep Report) plotSignals(p *plot.Plot) (bool, error) {
	p.X.Label.Text, p.Y.Label.Text = "step", "share of cells"
	soft, err := rep.plotReached(p, " soft", 0, func(r Result) (int, bool) { return r.FirstSoft, r.FirstSoft > 0 })
	if err != nil {
		return false, err
	}
	hard, err := rep.plotReached(p, " hard", 1, func(r Result) (int, bool) { return r.FirstHard, r.FirstHard > 0 })
	return soft || hard, err
}

// plotReached has a line an arm: the share of its cells in which something had come by so many steps. An arm in which it
// never came has none.
func (rep Report) plotReached(p *plot.Plot, suffix string, dashes int, when func(Result) (step int, ever bool)) (bool, error) {
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
		if len(steps) == 0 {
			continue
		}
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
		l.Color, l.Dashes = shade(i), plotutil.Dashes(dashes)
		p.Add(l)
		p.Legend.Add(a.Arm+suffix, l)
		some = true
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
	some := 0
	for _, a := range rep.Arms {
		if len(a.Recoveries) > 0 {
			some++
		}
	}
	width, drawn, most := plotWidth*0.6/vg.Length(len(reasons)*some), 0, 0.0
	for i, a := range rep.Arms { // an arm has its colour in every plot
		if len(a.Recoveries) == 0 {
			continue
		}
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
		bars.Offset = width * (vg.Length(drawn) - vg.Length(some-1)/2)
		drawn++
		p.Add(bars)
		p.Legend.Add(a.Arm, bars)
	}
	p.Y.Max = most * (1.1 + 0.08*float64(some)) // the legend lies above the bars
	p.Legend.Left = true                        // at the right its names run into their colours
	p.X.Min, p.X.Max = -0.5, float64(len(names))-0.5
	p.NominalX(names...)
	slant(p, len(names)+3) // reasons are long names
	return true, nil
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
