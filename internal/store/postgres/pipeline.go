package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/satchel-memory/satchel/internal/store/stored"
)

// step is a statement that the driver cannot send in the form needed. It is either a
// text that names its owner, because SET takes no parameters, and that must not be
// prepared for each owner; or a prepared statement of statements, by its name.
type step struct {
	text string // sent as it is
	name string // of a prepared statement, with the values of its parameters and what reads a row, all in PostgreSQL's binary form
	args [][]byte
	read func(raw [][]byte) error
}

// Statements that begin and end transactions.
const (
	beginView    = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`
	beginUpdate  = `BEGIN ISOLATION LEVEL READ COMMITTED`
	setOwner     = `SET LOCAL app.owner = '`
	asynchronous = `SET LOCAL synchronous_commit = off`
	commit       = `COMMIT`
)

// begin starts a transaction for an owner. In one round trip it reads the owner's row, by the
// statement called named, the number of the schema, and the staged runs. An Update waits for the
// owner's row, so that the number is not older than what others wrote for the owner.
func (t *tx) begin(ctx context.Context, how, named string, id ownerID) (v version, o stored.Owner, err error) {
	err = t.pipe(ctx, "begin",
		step{text: how},
		step{text: setOwner + id.String() + "'"},
		step{name: named, args: [][]byte{id[:]}, read: func(raw [][]byte) (err error) { o, err = ownerOf(raw); return err }},
		step{name: schemaStatement, read: v.read},
		step{name: runsStatement, args: [][]byte{id[:]}, read: t.readRun})
	return v, o, err
}

// pipe sends steps in one round trip and reads their results.
func (t *tx) pipe(ctx context.Context, op string, steps ...step) error {
	ctx, call := t.measure(ctx, op)
	defer func() { call.End(t.failed) }()
	if err := pipe(ctx, t.conn.Conn(), steps...); err != nil {
		return t.fail(ctx, op, err)
	}
	return nil
}

// preparedKey is the key under which a connection keeps the names of the statements that are
// prepared on it.
const preparedKey = "satchel prepared"

// pipe sends steps over a connection, which prepares their statements when it first needs
// them. Its error is the driver's.
func pipe(ctx context.Context, c *pgx.Conn, steps ...step) error {
	binary := []int16{pgx.BinaryFormatCode}
	prepared, _ := c.PgConn().CustomData()[preparedKey].(map[string]bool)
	if prepared == nil {
		prepared = make(map[string]bool)
		c.PgConn().CustomData()[preparedKey] = prepared
	}
	p := c.PgConn().StartPipeline(ctx)
	for _, st := range steps {
		switch {
		case st.name == "":
			p.SendQueryParams(st.text, nil, nil, nil, nil)
			continue
		case !prepared[st.name]:
			p.SendPrepare(st.name, statements[st.name], nil)
		}
		p.SendQueryPrepared(st.name, st.args, binary, binary)
	}
	var misread error // reading goes on, so that it is known what is prepared
	err := p.Sync()
	for i := 0; i < len(steps) && err == nil; i++ {
		if name := steps[i].name; name != "" && !prepared[name] {
			if _, err = p.GetResults(); err != nil {
				break
			}
			prepared[name] = true
		}
		var result any
		if result, err = p.GetResults(); err == nil {
			err = steps[i].take(result, &misread)
		}
	}
	return errors.Join(err, misread, p.Close())
}

// take reads the result of a step. misread is why the rows make no sense.
func (st step) take(result any, misread *error) error {
	rows, ok := result.(*pgconn.ResultReader)
	if !ok {
		return errColumns
	}
	for rows.NextRow() {
		if st.read != nil && *misread == nil {
			*misread = st.read(rows.Values())
		}
	}
	_, failed := rows.Close()
	return failed
}
