package postgres

import (
	"runtime"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// Options says how to open a store. The zero value suits a server. Settings in the
// URL take precedence.
type Options struct {
	// Seal returns the secret that seals an owner's rows, so that Check finds changes
	// made outside of satchel; it returns nil if the secret is not at hand. nil:
	// there are no secrets. Several goroutines call Seal.
	Seal func(owner memory.DID) []byte
	// Pool is the greatest number of connections; 0: four for each processor, at
	// least 10 and at most 50. Each running View and Update takes one, nested ones
	// too; a caller that needs one more waits. The URL's name for it is
	// pool_max_conns.
	Pool int
	// StatementTimeout is how long a statement may take before it fails with
	// store.ErrBusy; 0: 30 seconds.
	StatementTimeout time.Duration
	// LockTimeout is how long an Update waits for another server's Update of the
	// same owner before it fails with store.ErrBusy; 0: 10 seconds.
	LockTimeout time.Duration
	// IdleTimeout is how long a transaction may be idle before the server ends it; 0:
	// a minute.
	IdleTimeout time.Duration
	// ConnectTimeout is how long to try to reach the server; 0: 10 seconds.
	ConnectTimeout time.Duration
	// PoolTimeout is how long a call waits for a connection while others use all of
	// them, before it fails with store.ErrBusy; 0: 10 seconds.
	PoolTimeout time.Duration
	// ScrubTimeout is how long a scrub waits for transactions that keep old rows
	// before it fails with store.ErrBusy; 0: a minute.
	ScrubTimeout time.Duration
	// Trace is told of transactions and statements; nil: nobody is.
	Trace store.Tracer
}

func (o Options) withDefaults() Options {
	if o.Pool == 0 {
		o.Pool = min(max(4*runtime.NumCPU(), 10), 50)
	}
	for _, d := range []struct {
		value *time.Duration
		usual time.Duration
	}{
		{&o.StatementTimeout, 30 * time.Second},
		{&o.LockTimeout, 10 * time.Second},
		{&o.IdleTimeout, time.Minute},
		{&o.ConnectTimeout, 10 * time.Second},
		{&o.PoolTimeout, 10 * time.Second},
		{&o.ScrubTimeout, time.Minute},
	} {
		if *d.value == 0 {
			*d.value = d.usual
		}
	}
	return o
}

// parse reads a URL, and the environment and the password file as PostgreSQL's own
// programs do. The error does not quote the URL, which may hold a password.
func (o Options) parse(url string) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, refusal("open store", store.ErrNotStore, "the URL of the store cannot be understood; "+
			"it has the form postgres://user@host:port/database?sslmode=verify-full")
	}
	if !strings.Contains(url, "pool_max_conns") {
		config.MaxConns = int32(min(o.Pool, 10_000))
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = o.ConnectTimeout
	}
	if config.ConnConfig.RuntimeParams["application_name"] == "" {
		config.ConnConfig.RuntimeParams["application_name"] = "satchel"
	}
	// Values go to the server in its binary form, which needs prepared statements.
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheStatement
	config.ConnConfig.StatementCacheCapacity = statementCache
	delete(config.ConnConfig.RuntimeParams, "search_path")
	config.ConnConfig.AfterConnect = settle
	return config, nil
}

// statementCache is how many statements a connection keeps prepared.
const statementCache = 512
