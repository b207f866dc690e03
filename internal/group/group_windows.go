package group

import (
	"os/exec"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Group is a program that was started, and what it has started.
type Group struct {
	job  windows.Handle
	once sync.Once
}

// Start starts a command as a group of its own. The command does not run until its process is
// in the job, so every process that it starts is in the job too. It gets no signals of this
// console.
func Start(cmd *exec.Cmd) (*Group, error) {
	job, err := newJob()
	if err != nil {
		return nil, err
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_SUSPENDED}
	if err := cmd.Start(); err != nil {
		_ = windows.CloseHandle(job) // it is empty
		return nil, err
	}
	g := &Group{job: job}
	if err := g.take(uint32(cmd.Process.Pid)); err != nil {
		_ = cmd.Process.Kill() // it has not begun
		_ = cmd.Wait()
		g.Kill()
		return nil, err
	}
	return g, nil
}

// newJob makes a job whose processes end with its last handle.
func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE}}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		_ = windows.CloseHandle(job) // it is empty
	}
	return job, err
}

// take puts a process into the job, and lets it begin.
func (g *Group) take(pid uint32) error {
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE|windows.PROCESS_SUSPEND_RESUME, false, pid)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(process)
	if err := windows.AssignProcessToJobObject(g.job, process); err != nil {
		return err
	}
	if status, _, _ := windows.NewLazySystemDLL("ntdll.dll").NewProc("NtResumeProcess").Call(uintptr(process)); status != 0 {
		return windows.NTStatus(status)
	}
	return nil
}

// Kill ends the group. Call it after the program's end, too. Further calls do nothing.
func (g *Group) Kill() {
	g.once.Do(func() {
		_ = windows.TerminateJobObject(g.job, 1) // what is left ends with the handle
		_ = windows.CloseHandle(g.job)
	})
}
