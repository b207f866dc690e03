package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"io"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"modernc.org/sqlite"
)

// conn is one connection with its prepared statements. It serves one goroutine.
// Rows of a statement must be read to their end before it is used again.
//
// Statements run without a context: the driver would start a goroutine for each to
// watch it. Callers check their context between statements.
type conn struct {
	db    *sql.DB
	sql   *sql.Conn
	stmts map[string]*sql.Stmt

	driven map[string]driver.Stmt // of values

	version int64 // of the file that the last transaction saw, see dataVersion
	known   known // of the owner whose rows were read last; of a reader alone
}

// maxStatements limits the cache of a connection; callers have fewer shapes.
const maxStatements = 512

// dial opens a connection and runs the pragmas of its source name.
func dial(ctx context.Context, source string) (*conn, error) {
	connector, err := sqlite.NewConnector(source)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	c, err := db.Conn(ctx)
	if err != nil {
		_ = db.Close() // nothing was opened
		return nil, err
	}
	return &conn{db: db, sql: c, stmts: make(map[string]*sql.Stmt), driven: make(map[string]driver.Stmt)}, nil
}

func (c *conn) close() error {
	c.forget()
	_ = c.sql.Close() // returns the connection to the handle, which closes it
	return c.db.Close()
}

// forget drops the prepared statements.
func (c *conn) forget() {
	for _, stmt := range c.stmts {
		_ = stmt.Close() // a statement that fails to close goes with its connection
	}
	clear(c.stmts)
	for _, stmt := range c.driven {
		_ = stmt.Close() // as above
	}
	clear(c.driven)
}

func (c *conn) prepare(query string) (*sql.Stmt, error) {
	if stmt := c.stmts[query]; stmt != nil {
		return stmt, nil
	}
	if len(c.stmts) >= maxStatements {
		c.forget()
	}
	stmt, err := c.sql.PrepareContext(context.Background(), query)
	if err == nil {
		c.stmts[query] = stmt
	}
	return stmt, err
}

// exec runs a statement and returns how many rows it changed.
func (c *conn) exec(query string, args ...any) (int64, error) {
	stmt, err := c.prepare(query)
	if err != nil {
		return 0, err
	}
	result, err := stmt.ExecContext(context.Background(), args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// execWithin runs a long statement, at most until ctx is done.
func (c *conn) execWithin(ctx context.Context, query string, args ...any) error {
	stmt, err := c.prepare(query)
	if err == nil {
		_, err = stmt.ExecContext(ctx, args...)
	}
	return err
}

func (c *conn) query(query string, args ...any) (*sql.Rows, error) {
	stmt, err := c.prepare(query)
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(context.Background(), args...)
}

// first scans the first row of a query, or returns sql.ErrNoRows.
func (c *conn) first(query string, args []any, into ...any) error {
	stmt, err := c.prepare(query)
	if err != nil {
		return err
	}
	return stmt.QueryRowContext(context.Background(), args...).Scan(into...)
}

// each calls scan for every row of a query.
func (c *conn) each(query string, args []any, scan func(*sql.Rows) error) error {
	rows, err := c.query(query, args...)
	if err != nil {
		return err
	}
	defer rows.Close() // rows.Err below reports the failure
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// values is each for many rows or columns, which database/sql would copy once more. read gets
// the columns of a row as the driver returns them, and may keep them; its error ends the query.
// Arguments are of the driver's types.
func (c *conn) values(query string, args []any, read func([]any) error) error {
	named := make([]driver.NamedValue, len(args))
	for i, arg := range args {
		named[i] = driver.NamedValue{Ordinal: i + 1, Value: arg}
	}
	return c.sql.Raw(func(driven any) (err error) {
		stmt := c.driven[query]
		if stmt == nil {
			if stmt, err = driven.(driver.ConnPrepareContext).PrepareContext(context.Background(), query); err != nil {
				return err
			}
			c.driven[query] = stmt
		}
		rows, err := stmt.(driver.StmtQueryContext).QueryContext(context.Background(), named)
		if err != nil {
			return err
		}
		defer rows.Close() // Next reports the failure
		row := make([]driver.Value, len(rows.Columns()))
		for err = rows.Next(row); err == nil; err = rows.Next(row) {
			values := make([]any, len(row))
			for i, v := range row {
				values[i] = v
			}
			if err := read(values); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		return err
	})
}

// source is the data source name of a connection to the file at path. It contains
// every pragma, so that every connection has them.
func source(path string, busy time.Duration, params ...string) string {
	params = append([]string{
		"_dqs=0",
		"_pragma=busy_timeout(" + strconv.FormatInt(busy.Milliseconds(), 10) + ")",
		"_pragma=synchronous(FULL)",
		"_pragma=secure_delete(ON)",
		"_pragma=temp_store(MEMORY)", // no content in temporary files
		"_pragma=trusted_schema(OFF)",
	}, params...)
	return "file:" + escape(path) + "?" + strings.Join(params, "&")
}

// escape writes a path in the form that SQLite expects in a URI.
func escape(path string) string {
	path = filepath.ToSlash(path)
	if filepath.VolumeName(path) != "" {
		path = "/" + path
	}
	return strings.ReplaceAll((&url.URL{Path: path}).EscapedPath(), "&", "%26")
}
