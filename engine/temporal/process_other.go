//go:build !linux

package temporal

import "syscall"

// dieWithUs would end a process whose worker was killed. Here such a process plays its cell to the end; the
// next worker that is given the cell finds the result.
func dieWithUs() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
