package formats

import (
	"archive/zip"
	"bytes"
	"cmp"
	"fmt"
	"image"
	_ "image/jpeg" // a frame is one of the two
	_ "image/png"
	"io"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// traceVersion is the version of Playwright's trace that is written. Viewers from 1.53 on read it.
const traceVersion = 8

// tracePage, traceFrame and traceHost name what a trace needs names for.
const (
	tracePage  = "page@1"
	traceFrame = "frame@1"
	traceHost  = "http://frames.invalid/"
)

func traceExporter() Exporter {
	return Exporter{Name: "trace", About: "a Playwright trace, for npx playwright show-trace",
		MediaType: "application/zip", Ext: ".zip", Frames: AllFrames, One: true,
		Write: func(w io.Writer, runs []DatasetRun, o ExportOptions) error {
			t, err := only(runs, "trace")
			if err != nil {
				return err
			}
			return writeTrace(w, t, o.Frames)
		},
		Folder: func(dir string, runs []DatasetRun, o ExportOptions) error {
			nameRuns(runs)
			return writeFolder(dir, func(f *outFolder) error {
				for i := range runs {
					err := f.file(f.own(runs[i].fileName(), ".zip"), func(w io.Writer) error {
						return writeTrace(w, runs[i].Trajectory, o.Frames)
					})
					if err != nil {
						return err
					}
				}
				return nil
			})
		}}
}

// event is one line of a trace.
type event = map[string]any

// tracer makes the files of a trace. The first error stays.
type tracer struct {
	t       *trajectories.Trajectory
	history cua.History
	frames  Frames
	zip     *zip.Writer
	lines   bytes.Buffer // trace.trace
	network bytes.Buffer // trace.network
	shown   map[string]picture
	now     float64 // ms since the start
	err     error
}

// picture is a frame as a resource of the trace.
type picture struct {
	name string
	w, h int
}

func writeTrace(w io.Writer, t *trajectories.Trajectory, frames Frames) error {
	z := zip.NewWriter(w)
	x := tracer{t: t, history: t.History(), frames: frames, zip: z, shown: map[string]picture{}}
	x.start()
	for i := range t.Steps {
		x.step(i)
	}
	x.resource("trace.trace", x.lines.Bytes())
	x.resource("trace.network", x.network.Bytes())
	if err := cmp.Or(x.err, z.Close()); err != nil {
		return fmt.Errorf("trajectories: exporting a trace: %w", err)
	}
	return nil
}

// start says what was driven, with the first frame.
func (x *tracer) start() {
	h := &x.t.Header
	wall := int64(0)
	if !h.Started.IsZero() {
		wall = h.Started.UnixMilli()
	}
	view := x.viewport(&x.t.Start)
	x.line(event{"type": "context-options", "version": traceVersion, "origin": "library",
		"browserName": "chromium", "platform": h.Host.OS, "wallTime": wall, "monotonicTime": 0,
		"title": h.Episode + ": " + h.Task.Goal, "sdkLanguage": "javascript", "contextId": "context@1",
		"options": event{"viewport": event{"width": view.W, "height": view.H}}})
	if x.frames == AllFrames {
		x.screencast(x.t.Start.FrameSHA)
	}
	x.now = 1 // a snapshot sees only what was loaded before it
}

// viewport is that of a page, or what the header says.
func (x *tracer) viewport(o *cua.Observation) cua.Size {
	for _, v := range []cua.Size{o.Viewport, x.t.Header.Viewport, x.t.Start.Viewport} {
		if v != (cua.Size{}) {
			return v
		}
	}
	return cua.Size{W: 1280, H: 720}
}

// step writes step i. Newer viewers show a blank page where the order is another.
func (x *tracer) step(i int) {
	s := &x.t.Steps[i]
	before, last := x.history.Before(i), i == len(x.t.Steps)-1
	id := fmt.Sprintf("call@%d", s.N)
	shows := x.frames == AllFrames
	begin := event{"type": "before", "callId": id, "startTime": x.now, "title": traceTitle(s),
		"class": "Page", "method": string(traceKind(s)), "pageId": tracePage,
		"params": event{"proposed": s.Proposed, "dispatched": s.Action}}
	seen := shows && before.FrameSHA != ""
	if seen {
		begin["beforeSnapshot"] = "before@" + id
	}
	x.line(begin)
	input := event{"type": "input", "callId": id}
	if seen {
		x.snapshot("before@"+id, id, &before)
		input["inputSnapshot"] = "input@" + id
	}
	if p := tracePoint(s); p != nil {
		input["point"] = *p
	}
	x.line(input)
	if seen {
		x.snapshot("input@"+id, id, &before)
	}
	for _, text := range traceLog(s) {
		x.line(event{"type": "log", "callId": id, "time": x.now, "message": text})
	}
	x.now += max(s.Timing.Total(), 1)
	end := event{"type": "after", "callId": id, "endTime": x.now, "attachments": []event{x.attach(s)}}
	if s.Failure != nil {
		end["error"] = event{"name": string(s.Failure.Kind),
			"message": strings.TrimSpace(string(s.Failure.Kind) + ": " + s.Failure.Detail)}
	}
	seen = (shows || x.frames == LastFrame && last) && s.After.FrameSHA != ""
	if seen {
		end["afterSnapshot"] = "after@" + id
	}
	x.line(end)
	if seen {
		x.snapshot("after@"+id, id, &s.After)
		x.screencast(s.After.FrameSHA)
	}
	x.now++
}

// traceKind is the kind of what was done, or asked for.
func traceKind(s *cua.Step) cua.Kind {
	if s.Action != nil {
		return s.Action.Kind
	}
	return cmp.Or(s.Proposed.Kind, "unreadable")
}

// traceTitle is a step in one line, as in: 7 click Save → key Tab [loop_recovery: tab_to_next_field].
func traceTitle(s *cua.Step) string {
	words := func(a cua.Action) string {
		return strings.TrimSpace(string(a.Kind) + " " + trajectories.Arguments(a))
	}
	name := cmp.Or(s.Target.Name, s.Target.Text)
	out := fmt.Sprintf("%d %s", s.N, cmp.Or(string(s.Proposed.Kind), "unreadable reply"))
	if name != "" {
		out += " " + name
	} else if rest := trajectories.Arguments(s.Proposed); rest != "" {
		out += " " + rest
	}
	switch r, ok := s.Ruled(); {
	case s.Substituted() && s.RecoveryReason != "":
		out += fmt.Sprintf(" → %s [loop_recovery: %s]", words(*s.Action), s.RecoveryReason)
	case s.Substituted():
		out += fmt.Sprintf(" → %s [%s: %s]", words(*s.Action), r.Gate, r.Reason)
	case ok && r.Verdict != cua.Accept:
		out += fmt.Sprintf(" [%s %s: %s]", r.Gate, r.Verdict, r.Reason)
	}
	return cua.Flat(out)
}

// tracePoint is where the step acted, or asked to.
func tracePoint(s *cua.Step) *cua.Point {
	if s.Action != nil && s.Action.Point != nil {
		return s.Action.Point
	}
	return cmp.Or(s.Proposed.Point, s.Target.Point)
}

// traceLog are the lines beside a step: what the detectors, the gates, the notes and the brain said.
func traceLog(s *cua.Step) (out []string) {
	for _, g := range s.Signals {
		out = append(out, fmt.Sprintf("signal %s %s since step %d %s", g.Shape, g.Level, g.Since, g.Target))
	}
	for _, r := range s.Rulings {
		if r.Verdict != cua.Pass {
			out = append(out, fmt.Sprintf("ruling %s %s %s: %s", r.Gate, r.Verdict, r.Reason, r.Detail))
		}
	}
	for _, n := range s.Notes {
		out = append(out, fmt.Sprintf("note %s: %s", n.From, n.Text))
	}
	if s.Thought != "" {
		out = append(out, "thought "+s.Thought)
	}
	if words := outcomeWords(s); words != "" {
		out = append(out, "outcome "+words)
	}
	return out
}

// attach stores the record of the step, and is its attachment.
func (x *tracer) attach(s *cua.Step) event {
	var text bytes.Buffer
	enc := encoder(&text)
	enc.SetIndent("", "  ")
	if err := enc.Encode(exportStep(s)); err != nil {
		x.err = cmp.Or(x.err, err)
	}
	name := fmt.Sprintf("step-%d.json", s.N)
	x.resource("resources/"+name, text.Bytes())
	return event{"name": "step.json", "contentType": "application/json", "sha1": name}
}

// snapshot writes a page of one image.
func (x *tracer) snapshot(name, call string, o *cua.Observation) {
	p := x.picture(o.FrameSHA)
	view := x.viewport(o)
	style := fmt.Sprintf("display:block;width:%dpx", view.W)
	x.line(event{"type": "frame-snapshot", "snapshot": event{"callId": call, "snapshotName": name,
		"pageId": tracePage, "frameId": traceFrame, "frameUrl": cua.PublicURL(o.URL), "doctype": "html",
		"timestamp": x.now, "collectionTime": 0, "isMainFrame": true, "resourceOverrides": []any{},
		"viewport": event{"width": view.W, "height": view.H},
		"html": []any{"HTML", event{}, []any{"HEAD", event{}}, []any{"BODY", event{"style": "margin:0"},
			[]any{"IMG", event{"src": traceHost + p.name, "style": style}}}}}})
}

func (x *tracer) screencast(sha string) {
	if sha == "" {
		return
	}
	p := x.picture(sha)
	x.line(event{"type": "screencast-frame", "pageId": tracePage, "sha1": p.name, "width": p.w,
		"height": p.h, "timestamp": x.now})
}

// picture stores a frame once, with the request by which snapshots find it.
func (x *tracer) picture(sha string) picture {
	if p, ok := x.shown[sha]; ok || x.err != nil {
		return p
	}
	data, err := x.t.Blob(sha)
	if err != nil {
		x.err = err
		return picture{}
	}
	p := picture{name: sha + imageExt(data)}
	if c, _, err := image.DecodeConfig(bytes.NewReader(data)); err == nil {
		p.w, p.h = c.Width, c.Height
	}
	x.shown[sha] = p
	x.resource("resources/"+p.name, data)
	mime := mimeOf(p.name)
	write(x, &x.network, event{"type": "resource-snapshot", "snapshot": event{"pageref": tracePage,
		"_frameref": traceFrame, "_monotonicTime": 0, "time": 0, "cache": event{},
		"startedDateTime": "1970-01-01T00:00:00.000Z",
		"timings":         event{"send": -1, "wait": -1, "receive": -1},
		"request": event{"method": "GET", "url": traceHost + p.name, "httpVersion": "HTTP/1.1",
			"cookies": []any{}, "headers": []any{}, "queryString": []any{}, "headersSize": -1, "bodySize": 0},
		"response": event{"status": 200, "statusText": "OK", "httpVersion": "HTTP/1.1", "cookies": []any{},
			"headers":     []event{{"name": "Content-Type", "value": mime}},
			"content":     event{"size": len(data), "mimeType": mime, "_sha1": p.name},
			"headersSize": -1, "bodySize": len(data), "redirectURL": ""}}})
	return p
}

func (x *tracer) line(e event) { write(x, &x.lines, e) }

func write(x *tracer, to *bytes.Buffer, e event) {
	x.err = cmp.Or(x.err, encoder(to).Encode(e))
}

// resource adds a file without a time: two exports are the same bytes.
func (x *tracer) resource(name string, data []byte) {
	if x.err != nil {
		return
	}
	f, err := x.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
	if err == nil {
		_, err = f.Write(data)
	}
	x.err = err
}
