package browser

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	wire "github.com/cua-runner/cua-runner/browser/internal/cdp"
	"github.com/cua-runner/cua-runner/cua"
)

// browsers are the executables that frames and input are tested with.
func browsers(t testing.TB) map[string]string {
	t.Helper()
	out := map[string]string{}
	for name, path := range map[string]string{
		"headless shell": "/usr/lib/chromium/chromium-headless-shell",
		"new headless":   "/usr/lib/chromium/chromium",
	} {
		if _, err := os.Stat(path); err == nil {
			out[name] = path
		}
	}
	if path := os.Getenv("CUA_BROWSER"); path != "" {
		out = map[string]string{filepath.Base(path): path}
	}
	if len(out) == 0 {
		t.Skip("no Chromium is installed")
	}
	return out
}

// bare is one tab of one browser, driven with nothing but the protocol.
type bare struct {
	t    testing.TB
	s    wire.Caller
	view cua.Size
}

// openTab opens a tab of a browser.
func openTab(t testing.TB, root *wire.Session) *bare {
	t.Helper()
	ctx := t.Context()
	tab, err := cdp.Call(ctx, root, target.CreateTarget, target.CreateTargetParams{URL: "about:blank"})
	if err != nil {
		t.Fatal(err)
	}
	at, err := cdp.Call(ctx, root, target.AttachToTarget, target.AttachToTargetParams{TargetID: tab.TargetID,
		Flatten: new(true)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_, _ = cdp.Call(ctx, root, target.CloseTarget, target.CloseTargetParams(tab))
	})
	b := &bare{t: t, s: root.Conn().Session(at.SessionID), view: cua.Size{W: 1280, H: 800}}
	bareCall(b, page.Enable, page.EnableParams{})
	bareCall(b, runtime.Enable, cdp.Empty{})
	bareCall(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: int64(b.view.W), Height: int64(b.view.H), DeviceScaleFactor: 1})
	return b
}

// bareCall runs a command that must work.
func bareCall[P, R any](b *bare, c cdp.Command[P, R], p P) R {
	b.t.Helper()
	res, err := cdp.Call(b.t.Context(), b.s, c, p)
	if err != nil {
		b.t.Fatalf("%s: %v", c.Method, err)
	}
	return res
}

// load shows html and waits until it was painted.
func (b *bare) load(html string) {
	b.t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte("<!doctype html>" + html))
	}))
	b.t.Cleanup(srv.Close)
	loaded, cancel := b.s.Subscribe(page.LoadEventFired.Method)
	defer cancel()
	bareCall(b, page.Navigate, page.NavigateParams{URL: srv.URL})
	select {
	case <-loaded:
	case <-time.After(patience):
		b.t.Fatal("the page did not load")
	}
	b.eval("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))")
}

// eval runs an expression, waits for its promise, and returns the JSON of its value.
func (b *bare) eval(expr string) string {
	b.t.Helper()
	res := bareCall(b, runtime.Evaluate, runtime.EvaluateParams{Expression: expr, AwaitPromise: new(true),
		ReturnByValue: new(true)})
	if res.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", expr, res.ExceptionDetails.Text)
	}
	return string(res.Result.Value)
}

// corner is the colour of the first pixel of a frame as 0xrrggbb. Nothing precedes it, so that no
// PNG filter changes it, and the rest of the frame need not be decoded.
func corner(t testing.TB, shot cua.Shot) int {
	t.Helper()
	data := shot.Data[min(8, len(shot.Data)):]
	for len(data) > 12 {
		n := int(binary.BigEndian.Uint32(data))
		if n < 0 || n > len(data)-12 {
			break
		}
		if string(data[4:8]) == "IDAT" {
			z, err := zlib.NewReader(bytes.NewReader(data[8 : 8+n]))
			if err != nil {
				t.Fatal(err)
			}
			p := make([]byte, 4)
			if _, err := io.ReadFull(z, p); err != nil {
				t.Fatal(err)
			}
			return int(p[1])<<16 | int(p[2])<<8 | int(p[3])
		}
		data = data[12+n:]
	}
	t.Fatalf("a frame of %d bytes has no pixels", len(shot.Data))
	return 0
}

// bareBrowser starts a browser as Launch does, but without the sessions that Launch keeps, and
// returns its root session.
func bareBrowser(t testing.TB, path string) *wire.Session {
	t.Helper()
	uid := -1
	if os.Getuid() == 0 {
		uid = wire.Nobody
	}
	home, err := wire.NewProfile(os.TempDir(), uid)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = home.Remove() })
	flags := slices.DeleteFunc(arguments(Options{}, home.Dir, "", isShell(path)), func(flag string) bool {
		return strings.HasPrefix(flag, "--proxy-") // its pages are ours, and belong to no session
	})
	proc, tr, err := wire.Start(path, flags, home.Dir, uid)
	if err != nil {
		t.Fatal(err)
	}
	c, root := wire.NewConn(tr)
	t.Cleanup(func() { proc.Kill(); c.Close() })
	return root
}
