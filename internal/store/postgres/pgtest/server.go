package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// patience is how long a server may take to start or stop, on a busy machine.
const patience = time.Minute

// Options say what a server of a test's own is like. The zero value is fast and
// forgets at the loss of power.
type Options struct {
	Durable  bool              // writes to disk what it acknowledges
	Settings map[string]string // further settings, as in postgresql.conf
}

// Mode is how a server is brought down, as in pg_ctl -m.
type Mode string

// The modes.
const (
	Fast      Mode = "fast"      // ends every session and writes all to disk
	Immediate Mode = "immediate" // as when the machine fails
)

// Server is a PostgreSQL. Its methods may be called from any goroutine, one at a
// time.
type Server struct {
	binaries programs
	options  Options
	folder   string // the temporary folder
	port     int
	base     *url.URL     // of a database of a server that runs already; nil: this one is started here
	workers  []*url.URL   // of databases of the workers, where this is the coordinator of a cluster
	made     atomic.Int64 // databases

	mu      sync.Mutex
	process *process // nil: it is down

	admin struct {
		sync.Mutex
		conn *pgx.Conn // of the superuser; nil: there is none yet
	}
}

// Start starts a server of the test's own, which ends with the test. See
// [Database] for what happens where PostgreSQL is not installed.
func Start(t testing.TB, o Options) *Server {
	t.Helper()
	s, err := start(o)
	if err != nil {
		give(t, err)
	}
	t.Cleanup(s.stop)
	return s
}

func start(o Options) (*Server, error) {
	found, err := findPrograms()
	if err != nil {
		return nil, err
	}
	folder, err := newFolder(o)
	if err != nil {
		return nil, err
	}
	s := &Server{binaries: found, options: o, folder: folder}
	if err := errors.Join(os.Chmod(folder, 0o700), own(folder), s.initialise()); err != nil {
		s.stop()
		return nil, err
	}
	for range 5 { // somebody else may take the port between finding and using it
		if s.port, err = freePort(); err != nil {
			break
		}
		if err = s.Resume(); err == nil {
			return s, nil
		}
	}
	s.stop()
	return nil, err
}

// URL returns the URL of the superuser and of a database that is there from the
// beginning.
func (s *Server) URL() string {
	if s.base != nil {
		return s.base.String()
	}
	return s.url("postgres")
}

// runningServer reads SATCHEL_POSTGRES: the URL of a superuser and a database on a server that
// runs already, which makes the databases of tests; nil: it names none.
func runningServer() (*Server, error) {
	value := os.Getenv("SATCHEL_POSTGRES")
	if !strings.HasPrefix(value, "postgres://") && !strings.HasPrefix(value, "postgresql://") {
		return nil, nil
	}
	base, err := url.Parse(value)
	if err != nil {
		return nil, errors.New("SATCHEL_POSTGRES is no URL") // which may hold a password
	}
	if base.RawQuery == "" {
		base.RawQuery = "connect_timeout=10" // tests add to it
	}
	s := &Server{base: base}
	return s, s.findWorkers()
}

// name returns the name of a database, which is this process's own where other processes
// use the same server.
func (s *Server) name(database string) string {
	if s.base != nil {
		return fmt.Sprintf("%s_%d", database, os.Getpid())
	}
	return database
}

func (s *Server) url(database string) string {
	if s.base != nil {
		return s.base.JoinPath("..", database).String()
	}
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/%s?sslmode=disable", s.port, database)
}

// DataDir returns the folder that the server keeps its data in.
func (s *Server) DataDir() string { return filepath.Join(s.folder, "data") }

// Restart brings the server down and up again on the same port and data.
func (s *Server) Restart(mode Mode) error {
	if err := s.Halt(mode); err != nil {
		return err
	}
	return s.Resume()
}

// Halt brings the server down and keeps its data.
func (s *Server) Halt(mode Mode) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.process == nil {
		return nil
	}
	s.disconnect()
	if err := s.process.end(mode); err != nil {
		return err
	}
	s.process = nil
	return nil
}

// Resume starts a server that is down and returns when it answers.
func (s *Server) Resume() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.launch()
	if err != nil {
		return err
	}
	if err := p.answers(s.URL()); err != nil {
		said, _ := os.ReadFile(filepath.Join(s.folder, "log")) // what there is
		return fmt.Errorf("PostgreSQL does not start: %w\n%s", errors.Join(err, p.end(Immediate)), said)
	}
	s.process = p
	return nil
}

// stop ends the server and removes its data. A server that ran already loses what was
// made there.
func (s *Server) stop() {
	if s.base != nil {
		_ = s.exec("DROP DATABASE IF EXISTS " + s.name(model)) // there may be none
		s.disconnect()
		return
	}
	_ = s.Halt(Immediate) // it ends with this process at the latest
	_ = os.RemoveAll(s.folder)
}

func (s *Server) isUp() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.process != nil || s.base != nil
}

// answers waits until the server takes connections.
func (p *process) answers(url string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		c, err := connect(ctx, url)
		if err == nil {
			return c.Close(ctx)
		}
		select {
		case <-p.done:
			return errors.Join(err, p.err)
		case <-ctx.Done():
			return err
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func connect(ctx context.Context, url string) (*pgx.Conn, error) { return pgx.Connect(ctx, url) }
