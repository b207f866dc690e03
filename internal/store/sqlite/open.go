package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"modernc.org/sqlite"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/measure"
	"github.com/satchel-memory/satchel/memory"
)

// Options says how to open a store. The zero value is right for a program that
// reads and writes.
type Options struct {
	// ReadOnly opens an existing store without the ability to write. In a folder
	// without write permission the store is read as it is at this moment; no other
	// process may write it meanwhile.
	ReadOnly bool
	// BusyTimeout is how long a call waits for other processes before it fails
	// with store.ErrBusy; 0: 30 seconds.
	BusyTimeout time.Duration
	// Readers is how many Views may run at once, nested ones included; further Views
	// wait; 0: 8.
	Readers int
	// Seal returns the secret that seals an owner's rows, so that Check finds changes
	// made outside of satchel; it returns nil if the secret is not at hand. Rows
	// written without it are sealed against accidents only, and Check reports them
	// once it has the secret. Without the secret, Check skips the rows that were
	// sealed with one, and Unchecked lists their owners. nil: there are no secrets.
	// Several goroutines call Seal.
	Seal func(owner memory.DID) []byte
	// Trace is told of transactions and statements; nil: nobody is.
	Trace store.Tracer

	migrations fs.FS // instead of the embedded ones, in tests
	newSchema  func(context.Context) ([]part, error)
	maxLog     int64 // instead of 64 MiB, in tests; see committer.tend
	slicePages int   // instead of 2000, in tests: how many pages a slice of a sweep looks at
}

func (o Options) withDefaults() Options {
	if o.BusyTimeout == 0 {
		o.BusyTimeout = 30 * time.Second
	}
	if o.Readers == 0 {
		o.Readers = 8
	}
	if o.maxLog == 0 {
		o.maxLog = 64 << 20
	}
	if o.slicePages == 0 {
		o.slicePages = 2000
	}
	o.newSchema = func(ctx context.Context) ([]part, error) { return newSchema(ctx, o.migrations) }
	if o.migrations == nil {
		o.migrations, o.newSchema = embedded(), func(context.Context) ([]part, error) { return usualSchema() }
	}
	return o
}

// Store keeps memories in one SQLite file.
type Store struct {
	path    string
	opt     Options
	schema  int    // number of the schema this program knows
	copying string // data source names
	reading string
	writing string

	gate         *gate
	eraserSignal *eraserSignal
	exportLocks  *exportLocks
	readers      chan struct{} // one slot per reader
	idle         idle          // connections of readers that are not in use
	jobs         chan *job     // Updates
	errands      chan *job     // other work for the committer
	closing      chan struct{}
	compactions  shared
	watch        watch
	meter        *measure.Meter
	survey       *measure.Survey
	waits        waits // of Views for a reader's slot

	done   chan struct{} // closed when the committer has stopped
	once   sync.Once
	closed error // the result of closing
}

var (
	_ store.Store      = (*Store)(nil)
	_ store.Backuper   = (*Store)(nil)
	_ store.Compacter  = (*Store)(nil)
	_ store.Watcher    = (*Store)(nil)
	_ store.Gatekeeper = (*Store)(nil)
)

// Open opens the store in the file at path and migrates it to the schema of this
// program. It makes the file and its folder if they do not exist, readable for their
// owner alone. It fails with store.ErrNotStore, store.ErrNewer, store.ErrReadOnly,
// store.ErrFull or store.ErrBusy where these apply.
func Open(ctx context.Context, path string, opt Options) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	opt = opt.withDefaults()
	// Without this, a program that opens and closes the store file, for example to
	// copy it, would silently drop SQLite's locks on it. If the kernel has no such
	// locks, everything else still holds.
	_, _ = sqlite.OFDLocking(true)
	s := &Store{
		path:    path,
		opt:     opt,
		readers: make(chan struct{}, opt.Readers),
		jobs:    make(chan *job),
		errands: make(chan *job),
		closing: make(chan struct{}),
		done:    make(chan struct{}),
		meter:   measure.NewMeter(opt.Trace),
	}
	s.survey = measure.NewSurvey(s.figures)
	if s.schema, err = latest(opt.migrations); err != nil {
		return nil, err
	}
	for range opt.Readers {
		s.readers <- struct{}{}
	}
	s.exportLocks = newExportLocks(path, func(ctx context.Context) (*conn, error) { return dialPatiently(ctx, s.reading, opt.BusyTimeout) })
	if err := s.prepare(ctx); err != nil {
		return nil, errors.Join(err, s.release())
	}
	go s.commitAll()
	return s, nil
}

var writerPragmas = []string{"mode=rw", "_pragma=journal_mode(WAL)", "_pragma=cache_size(-8000)"}

const queryOnly = "&_pragma=query_only(ON)"

// prepare finds out how the file can be used, and makes it usable.
func (s *Store) prepare(ctx context.Context) error {
	s.copying = source(s.path, s.opt.BusyTimeout, "mode=rw")
	s.reading = s.copying + queryOnly
	if s.opt.ReadOnly {
		return s.prepareReading(ctx)
	}
	s.writing = source(s.path, s.opt.BusyTimeout, writerPragmas...)
	if err := makeFolder(filepath.Dir(s.path)); err != nil {
		return gateError(err)
	}
	var err error
	if s.gate, err = openGate(s.path); err != nil {
		return err
	}
	if s.eraserSignal, err = openEraserSignal(s.path, false); err != nil {
		return err
	}
	if info, err := os.Stat(s.path); err == nil && info.Size() > 0 {
		found, err := s.inspect(ctx)
		if err != nil {
			return err
		}
		if err := found.acceptable(s.schema); err != nil {
			return err
		}
		if found.version == s.schema {
			return nil
		}
	}
	return s.migrate(ctx)
}

// prepareReading opens an existing store for reading only.
func (s *Store) prepareReading(ctx context.Context) error {
	if _, err := os.Stat(s.path); err != nil {
		return refusal("open store", errors.Join(store.ErrNotStore, err), "there is no store here; run satchel init")
	}
	var err error
	if s.eraserSignal, err = openEraserSignal(s.path, true); err != nil {
		return err
	}
	s.copying = source(s.path, s.opt.BusyTimeout, "mode=ro")
	s.reading = s.copying + queryOnly
	found, err := s.inspect(ctx)
	if errors.Is(err, store.ErrReadOnly) && !exists(s.path+"-wal") {
		// SQLite needs its log index and cannot make it. Without a log the file alone
		// is the store.
		s.copying += "&immutable=1"
		s.reading = s.copying + queryOnly
		found, err = s.inspect(ctx)
	} else if errors.Is(err, store.ErrReadOnly) {
		// With a log, each connection makes the index in its own memory. No process
		// can write there, so no lock is missed.
		s.copying += "&vfs=unix-none&_pragma=locking_mode(EXCLUSIVE)"
		s.reading = s.copying + queryOnly
		found, err = s.inspect(ctx)
	}
	if err != nil {
		return err
	}
	if err := found.acceptable(s.schema); err != nil {
		return err
	}
	if found.fresh() {
		return refusal("open store", store.ErrNotStore, "the file is empty; run satchel init")
	}
	if found.version < s.schema {
		return refusal("open store", store.ErrReadOnly,
			"the store is of an earlier release; open it once for writing, so that it is brought up to date")
	}
	return nil
}

// Close waits for running calls and releases the store.
func (s *Store) Close() error {
	s.once.Do(func() {
		close(s.closing)
		s.watch.end()
		s.compactions.end()
		<-s.done
		s.closed = s.release()
	})
	return s.closed
}

// release closes every connection and file. It waits for running Views.
func (s *Store) release() error {
	var err error
	for range cap(s.readers) {
		<-s.readers
	}
	close(s.readers)
	for c := s.idle.take(); c != nil; c = s.idle.take() {
		err = errors.Join(err, c.close())
	}
	err = errors.Join(err, s.exportLocks.end())
	if s.gate != nil {
		err = errors.Join(err, s.gate.close())
	}
	if s.eraserSignal != nil {
		err = errors.Join(err, s.eraserSignal.close())
	}
	return translate("close store", err)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// makeFolder makes a folder that only its owner can read. An existing folder stays as
// it is.
func makeFolder(dir string) error {
	if exists(dir) {
		return nil
	}
	return os.MkdirAll(dir, 0o700)
}
