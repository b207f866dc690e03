package pgtest

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"time"
)

// process is a server that was started.
type process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended
	err  error         // how it ended, once it has
}

// initialise makes the folder of data. Where SATCHEL_INITDB names a folder, the first server
// of all processes keeps its data there as they are at first, and the next ones copy them:
// that takes a tenth of the time.
func (s *Server) initialise() error {
	kept := os.Getenv("SATCHEL_INITDB")
	if kept == "" {
		return s.initdb()
	}
	first := filepath.Join(kept, "data")
	if _, err := os.Stat(first); err == nil {
		return s.copyFolder(first, s.DataDir())
	}
	if err := s.initdb(); err != nil {
		return err
	}
	if err := errors.Join(os.MkdirAll(kept, 0o755), own(kept)); err != nil {
		return err
	}
	made := filepath.Join(kept, filepath.Base(s.folder))
	if err := s.copyFolder(s.DataDir(), made); err != nil {
		return err
	}
	_ = os.Rename(made, first) // it fails if another process was faster
	return os.RemoveAll(made)
}

// copyFolder copies a folder of data as the user for servers.
func (s *Server) copyFolder(from, to string) error {
	if out, err := s.command("cp", "-R", from, to).CombinedOutput(); err != nil {
		return fmt.Errorf("copy the data of a server: %w\n%s", err, out)
	}
	return nil
}

// initdb makes the folder of data by PostgreSQL's own program.
func (s *Server) initdb() error {
	cmd := s.command(s.binaries.initdb, "--pgdata", s.DataDir(), "--username", "postgres", "--auth", "trust",
		"--encoding", "UTF8", "--locale", "C", "--no-sync")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	return nil
}

// launch starts the server. One thread stays with it as long as it runs, since
// the system ends it when the thread that started it ends.
func (s *Server) launch() (*process, error) {
	log, err := os.OpenFile(filepath.Join(s.folder, "log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	cmd := s.command(s.binaries.postgres, s.arguments()...)
	cmd.Stdout, cmd.Stderr = log, log
	attachToParent(cmd)
	p := &process{cmd: cmd, done: make(chan struct{})}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		_ = log.Close() // the server has its own
		started <- err
		if err == nil {
			p.err = cmd.Wait()
			close(p.done)
		}
	}()
	return p, <-started
}

func (s *Server) arguments() []string {
	args := []string{"-D", s.DataDir(), "-p", strconv.Itoa(s.port)}
	set := func(name, value string) { args = append(args, "-c", name+"="+value) }
	set("listen_addresses", "127.0.0.1")
	set("unix_socket_directories", "")
	set("max_connections", "200")
	if !s.options.Durable {
		set("fsync", "off")
		set("full_page_writes", "off")
	}
	for name, value := range s.options.Settings {
		set(name, value)
	}
	return args
}

// command prepares a program that runs as the user for servers, with nothing of
// this process around it.
func (s *Server) command(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Dir = s.folder
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC"}
	become(cmd)
	return cmd
}

// end brings the server down and returns when it is.
func (p *process) end(mode Mode) error {
	select {
	case <-p.done:
		return nil
	default:
	}
	if err := p.signal(mode); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-p.done:
		return nil
	case <-time.After(patience):
		return errors.Join(errors.New("PostgreSQL does not stop"), p.cmd.Process.Kill())
	}
}

// freePort returns a port of the loopback address that nobody listens on.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	port := l.Addr().(*net.TCPAddr).Port
	return port, l.Close()
}
