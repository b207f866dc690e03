package sqlite

import (
	"database/sql"
	"errors"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

// Table agents: the definitions of agents, every revision of each.
//
//	owner, id, revision  key
//	digest … received    see [store.Agent]; index agents_came finds what came without an id
//	document             nearly last because it can be large
var agentsTable = newTable("agents")

// Agent looks a revision up.
func (s *session) Agent(id string, revision int64) (store.Agent, error) {
	if revision == 0 {
		return s.agent(selectNewest, id)
	}
	return s.agent(agentsTable.row, id, revision)
}

// AgentAs looks a revision up by its digest.
func (s *session) AgentAs(id, digest string) (store.Agent, error) {
	if id == "" {
		return s.agent(selectCame, digest)
	}
	return s.agent(selectDigest, id, digest)
}

var (
	selectAgents = `SELECT ` + agentsTable.list + ` FROM agents AS a`
	selectNewest = selectAgents + ` WHERE owner = ? AND id = ? ORDER BY revision DESC LIMIT 1`
	selectDigest = selectAgents + ` WHERE owner = ? AND id = ? AND digest = ? ORDER BY revision DESC LIMIT 1`
	selectCame   = selectAgents + ` INDEXED BY agents_came WHERE owner = ? AND came = ? ORDER BY id DESC, revision DESC LIMIT 1`
	selectIDs    = `SELECT DISTINCT id FROM agents WHERE owner = ? AND id > ? ORDER BY id LIMIT ?`
	selectPage   = selectAgents + ` WHERE owner = ? AND id > ? AND revision =
		(SELECT max(revision) FROM agents AS b WHERE b.owner = a.owner AND b.id = a.id) ORDER BY id LIMIT ?`
)

func (s *session) agent(query string, args ...any) (store.Agent, error) {
	row, err := agentsTable.scan(func(into ...any) error {
		return s.first(query, append([]any{s.owner.number}, args...), into...)
	})
	if err == nil && !s.fits(agentsTable, row) {
		err = store.ErrAltered
	}
	if err != nil {
		return store.Agent{}, err
	}
	return stored.AgentOf(row.values), nil
}

// fits reports whether a row is as the store wrote it, as far as can be told.
func (s *session) fits(t table, row sealed) bool {
	seals := s.secret()
	return seals == nil || seals.Fits(t.Name, row.values, row.seal)
}

// AgentList reads on until it has found as many as were asked for.
func (s *session) AgentList(after string, max int) ([]store.Agent, error) {
	var found []store.Agent
	for len(found) < max {
		limit, seen := max-len(found), 0
		err := s.each(selectPage, []any{s.owner.number, after, limit}, func(rows *sql.Rows) error {
			row, err := agentsTable.scan(rows.Scan)
			if err != nil {
				return err
			}
			a := stored.AgentOf(row.values)
			seen, after = seen+1, a.ID
			if s.fits(agentsTable, row) {
				found = append(found, a)
			}
			return nil
		})
		if err != nil || seen < limit {
			return found, err
		}
	}
	return found, s.ready()
}

// AgentIDs looks at the keys alone.
func (s *session) AgentIDs(after string, max int) (found []string, err error) {
	err = s.eachText(selectIDs, after, max, 1, func(key []string) { found = append(found, key[0]) })
	return found, err
}

// eachText reads columns that are text as the store writes them.
func (s *session) eachText(query, after string, most, columns int, do func([]string)) error {
	return s.each(query, []any{s.owner.number, after, max(most, 0)}, func(rows *sql.Rows) error {
		raw, into, texts := make([]any, columns), make([]any, columns), make([]string, columns)
		for i := range raw {
			into[i] = &raw[i]
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		for i := range raw {
			text, ok := raw[i].(string)
			if !ok {
				return store.ErrAltered
			}
			texts[i] = text
		}
		do(texts)
		return nil
	})
}

// PutAgent adds a revision.
func (w *writer) PutAgent(a store.Agent) error {
	return w.putNew(agentsTable, stored.AgentRow(a), len(a.Document))
}

// DropAgent removes a revision.
func (w *writer) DropAgent(id string, revision int64) error {
	if revision == 0 {
		return w.dropDocument(deleteNewest, w.owner.number, id, w.owner.number, id)
	}
	return w.dropDocument(`DELETE FROM agents WHERE owner = ? AND id = ? AND revision = ?`, w.owner.number, id, revision)
}

const deleteNewest = `DELETE FROM agents WHERE owner = ? AND id = ? AND revision = (SELECT max(revision) FROM agents WHERE owner = ? AND id = ?)`

// dropDocument deletes a row with a document and counts it off.
func (w *writer) dropDocument(query string, args ...any) error {
	if err := w.ready(); err != nil || w.failed != nil {
		return errors.Join(err, w.failed)
	}
	var seal []byte
	var bytes int
	err := w.first(query+` RETURNING seal, octet_length(document)`, args, &seal, &bytes)
	if err != nil {
		return err
	}
	w.owner.total = w.owner.total.Minus(seal)
	w.use(0, -bytes)
	w.leave()
	return nil
}

// putNew adds a row with a document unless there is one of its key.
func (w *writer) putNew(t table, values []any, bytes int) error {
	if err := w.enrol(); err != nil {
		return err
	}
	if _, err := w.whole(t, values[:t.Key]...); !errors.Is(err, store.ErrNotFound) {
		if err == nil {
			err = store.ErrExists
		}
		return err
	}
	w.use(0, bytes)
	return w.putOne(t, values...)
}
