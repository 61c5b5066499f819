//go:build !linux

package cdp

import "syscall"

// processAttr puts the browser into its own group and runs it as user uid unless that is
// negative. There is no death signal here: the browser leaves when its pipe closes.
func processAttr(uid int) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true}
	if uid >= 0 {
		attr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}
	}
	return attr
}

// SmallShm is a question for Linux only.
func SmallShm() bool { return false }

// remains finds nothing: only Linux says what runs.
func remains(int, string) []int { return nil }
