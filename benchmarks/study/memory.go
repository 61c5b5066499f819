package study

import (
	"math"
	"os"
	"strconv"
	"strings"
)

// AvailableMB is what new processes may take of the machine's memory, and of what the group that this process
// is in may have, megabytes; 0 is unknown.
func AvailableMB() int {
	least := math.MaxInt
	if kb, ok := meminfo("MemAvailable:"); ok {
		least = kb / 1024
	}
	if bytes, ok := groupLeft("/sys/fs/cgroup"); ok {
		least = min(least, bytes>>20)
	}
	if least == math.MaxInt {
		return 0
	}
	return max(least, 1) // 0 would say that it is unknown
}

// TotalMB is the machine's memory where the system tells it, megabytes; 0 is unknown.
func TotalMB() int {
	kb, _ := meminfo("MemTotal:")
	return kb / 1024
}

// meminfo is a line of /proc/meminfo, kilobytes.
func meminfo(name string) (kb int, ok bool) {
	raw, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(raw)) {
		if rest, found := strings.CutPrefix(line, name); found {
			kb, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")))
			return kb, err == nil
		}
	}
	return 0, false
}

// groupLeft is what a control group (version 2) has left, bytes: its limit without what it uses, files that
// can be dropped not counted. False where it has no limit.
func groupLeft(dir string) (bytes int, ok bool) {
	number := func(name string) (int, bool) {
		raw, err := os.ReadFile(dir + "/" + name)
		if err != nil {
			return 0, false
		}
		n, err := strconv.Atoi(strings.TrimSpace(string(raw)))
		return n, err == nil
	}
	limit, ok := number("memory.max") // "max" is no limit, and no number
	if !ok {
		return 0, false
	}
	used, ok := number("memory.current")
	if !ok {
		return 0, false
	}
	raw, err := os.ReadFile(dir + "/memory.stat")
	if err == nil {
		for line := range strings.Lines(string(raw)) {
			if rest, found := strings.CutPrefix(line, "inactive_file "); found {
				n, _ := strconv.Atoi(strings.TrimSpace(rest))
				used -= n
			}
		}
	}
	return max(limit-used, 0), true
}
