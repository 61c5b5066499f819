package browser

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/cua"
)

// whitePNG is a white picture of side×side pixels.
func whitePNG(side int) []byte {
	var data bytes.Buffer
	z, _ := zlib.NewWriterLevel(&data, zlib.BestSpeed) // the level is good
	row := append([]byte{0}, bytes.Repeat([]byte{0xff}, (side+7)/8)...)
	for range side {
		_, _ = z.Write(row)
	}
	_ = z.Close() // into memory
	out := bytes.NewBufferString("\x89PNG\r\n\x1a\n")
	chunk := func(kind string, body []byte) {
		_ = binary.Write(out, binary.BigEndian, uint32(len(body)))
		all := append([]byte(kind), body...)
		out.Write(all)
		_ = binary.Write(out, binary.BigEndian, crc32.ChecksumIEEE(all))
	}
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(side)), uint32(side))
	chunk("IHDR", append(head, 1, 0, 0, 0, 0)) // one bit of grey
	chunk("IDAT", data.Bytes())
	chunk("IEND", nil)
	return out.Bytes()
}

// bombs are what a page does to use up memory.
var bombs = []struct{ name, page string }{
	{"heap", `<script>const all=[];setInterval(()=>{for(let i=0;i<200;i++)all.push(Array(1e4).fill(1.5))},1)</script>`},
	{"array buffers", `<script>const all=[];setInterval(()=>all.push(new Uint8Array(3e7).fill(1)),1)</script>`},
	{"canvases", `<script>const all=[];setInterval(()=>{const c=document.createElement('canvas');c.width=c.height=4000;
		c.getContext('2d').fillRect(0,0,4000,4000);c.getContext('2d').getImageData(0,0,9,9);all.push(c)},1)</script>`},
	{"workers", `<script>const code='const all=[];setInterval(()=>all.push(new Uint8Array(1e7).fill(1)),1)';
		for(let i=0;i<4;i++)new Worker(URL.createObjectURL(new Blob([code])))</script>`},
	{"a picture", `<img src=/white.png>`},
	{"a frame of another site", `<iframe src="OTHER/frame"></iframe>`},
	{"frames of eight sites, none of them large", `<script>for(let i=0;i<8;i++){const f=document.createElement('iframe');
		f.src='http://site'+i+'.localhost:'+location.port+'/frame';document.body.append(f)}</script>`},
	{"blobs", `<script>const all=[],b=new Uint8Array(3e7).fill(1);setInterval(()=>all.push(new Blob([b])),1)</script>`},
}

// peak is the most that a browser holds while f runs, bytes, by other means than the cap: up to a limit RSS,
// which is never less than PSS and soon measured, and PSS above it.
func peak(b *Browser, limit int64, f func()) (most int64) {
	done := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		for {
			if u, err := b.UseAbove(limit); err == nil {
				most = max(most, min(u.RSS, cmp.Or(u.PSS, limit)))
			}
			select {
			case <-done:
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
	})
	f()
	close(done)
	all.Wait()
	return most
}

// A page that uses up memory ends its own episode, and no other one of its browser.
func TestMemoryIsCapped(t *testing.T) {
	t.Parallel()
	const limit = 1400
	white := whitePNG(30000)
	kinds(t, Options{}, func(t *testing.T, one *Browser) {
		for _, bomb := range bombs {
			t.Run(bomb.name, func(t *testing.T) {
				// One of its own: what a page leaves in its memory may retire a browser.
				b := alone(t, Options{Path: one.Info().Path, MaxMB: limit})
				ts := serve(t, func(w http.ResponseWriter, r *http.Request) {
					switch r.URL.Path {
					case "/white.png":
						w.Header().Set("Content-Type", "image/png")
						_, _ = w.Write(white)
					case "/bomb":
						other := "http://" + strings.Replace(r.Host, "127.0.0.1", "localhost", 1)
						fmt.Fprint(w, "<!doctype html><title>bomb</title><body>",
							strings.ReplaceAll(bomb.page, "OTHER", other))
					case "/frame":
						fmt.Fprint(w, "<!doctype html>"+bombs[1].page)
					default:
						fmt.Fprint(w, "<!doctype html>"+oneButton)
					}
				})
				guilty, other := on(t, b, SessionOptions{}, ts.URL), on(t, b, SessionOptions{}, ts.URL)
				defer guilty.Close()
				defer other.Close()
				var out cua.Outcome
				waits := 60 // how fast memory fills is a matter of the machine
				if bomb.name == "a picture" {
					waits = 5 // it may not fill any
				}
				began := time.Now()
				most := peak(b, limit<<20*6/5, func() {
					out = guilty.act(cua.Action{Kind: cua.Navigate, URL: ts.URL + "/bomb"})
					for n := 0; n < waits && (out.Failure == nil || out.Failure.Kind.End() == ""); n++ {
						out = guilty.act(cua.Action{Kind: cua.Wait, MS: 1000})
					}
				})
				t.Logf("%v: %v; at most %d MiB", time.Since(began), out.Failure, most>>20)
				if f := out.Failure; f == nil && bomb.name == "a picture" {
					t.Log("the browser does not unpack such a picture")
				} else if f == nil || f.Kind != cua.FailSite ||
					!strings.HasPrefix(f.Detail, faultMemory+": ") {
					t.Errorf("failure %v, want a site fault that names %s", f, faultMemory)
				}
				if most > limit<<20*6/5 {
					t.Errorf("the browser held %d MiB, more than %d and a fifth of it", most>>20, limit)
				}
				act, err := other.Act(t.Context(), other.at(cua.Action{Kind: cua.Click}, "b"))
				if err != nil || act.After.Title != "clicked" {
					t.Errorf("the other episode: %v, %v; the browser said %s", act.Failure, err,
						b.proc.Output)
				}
			})
		}
	})
}
