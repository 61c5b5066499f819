package frames

import (
	"context"
	"encoding/base64"
	"errors"
	wire "github.com/cua-runner/cua-runner/browser/internal/cdp"
	"github.com/cua-runner/cua-runner/browser/internal/cdp/cdptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/page"

	"github.com/cua-runner/cua-runner/cua"
)

// TestFramesUnanswered says that a screenshot that is not answered is asked for again, and that one that
// never is ends with an error in time. The clock is virtual.
func TestFramesUnanswered(t *testing.T) {
	const picture = "a picture"
	for _, tt := range []struct {
		name string
		lost int // of the first requests
		fail bool
	}{
		{"none is lost", 0, false},
		{"the first is lost", 1, false},
		{"two are lost", 2, false},
		{"all but the last are lost", captures - 1, false},
		{"all are lost", captures, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			asked := 0
			l := cdptest.NewLine()
			c, root := wire.NewConn(l)
			defer c.Close()
			go l.Answer(func(m *cdproto.Message) (string, bool) {
				if string(m.Method) != page.CaptureScreenshot.Method {
					return "{}", true
				}
				asked++
				return `{"data":"` + base64.StdEncoding.EncodeToString([]byte(picture)) + `"}`, asked > tt.lost
			})
			f := New(root, cua.Size{W: 9, H: 9}, 1, false)
			defer f.Close()
			start := time.Now()
			shot, err := f.Take(t.Context(), Want{})
			switch {
			case tt.fail && !errors.Is(err, context.DeadlineExceeded),
				!tt.fail && (err != nil || shot.How != byCapture || string(shot.Data) != picture):
				t.Errorf("%s: got %q by %q, %v", tt.name, shot.Data, shot.How, err)
			case time.Since(start) > takeDeadline:
				t.Errorf("%s: took %v", tt.name, time.Since(start))
			}
			synctest.Wait()
			if want := min(tt.lost+1, captures); asked != want {
				t.Errorf("%s: it was asked for %d times, want %d", tt.name, asked, want)
			}
		})
	}
}

// A page that gave no picture is waited for shortly until one comes, also when it comes after its take.
func TestADarkPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var answers atomic.Bool
		l := cdptest.NewLine()
		c, root := wire.NewConn(l)
		defer c.Close()
		go l.Answer(func(m *cdproto.Message) (string, bool) {
			if string(m.Method) != page.CaptureScreenshot.Method {
				return "{}", true
			}
			return `{"data":"cGljdHVyZQ=="}`, answers.Load()
		})
		f := New(root, cua.Size{W: 9, H: 9}, 1, false)
		defer f.Close()
		for _, row := range []struct {
			name    string
			answers bool
			took    time.Duration
		}{
			{"the first", false, takeDeadline}, {"the second", false, darkDeadline},
			{"one with a picture", true, 0}, {"one after that", false, takeDeadline},
			{"another", false, darkDeadline},
		} {
			answers.Store(row.answers)
			start := time.Now()
			_, err := f.Take(t.Context(), Want{})
			if (err == nil) != row.answers || time.Since(start) != row.took {
				t.Errorf("%s: %v after %v, want %v", row.name, err, time.Since(start), row.took)
			}
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		f.light(true)
		if _, err := f.Take(gone, Want{}); err == nil || f.dark {
			t.Errorf("a take that its caller ended: %v, dark %v", err, f.dark)
		}
	})
}
