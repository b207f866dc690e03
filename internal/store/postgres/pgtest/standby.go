package pgtest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// Standby starts a replica of the server, which the server waits for from then on: what it
// acknowledges is on both. It ends with the test.
func (s *Server) Standby(t testing.TB) *Server {
	t.Helper()
	b, err := s.standby()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.stop)
	return b
}

func (s *Server) standby() (*Server, error) {
	folder, err := newFolder(s.options)
	if err != nil {
		return nil, err
	}
	b := &Server{binaries: s.binaries, options: s.options, folder: folder}
	if err := errors.Join(os.Chmod(folder, 0o700), own(folder), s.copyTo(b)); err != nil {
		b.stop()
		return nil, err
	}
	for range 5 { // somebody else may take the port between finding and using it
		if b.port, err = freePort(); err != nil {
			break
		}
		if err = b.Resume(); err == nil {
			break
		}
	}
	if err == nil {
		err = errors.Join(s.exec("ALTER SYSTEM SET synchronous_standby_names = '*'"), s.exec("SELECT pg_reload_conf()"))
	}
	if err != nil {
		b.stop()
	}
	return b, err
}

// copyTo copies the data to a server that then follows this one.
func (s *Server) copyTo(b *Server) error {
	real, err := filepath.EvalSymlinks(s.binaries.postgres)
	if err != nil {
		return err
	}
	cmd := b.command(filepath.Join(filepath.Dir(real), "pg_basebackup"), "-D", b.DataDir(), "-h", "127.0.0.1", "-p", strconv.Itoa(s.port), "-U", "postgres", "-X", "stream", "-c", "fast", "-R")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("pg_basebackup: %w\n%s", err, out)
	}
	return nil
}

// FailOver takes the server down as when its machine fails, and has a standby take its place,
// once that has all that the server has: nothing else would fail over to it. The standby waits
// for nobody.
func (s *Server) FailOver(b *Server) error {
	if err := errors.Join(s.awaitStandby(), s.Halt(Immediate)); err != nil {
		return err
	}
	return errors.Join(b.exec("SELECT pg_promote(true)"), b.exec("ALTER SYSTEM SET synchronous_standby_names = ''"), b.exec("SELECT pg_reload_conf()"))
}

// awaitStandby returns when what is acknowledged is on the standby. Each look is a statement
// of its own: within one, the list of connections stays as it was at the first look.
func (s *Server) awaitStandby() error {
	const there = `SELECT 1 / count(*) FROM pg_stat_replication WHERE sync_state = 'sync' AND state = 'streaming'`
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		if err := s.exec(there); err == nil || time.Now().After(deadline) {
			return err
		}
	}
}

// Address returns where the server listens.
func (s *Server) Address() string { return fmt.Sprintf("127.0.0.1:%d", s.port) }
