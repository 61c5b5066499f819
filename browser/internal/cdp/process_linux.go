package cdp

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// processAttr puts the browser into its own group, lets the kernel kill it when we die, and
// runs it as user uid unless that is negative.
func processAttr(uid int) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if uid >= 0 {
		attr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}
	}
	return attr
}

// enoughShm is how much shared memory a few tabs need; with less of it Chromium crashes.
const enoughShm = 512 << 20

// SmallShm says whether /dev/shm is too small for Chromium, as it is in many containers.
func SmallShm() bool {
	var st syscall.Statfs_t
	return syscall.Statfs("/dev/shm", &st) != nil || st.Blocks*uint64(st.Bsize) < enoughShm
}

// remains are the processes that run and are of the group, or have that home: a process that leaves the group
// keeps its environment. One that has ended and that nobody has waited for is none.
func remains(group int, home string) (pids []int) {
	all, _ := filepath.Glob("/proc/[0-9]*") // the pattern is good
	for _, dir := range all {
		pid, _ := strconv.Atoi(filepath.Base(dir))
		of, err := syscall.Getpgid(pid)
		if err != nil {
			continue // it has ended
		}
		if of != group {
			env, _ := os.ReadFile(dir + "/environ") // that of another user cannot be read
			if !bytes.Contains(append([]byte{0}, env...), []byte("\x00HOME="+home+"\x00")) {
				continue
			}
		}
		if runs(dir) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// runs is false for a process that has ended.
func runs(dir string) bool {
	stat, err := os.ReadFile(dir + "/stat")
	i := bytes.LastIndexByte(stat, ')') // before it is the name, which may hold anything
	return err == nil && len(stat) > i+2 && stat[i+2] != 'Z' && stat[i+2] != 'X'
}
