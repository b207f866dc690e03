package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"testing"
)

// shared is the server that all tests of a process use, started by the first.
var shared struct {
	sync.Mutex
	server *Server
	failed error
	gone   bool
	filled bool // there is a model to copy
}

// Main runs the tests and stops the server that they shared, also when the
// process is interrupted.
func Main(m *testing.M) int {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		stopShared()
		os.Exit(1)
	}()
	defer stopShared()
	return m.Run()
}

func stopShared() {
	shared.Lock()
	defer shared.Unlock()
	shared.gone = true
	if shared.server != nil {
		shared.server.stop()
	}
}

// Database returns the URL of a fresh, empty database and of its superuser. The
// server is one that all tests of the process share; what it acknowledged does
// not survive the loss of power. Where SATCHEL_POSTGRES is the URL of a superuser, it is
// the server of that URL, or its cluster if the database of the URL has Citus. The database is dropped when the test ends.
// Where PostgreSQL is not installed, the test is skipped, or fails when
// SATCHEL_POSTGRES is "required".
func Database(t testing.TB) string {
	t.Helper()
	return sharedServer(t).Database(t)
}

// Copy is [Database] for a database that is a copy of the one that fill makes. Fill is
// asked once for all tests of the process, and must be the same each time.
func Copy(t testing.TB, fill func(url string) error) string {
	t.Helper()
	s := sharedServer(t)
	if len(s.workers) > 0 { // a copy would not have what lies on the workers
		url := s.Database(t)
		if err := fill(url); err != nil {
			t.Fatalf("fill a database: %v", err)
		}
		return url
	}
	shared.Lock()
	if !shared.filled {
		if err := s.makeModel(fill); err != nil {
			shared.Unlock()
			t.Fatalf("fill a database: %v", err)
		}
		shared.filled = true
	}
	shared.Unlock()
	return s.database(t, s.name(model))
}

// sharedServer returns the server that the tests of the process share.
func sharedServer(t testing.TB) *Server {
	t.Helper()
	shared.Lock()
	if shared.server == nil && shared.failed == nil && !shared.gone {
		if shared.server, shared.failed = runningServer(); shared.server == nil && shared.failed == nil {
			shared.server, shared.failed = start(Options{})
		}
	}
	s, err := shared.server, shared.failed
	if shared.gone {
		err = errors.New("the server was stopped")
	}
	shared.Unlock()
	if err != nil {
		give(t, err)
	}
	return s
}

// give ends a test that cannot have a server.
func give(t testing.TB, err error) {
	t.Helper()
	switch {
	case errors.Is(err, errUnwanted):
		t.Skip(err)
	case errors.Is(err, errMissing) && os.Getenv("SATCHEL_POSTGRES") != "required":
		t.Skipf("%v; make test installs it where it can", err)
	}
	t.Fatal(err)
}

// Database returns the URL of a fresh, empty database of this server, which is
// dropped when the test ends. Statements of tests find the tables of a store in it
// without naming their schema.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	return s.database(t, "template1")
}

// model is the name of the database that [Copy] copies.
const model = "model"

// makeModel makes the database that [Copy] copies. Nobody connects to it any more.
func (s *Server) makeModel(fill func(url string) error) error {
	name := s.name(model)
	if err := s.exec("CREATE DATABASE " + name); err != nil {
		return err
	}
	if err := fill(s.url(name)); err != nil {
		return err
	}
	return s.exec("ALTER DATABASE " + name + " WITH ALLOW_CONNECTIONS false")
}

// database makes a copy of another database. Copying its files is the faster way where
// nothing is waited for until it lies on a disk.
func (s *Server) database(t testing.TB, template string) string {
	t.Helper()
	name := s.name(fmt.Sprintf("test%d", s.made.Add(1)))
	strategy := " STRATEGY FILE_COPY"
	if s.options.Durable {
		strategy = ""
	}
	for _, statement := range []string{"CREATE DATABASE " + name + " TEMPLATE " + template + strategy, "ALTER DATABASE " + name + " SET search_path = satchel, public"} {
		if err := s.exec(statement); err != nil {
			t.Fatalf("create a database: %v", err)
		}
	}
	s.join(t, name)
	t.Cleanup(func() {
		if err := s.exec("DROP DATABASE " + name + " WITH (FORCE)"); err != nil && s.isUp() {
			t.Errorf("drop the database: %v", err)
		}
	})
	return s.url(name)
}

// exec runs a statement as the superuser, over one connection for all statements.
func (s *Server) exec(statement string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	s.admin.Lock()
	defer s.admin.Unlock()
	if s.admin.conn == nil || s.admin.conn.IsClosed() {
		c, err := connect(ctx, s.URL())
		if err != nil {
			return err
		}
		s.admin.conn = c
	}
	_, err := s.admin.conn.Exec(ctx, statement)
	return err
}

// disconnect closes the connection of [Server.exec]. The next statement opens another.
func (s *Server) disconnect() {
	s.admin.Lock()
	defer s.admin.Unlock()
	if s.admin.conn != nil {
		_ = s.admin.conn.Close(context.Background()) // the server ends
		s.admin.conn = nil
	}
}
