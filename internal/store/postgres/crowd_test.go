package postgres

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// crowd makes a store of twenty owners with some thousand rows each, of which the
// server knows how they are distributed. Ada is one of them.
func crowd(t *testing.T) string {
	t.Helper()
	url := made(t)
	s := openSealed(t, url, nil)
	kinds := memory.Kinds()
	for batch := range 4 {
		update(t, s, func(w store.Writer) error {
			var beside []store.Attachment
			for n := batch * 500; n < batch*500+500; n++ {
				row := small(memory.ID(fmt.Sprintf("urn:ump:%05d", n)))
				c := &row.Columns
				c.Created = birth.Add(time.Duration(n) * time.Minute)
				c.Kind, c.Project, c.Duplicate = kinds[n%len(kinds)], fmt.Sprint("project", n%7), fmt.Sprint("digest", n)
				c.Import = int64(n % 3)
				if n%5 == 0 {
					c.Expires, c.Lineage = birth.AddDate(1, 0, n), memory.ID(fmt.Sprintf("urn:ump:%05d", n/10*10))
				}
				d := store.Document{Terms: map[string]int{"word": 1, fmt.Sprint("term", n%100): 1, fmt.Sprint("rare", n): 1}, Length: 3}
				beside = append(beside, store.Attachment{Space: fmt.Sprint("space", n%3), Key: row.Columns.Duplicate, From: row.ID,
					To: memory.ID(fmt.Sprintf("urn:ump:%05d", n/3)), Import: int64(n % 50), Data: []byte("data")})
				number, err := w.Insert(row, d, store.Links{Supersedes: []memory.ID{memory.ID(fmt.Sprint("urn:ump:", n%50))}})
				name := fmt.Sprint("name", n)
				_, err2 := w.Record(store.Change{At: c.Created, Type: store.Created, ID: row.ID})
				err3 := w.SetAlias("space", name, row.ID)
				if n%10 == 0 {
					_, err := w.SetImport(store.Import{At: birth})
					err3 = errors.Join(err, err3, w.SetProjectAlias(name, "p"), w.SetReceipt(store.Receipt{Key: name, At: c.Created}, time.Hour<<10),
						w.SetLesson(number, store.Lesson{Followed: 1}), w.SetGrant(store.Grant{ID: name, Issued: c.Created}),
						w.AgentKeeper().PutAgent(store.Agent{ID: fmt.Sprint("agent", n/40), Revision: int64(1 + n%40/10), Digest: name, Came: name, Document: []byte("{}")}),
						w.AgentKeeper().PutState(store.State{ID: name, Agent: fmt.Sprint("agent", n/40), Checkpoint: c.Created, Document: []byte("{}")}),
						w.RunKeeper().PutRun(store.Run{ID: name, Agent: fmt.Sprint("agent", n/40), Status: "running", Lineage: "l", Events: 1, Began: c.Created, Changed: c.Created}),
						w.RunKeeper().PutRunEvents([]store.RunEvent{{Run: name, Number: 1, At: birth, Document: []byte("{}")}}),
						w.AgentKeeper().Spend(store.Spent{Issuer: fmt.Sprint("issuer", n%3), JTI: name, Until: c.Created.AddDate(1, 0, 0)}, birth))
				}
				if err := errors.Join(err, err2, err3, w.AuditKeeper().AppendAudit([][]byte{{1}}, [][]byte{{1}, {2}})); err != nil {
					return err
				}
			}
			_, err := w.AttachAll(beside)
			return errors.Join(err, w.AuditKeeper().SetAuditHead([]byte("head")))
		})
	}
	for _, table := range owned {
		copies := `INSERT INTO ` + table.name + ` (owner, %s) SELECT md5(n::text)::uuid, %[1]s FROM ` + table.name + `, generate_series(1, 19) AS n`
		execute(t, url, fmt.Sprintf(copies, others(t, url, table.name)), `ANALYZE `+table.name)
	}
	return url
}

// others lists the columns of a table but for the owner and those that the server
// fills in.
func others(t *testing.T, url, table string) string {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer func() { must(t, c.Close(context.Background())) }()
	var list string
	must(t, c.QueryRow(t.Context(), `SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
		WHERE attrelid = $1::text::regclass AND attnum > 0 AND attgenerated = '' AND attname <> 'owner'`, table).Scan(&list))
	return list
}
