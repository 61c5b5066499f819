package browser

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"

	wire "github.com/cua-runner/cua-runner/browser/internal/cdp"
)

const (
	// growth is how fast a browser is taken to grow at most, bytes a second: it decides when its memory is
	// looked at again.
	growth = 4 << 30
	// lookSoonest and lookLatest bound the time between two looks.
	lookSoonest, lookLatest = 10 * time.Millisecond, time.Second
	// releaseWait is how long the memory of a process that was ended, and of its episode, may take to be
	// given back before another process is ended for it.
	releaseWait = 2 * time.Second
	// watchNice is the priority of the thread that looks: a page that takes memory keeps all cores busy.
	watchNice = -10
	// fatShare is the part of the cap from which on a process is ended at once, also right after another one.
	fatShare = 4
)

// member is one process of a browser and what it holds.
type member struct {
	pid      int
	held     int64 // bytes; own of them are shared with no other process
	own      int64
	renderer bool
}

// memory holds a browser to its cap: it looks at what the processes hold, and ends the renderer that holds
// the most where all of them hold more than the cap. The episode whose page that was ends (Session.blame).
type memory struct {
	b     *Browser
	limit int64 // bytes

	renders map[int]bool // the processes that are known to be renderers
	ended   int          // the process that was ended last; 0 is none
	endedAt time.Time    // when
}

// watch looks until the browser is gone. A machine without /proc has no cap.
func (m *memory) watch() {
	runtime.LockOSThread() // the goroutine's own thread, which ends with it
	if runtime.GOOS == "linux" {
		// Who may not do this is slower on a busy machine.
		_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, watchNice)
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-m.b.conn.Dead:
			return
		case <-timer.C:
		}
		all := m.members(m.b.proc.PID())
		if len(all) == 0 {
			return
		}
		timer.Reset(m.next(m.keep(all)))
	}
}

// next is how long it takes until the browser can be over its cap: it holds so many bytes.
func (m *memory) next(held int64) time.Duration {
	left := time.Duration(max(0, m.limit-held)) * time.Second / growth
	return min(max(left, lookSoonest), lookLatest)
}

// keep ends the fattest renderer where all are over the cap, and is what they hold.
func (m *memory) keep(all []member) int64 {
	held, own := m.sum(all)
	if held > m.limit && own <= m.limit { // what several processes share was counted for each of them
		for i := range all {
			if pss := share(all[i].pid); pss > 0 {
				all[i].held = pss
			}
		}
		held, _ = m.sum(all)
	}
	if held <= m.limit {
		return held
	}
	var fat member
	for _, p := range all {
		if p.renderer && p.pid != m.ended && p.held > fat.held {
			fat = p
		}
	}
	if fat.pid == 0 || time.Since(m.endedAt) < releaseWait && fat.held < m.limit/fatShare {
		return held
	}
	m.ended, m.endedAt = fat.pid, time.Now()
	m.b.overCap(held, fat.held)
	_ = syscall.Kill(fat.pid, syscall.SIGKILL) // it may have ended meanwhile
	return held - fat.held
}

// sum is what all hold together, and what of it belongs to one process each. A process that was ended gives
// its memory back, and can take no more.
func (m *memory) sum(all []member) (held, own int64) {
	for _, p := range all {
		if p.pid != m.ended {
			held, own = held+p.held, own+p.own
		}
	}
	return held, own
}

// overCap notes that a renderer is being ended for the memory that it holds. Whose page it showed, its crash
// tells.
func (b *Browser) overCap(all, renderer int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.endedFor = &overuse{all: all, renderer: renderer, until: time.Now().Add(releaseWait)}
}

// overuse is why a renderer was ended, and until when a crash is taken for its end.
type overuse struct {
	all, renderer int64 // bytes
	until         time.Time
}

// accuse ends the episode of s where its page has just crashed because it held too much memory.
func (b *Browser) accuse(s *Session) {
	b.mu.Lock()
	o := b.endedFor
	b.mu.Unlock()
	if o != nil && time.Now().Before(o.until) {
		s.blame(faultMemory, "the browser held %d MiB, of which the page held %d MiB, and may hold %d MiB",
			o.all>>20, o.renderer>>20, b.limit>>20)
	}
}

// renderer says whether a process is a renderer. One is not asked again: the answer of a process that is
// taking memory comes late. Others may become one, as they are made by a fork.
func (m *memory) renderer(pid int) bool {
	if !m.renders[pid] {
		line, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
		m.renders[pid] = bytes.Contains(line, []byte("--type=renderer"))
	}
	return m.renders[pid]
}

// members are the processes in the group of a browser, with what they hold of memory that is no file's. What
// they share is counted for each of them.
func (m *memory) members(group int) (out []member) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if of, err := syscall.Getpgid(pid); err != nil || of != group {
			continue
		}
		raw, err := os.ReadFile("/proc/" + name + "/status")
		if err != nil {
			continue // it has ended
		}
		own := kilobytes(raw, "RssAnon:") + kilobytes(raw, "VmSwap:")
		out = append(out, member{pid: pid, renderer: m.renderer(pid),
			held: own + kilobytes(raw, "RssShmem:"), own: own})
	}
	return out
}

// kilobytes is the value of a line of /proc/*/status or smaps_rollup, bytes; 0 where there is none.
func kilobytes(text []byte, name string) int64 {
	_, rest, ok := bytes.Cut(text, []byte("\n"+name))
	if !ok {
		return 0
	}
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	n, _ := strconv.ParseInt(string(bytes.TrimSpace(bytes.TrimSuffix(line, []byte("kB")))), 10, 64)
	return n << 10
}

// retire ends a browser that has had sessions, has none now, and holds more than half of its cap all the
// same: what it holds was left behind.
func (b *Browser) retire() error {
	b.mu.Lock()
	idle := b.limit > 0 && b.served && len(b.sessions) == 0
	b.mu.Unlock()
	if !idle {
		return nil
	}
	u, err := b.Use()
	if err != nil || u.PSS <= b.limit/2 {
		return nil
	}
	b.proc.Kill()
	<-b.conn.Dead
	return fmt.Errorf("browser: opening a session: %w: it held %d MiB without one, and may hold %d MiB",
		wire.ErrGone, u.PSS>>20, b.limit>>20)
}
