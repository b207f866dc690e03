package postgres

import (
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

// Table agents: the definitions of agents, every revision of each.
//
//	owner, id, revision  key
//	digest … received    see [store.Agent]; index agents_came finds what came without an id
//	document             nearly last because it can be large
//	by_id                see short
var agentsTable = newTable("agents")

// Agent looks a revision up.
func (s *session) Agent(id string, revision int64) (store.Agent, error) {
	if revision == 0 {
		return s.agent(selectNewest, short(id))
	}
	return s.agent(agentsTable.row, short(id), revision)
}

// AgentAs looks a revision up by its digest.
func (s *session) AgentAs(id, digest string) (store.Agent, error) {
	if id == "" {
		return s.agent(selectCame, digest)
	}
	return s.agent(selectDigest, short(id), digest)
}

var (
	selectAgents    = `SELECT ` + agentsTable.list + ` FROM agents WHERE owner = $1`
	selectNewest    = selectAgents + ` AND by_id = $2 ORDER BY revision DESC LIMIT 1`
	selectDigest    = selectAgents + ` AND by_id = $2 AND digest = $3 ORDER BY revision DESC LIMIT 1`
	selectCame      = selectAgents + ` AND came = $2 ORDER BY by_id DESC, revision DESC LIMIT 1`
	selectNextAgent = `SELECT id FROM agents WHERE owner = $1 AND by_id > $2 ORDER BY by_id LIMIT 1`
)

func (s *session) agent(query string, args ...any) (store.Agent, error) {
	values, err := s.intact(agentsTable, query, args)
	if err != nil {
		return store.Agent{}, err
	}
	return stored.AgentOf(values), nil
}

// intact reads the only row of a query, and fails with [store.ErrAltered] when it was
// changed outside.
func (s *session) intact(t table, query string, args []any) (values []any, err error) {
	var seal []byte
	err = s.each(query, args, func(rows pgx.Rows) (err error) {
		values, seal, err = t.scan(rows)
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case values == nil:
		return nil, store.ErrNotFound
	case !s.fits(t, values, seal):
		return nil, store.ErrAltered
	}
	return values, nil
}

// AgentList goes from each id to the next, which the index finds in their order.
func (s *session) AgentList(after string, max int) ([]store.Agent, error) {
	var found []store.Agent
	for len(found) < max {
		var id []byte
		err := s.first(selectNextAgent, []any{short(after)}, &id)
		if errors.Is(err, store.ErrNotFound) {
			break
		}
		if err != nil {
			return nil, err
		}
		after = string(id)
		a, err := s.agent(selectNewest, short(after))
		if errors.Is(err, store.ErrAltered) {
			continue
		}
		if err != nil {
			return nil, err
		}
		found = append(found, a)
	}
	return found, s.ready()
}

// AgentIDs goes from each id to the next.
func (s *session) AgentIDs(after string, max int) (found []string, err error) {
	for len(found) < max {
		var id []byte
		err := s.first(selectNextAgent, []any{short(after)}, &id)
		if errors.Is(err, store.ErrNotFound) {
			break
		}
		if err != nil {
			return nil, err
		}
		after = string(id)
		found = append(found, after)
	}
	return found, s.ready()
}

// PutAgent adds a revision.
func (w *writer) PutAgent(a store.Agent) error {
	return w.putNew(agentsTable, stored.AgentRow(a), len(a.Document))
}

// DropAgent removes a revision.
func (w *writer) DropAgent(id string, revision int64) error {
	if revision == 0 {
		return w.dropDocument(deleteNewest, short(id))
	}
	return w.dropDocument(deleteAgent, short(id), revision)
}

const (
	returnDocument = ` RETURNING seal, octet_length(document)`
	deleteAgent    = `DELETE FROM agents WHERE owner = $1 AND by_id = $2 AND revision = $3` + returnDocument
	deleteNewest   = `DELETE FROM agents WHERE owner = $1 AND by_id = $2 AND revision =
		(SELECT revision FROM agents WHERE owner = $1 AND by_id = $2 ORDER BY revision DESC LIMIT 1)` + returnDocument
	deleteState = `DELETE FROM states WHERE owner = $1 AND by_id = $2` + returnDocument
)

// dropDocument deletes a row with a document and counts it off.
func (w *writer) dropDocument(query string, args ...any) error {
	var seal []byte
	var bytes int64
	if err := w.first(query, args, &seal, &bytes); err != nil {
		return err
	}
	w.owner.total, w.owner.bytes, w.dirty = w.owner.total.Minus(seal), w.owner.bytes-bytes, true
	w.leave()
	return w.failed()
}

// putNew adds a row with a document unless there is one of its key.
func (w *writer) putNew(t table, values []any, bytes int) error {
	if err := w.enrol(); err != nil {
		return err
	}
	if _, _, err := w.whole(t, values[:t.Key]...); !errors.Is(err, store.ErrNotFound) {
		if err == nil {
			err = store.ErrExists
		}
		return err
	}
	w.owner.bytes, w.dirty = w.owner.bytes+int64(bytes), true
	return w.putOne(t, values...)
}
