package browser

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Use is what a process and all below it use.
type Use struct {
	// Processes is how many there are.
	Processes int
	// CPU is the time that they have run, with that of their children that have ended.
	CPU time.Duration
	// RSS is the memory that they hold, bytes, with what several of them share counted for each of them.
	RSS int64
	// PSS is the same with what several of them share divided among them: never more than RSS. 0 is unknown.
	PSS int64
}

// clockTick is the unit of CPU time in /proc: 100 a second on every Linux that Chromium runs on.
const clockTick = 10 * time.Millisecond

// NoPSS is so much RSS that nothing has more.
const NoPSS = math.MaxInt64

// TreeUse measures a process and all below it. It is an error where /proc does not say what they are. PSS
// takes the kernel some milliseconds a process and is measured only where RSS is above so many bytes.
func TreeUse(pid int, rss int64) (Use, error) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is good
	type process struct{ parent, ticks, pages int }
	all := map[int]process{}
	for _, path := range stats {
		raw, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		id, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		// The name in parentheses may hold anything; the fields after it are numbers (proc(5)).
		f := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:]))
		if len(f) < 22 {
			continue
		}
		p := process{}
		p.parent, _ = strconv.Atoi(f[1])
		for _, s := range f[11:15] {
			n, _ := strconv.Atoi(s)
			p.ticks += n
		}
		p.pages, _ = strconv.Atoi(f[21])
		all[id] = p
	}
	if _, ok := all[pid]; !ok {
		return Use{}, fmt.Errorf("browser: measuring process %d: /proc does not have it", pid)
	}
	var u Use
	var in []int
	for id := range all {
		above := id
		for n := 0; above != pid && above > 1 && n < 100; n++ {
			above = all[above].parent
		}
		if above != pid {
			continue
		}
		u.Processes++
		u.CPU += time.Duration(all[id].ticks) * clockTick
		u.RSS += int64(all[id].pages * os.Getpagesize())
		in = append(in, id)
	}
	if u.RSS > rss {
		for _, id := range in {
			u.PSS += share(id)
		}
	}
	return u, nil
}

// share is the PSS of one process, bytes; 0 where it cannot be read.
func share(pid int) int64 {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0
	}
	return kilobytes(raw, "Pss:")
}

// Use is what the browser with all its processes uses.
func (b *Browser) Use() (Use, error) { return b.UseAbove(0) }

// UseAbove is Use, but PSS is measured only where RSS is above so many bytes.
func (b *Browser) UseAbove(rss int64) (Use, error) {
	if b.remote {
		return Use{}, fmt.Errorf("browser: measuring: %w", errUnsupported)
	}
	return TreeUse(b.proc.PID(), rss)
}

// stopped says whether a renderer of the browser is stopped by a signal or a debugger.
func (b *Browser) stopped() bool {
	m := memory{renders: map[int]bool{}}
	return slices.ContainsFunc(m.members(b.proc.PID()), func(p member) bool {
		return p.renderer && p.stopped
	})
}
