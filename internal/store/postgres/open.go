package postgres

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/measure"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

// Store keeps memories in a PostgreSQL database. The process holds no lasting state,
// so several servers may work on one database.
type Store struct {
	opt    Options
	config *pgxpool.Config
	pool   *pgxpool.Pool
	locks  *pgxpool.Pool // the same, or that of lockPool
	schema int           // number of the schema this program knows
	placed bool          // programs may ask where the database lies, see runHome
	meter  *measure.Meter
	survey *measure.Survey

	short      shortUses
	renewed    atomic.Int64 // how often the pool was renewed, see renew
	turns      turns
	watch      *watch
	exportLock *exportLock
	reach      reach
	closing    chan struct{}
	once       sync.Once
	under      sync.WaitGroup // background work of the calls
}

var (
	_ store.Store      = (*Store)(nil)
	_ store.Compacter  = (*Store)(nil)
	_ store.Watcher    = (*Store)(nil)
	_ store.Limiter    = (*Store)(nil)
	_ store.Gatekeeper = (*Store)(nil)
)

// Open opens the store in the database at url, which satchel init has made. It
// changes nothing. It fails with store.ErrNotStore, store.ErrNewer,
// store.ErrUnavailable, and with store.ErrOperator if the schema is of an earlier
// release, the program's role is wrong, or the server refuses the login.
func Open(ctx context.Context, url string, opt Options) (*Store, error) {
	opt = opt.withDefaults()
	config, err := opt.parse(url)
	if err != nil {
		return nil, err
	}
	s := &Store{opt: opt, config: config, closing: make(chan struct{}), meter: measure.NewMeter(opt.Trace)}
	s.survey = measure.NewSurvey(s.figures)
	if s.schema, err = latest(); err != nil {
		return nil, err
	}
	config.AfterConnect = s.furnish
	config.MaxConnIdleTime, config.HealthCheckPeriod = 5*time.Minute, time.Minute
	if s.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, translate("open store", err)
	}
	s.locks = s.pool
	s.watch, s.exportLock = newWatch(s), newExportLock(s)
	if err := s.inspect(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if s.placed, err = s.isPlaced(ctx); err != nil {
		return nil, errors.Join(translate("open store", err), s.Close())
	}
	locks, err := s.lockPool(ctx)
	if err != nil {
		return nil, errors.Join(translate("open store", err), s.Close())
	}
	s.locks = locks
	return s, nil
}

// Close waits for running calls and releases the store.
func (s *Store) Close() error {
	s.once.Do(func() {
		close(s.closing)
		s.watch.end()
		s.under.Wait()
		s.exportLock.end()
		if s.locks != s.pool {
			s.locks.Close()
		}
		s.pool.Close()
	})
	return nil
}

// isClosing reports whether Close was called.
func (s *Store) isClosing() bool {
	select {
	case <-s.closing:
		return true
	default:
		return false
	}
}

// inspect checks that the store can be used, and that row-level security separates
// owners.
func (s *Store) inspect(ctx context.Context) error {
	r, err := s.reader(ctx, "")
	if err != nil {
		return err
	}
	defer r.end()
	defer r.tx.end()
	findings, err := r.checkWall()
	if err == nil && len(findings) > 0 {
		err = refusal("open store", store.ErrOperator, findings[0]+"; have the operator run satchel store migrate")
	}
	return err
}

// seals returns the sealer of an owner.
func (s *Store) seals(did memory.DID) *stored.Sealer {
	if s.opt.Seal == nil {
		return stored.NewSealer(nil)
	}
	return stored.NewSealer(s.opt.Seal(did))
}
