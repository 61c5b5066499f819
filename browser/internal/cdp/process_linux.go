package cdp

import "syscall"

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
