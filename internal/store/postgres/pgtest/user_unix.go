//go:build unix

package pgtest

import (
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// PostgreSQL refuses to run as root, so root runs it as another user: postgres,
// which its package makes, or else nobody.
func identity() (uid, gid int, needed bool) {
	if os.Geteuid() != 0 {
		return 0, 0, false
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.Atoi(u.Uid)
		gid, err2 := strconv.Atoi(u.Gid)
		if err1 == nil && err2 == nil {
			return uid, gid, true
		}
	}
	return 65534, 65534, true
}

// become lets a program run as the user for servers.
func become(cmd *exec.Cmd) {
	if uid, gid, needed := identity(); needed {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	}
}

// own gives a folder to the user for servers.
func own(folder string) error {
	if uid, gid, needed := identity(); needed {
		return os.Chown(folder, uid, gid)
	}
	return nil
}

// signal asks the server to go down, as pg_ctl does.
func (p *process) signal(mode Mode) error {
	if mode == Immediate {
		return p.cmd.Process.Signal(syscall.SIGQUIT)
	}
	return p.cmd.Process.Signal(syscall.SIGINT)
}
