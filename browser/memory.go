package browser

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
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
	// growShare is the part of the cap by which all must have grown since a process was ended, for another
	// one to be ended soon after it.
	growShare = 20
)

// member is one process of a browser and what it holds of memory that is no file's.
type member struct {
	pid      int
	own      int64 // bytes that are shared with no other process
	shared   int64 // bytes that others may hold, too
	renderer bool
	stopped  bool // by a signal or a debugger
}

func (p member) held() int64 { return p.own + p.shared }

// memory holds a browser to its cap: it looks at what the processes hold, and ends the renderer that holds
// the most where all of them hold more than the cap. The episode whose page that was ends (Session.blame).
type memory struct {
	b     *Browser
	limit int64 // bytes

	renders map[int]bool // the processes that are known to be renderers
	// twice is what the last exact measurement found to be counted more than once, bytes.
	twice int64
	// ended are the processes that were ended and are not gone yet.
	ended   map[int]bool
	endedAt time.Time // when the last one was; the zero time is never
	// then is what each process held when the last one was ended.
	then map[int]int64
}

// watch looks until the browser is gone. A machine without /proc has no cap.
func (m *memory) watch() {
	runtime.LockOSThread() // the goroutine's own thread, which ends with it
	if runtime.GOOS == "linux" {
		// A process that may not do this is slower on a busy machine.
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

// keep ends a renderer where all are over the cap, and is what they hold.
func (m *memory) keep(all []member) int64 {
	m.forget(all)
	all = slices.DeleteFunc(all, func(p member) bool { return m.ended[p.pid] }) // it can take no more
	held, own := m.sum(all)
	if held <= m.limit {
		return held
	}
	if own <= m.limit {
		// The processes are stopped while they are measured: measuring one that allocates takes long.
		signal(all, syscall.SIGSTOP)
		defer signal(all, syscall.SIGCONT)
		held = exactly(all)
		m.twice = max(0, counted(all)-held)
		if held <= m.limit {
			return held
		}
	}
	fat := m.choose(all)
	if fat.pid == 0 {
		return held
	}
	m.endedAt, m.then = time.Now(), map[int]int64{}
	for _, p := range all {
		m.then[p.pid] = p.held()
	}
	m.ended[fat.pid] = true
	m.b.overCap(held, fat.held())
	_ = syscall.Kill(fat.pid, syscall.SIGKILL) // it may have ended meanwhile
	return held - fat.held()
}

// choose is the renderer to end: the one that holds the most. Soon after another one was ended, what that
// one and its episode leave behind may still be held by others. Then a renderer ends only if it holds much,
// or if all hold more than they did then, and it is the one that grew the most.
func (m *memory) choose(all []member) (fat member) {
	var grown member
	var then, most int64
	for _, p := range all {
		then += m.then[p.pid]
		if !p.renderer {
			continue
		}
		if p.held() > fat.held() {
			fat = p
		}
		if by := p.held() - m.then[p.pid]; by > most {
			grown, most = p, by
		}
	}
	switch {
	case time.Since(m.endedAt) >= releaseWait || fat.held() >= m.limit/fatShare:
		return fat
	case counted(all)-then > m.limit/growShare:
		return grown
	}
	return member{}
}

// sum is what all hold together, and what of it belongs to one process each.
func (m *memory) sum(all []member) (held, own int64) {
	var shared, most int64
	for _, p := range all {
		own, shared, most = own+p.own, shared+p.shared, max(most, p.shared)
	}
	return own + shared - min(m.twice, shared-most), own
}

// counted is what all hold, where what they share is counted for each of them.
func counted(all []member) (held int64) {
	for _, p := range all {
		held += p.held()
	}
	return held
}

// exactly is what all hold together: what several of them share is divided among them.
func exactly(all []member) (held int64) {
	for _, p := range all {
		raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", p.pid))
		if err != nil {
			continue // it has ended
		}
		held += kilobytes(raw, "Pss_Anon:") + kilobytes(raw, "Pss_Shmem:") + kilobytes(raw, "SwapPss:")
	}
	return held
}

// forget drops the processes that were ended and are gone: another one may get their number.
func (m *memory) forget(all []member) {
	maps.DeleteFunc(m.ended, func(pid int, _ bool) bool {
		return !slices.ContainsFunc(all, func(p member) bool { return p.pid == pid })
	})
}

// signal sends sig to the renderers: to stop them, or to let them go on.
func signal(all []member, sig syscall.Signal) {
	for _, p := range all {
		if p.renderer {
			_ = syscall.Kill(p.pid, sig) // it may have ended
		}
	}
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

// members are the processes in the group of a browser. Shared memory is counted for each of them.
func (m *memory) members(group int) (out []member) {
	for _, pid := range grouped(group) {
		raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			continue // it has ended
		}
		stopped := bytes.Contains(raw, []byte("\nState:\tT")) || bytes.Contains(raw, []byte("\nState:\tt"))
		out = append(out, member{pid: pid, renderer: m.renderer(pid), stopped: stopped,
			shared: kilobytes(raw, "RssShmem:"), own: kilobytes(raw, "RssAnon:") + kilobytes(raw, "VmSwap:")})
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
