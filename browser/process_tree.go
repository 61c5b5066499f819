package browser

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
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
	all := read(processes())
	if _, ok := all[pid]; !ok {
		return Use{}, fmt.Errorf("browser: measuring process %d: /proc does not have it", pid)
	}
	maps.DeleteFunc(all, func(id int, _ process) bool {
		for n := 0; id != pid && id > 1 && n < 100; n++ {
			id = all[id].parent
		}
		return id != pid
	})
	return used(all, rss), nil
}

// process is what /proc says of one process. CPU time is in clockTick, memory in pages.
type process struct{ parent, ticks, pages int }

// read reads those that are still there.
func read(pids []int) map[int]process {
	all := map[int]process{}
	for _, pid := range pids {
		raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue // it has ended
		}
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
		all[pid] = p
	}
	return all
}

// used adds up what all of them use.
func used(all map[int]process, rss int64) (u Use) {
	for _, p := range all {
		u.Processes++
		u.CPU += time.Duration(p.ticks) * clockTick
		u.RSS += int64(p.pages * os.Getpagesize())
	}
	if u.RSS > rss {
		for id := range all {
			u.PSS += share(id)
		}
	}
	return u
}

// processes are the numbers of all there are; none where there is no /proc.
func processes() (out []int) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			out = append(out, pid)
		}
	}
	return out
}

// grouped are the processes of a group. Only their numbers are read of all others.
func grouped(group int) []int {
	return slices.DeleteFunc(processes(), func(pid int) bool {
		of, err := syscall.Getpgid(pid)
		return err != nil || of != group
	})
}

// share is the PSS of one process, bytes; 0 where it cannot be read.
func share(pid int) int64 {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0
	}
	return kilobytes(raw, "Pss:")
}

// Use is what the browser with all its processes uses: those of its process group.
func (b *Browser) Use() (Use, error) { return b.UseAbove(0) }

// UseAbove is Use, but PSS is measured only where RSS is above so many bytes.
func (b *Browser) UseAbove(rss int64) (Use, error) {
	if b.remote {
		return Use{}, fmt.Errorf("browser: measuring: %w", errUnsupported)
	}
	all := read(grouped(b.proc.PID()))
	if len(all) == 0 {
		return Use{}, fmt.Errorf("browser: measuring process %d: /proc does not have it", b.proc.PID())
	}
	return used(all, rss), nil
}

// stopped says whether a renderer of the browser is stopped by a signal or a debugger.
func (b *Browser) stopped() bool {
	m := memory{renders: map[int]bool{}}
	return slices.ContainsFunc(m.members(b.proc.PID()), func(p member) bool {
		return p.renderer && p.stopped
	})
}
