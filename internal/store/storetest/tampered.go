package storetest

import (
	"cmp"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// Files is the place of one store.
type Files struct {
	// Open opens the store, with a secret for each owner or without any.
	Open func(t testing.TB, secret func(memory.DID) []byte) store.Store
	// Change runs a statement of SQL behind the store's back.
	Change func(t testing.TB, statement string)
}

// Tampered tests that a store with secrets reports changes made behind its back, and
// does not trust the changed data. empty returns the place of a new empty store.
func Tampered(t *testing.T, empty func(t testing.TB) Files) {
	secret := func(owner memory.DID) []byte { return []byte("the secret of " + owner) }
	for _, tt := range tampered {
		t.Run(tt.name, func(t *testing.T) {
			files := empty(t)
			on := func(secret func(memory.DID) []byte, fn func(*place)) {
				t.Helper()
				p := &place{t: t, store: files.Open(t, secret)}
				fn(p)
				must(t, p.store.Close())
			}
			on(secret, func(p *place) { protect(p, ada); protect(p, bob) })
			files.Change(t, tt.do)
			on(secret, func(p *place) {
				same(t, "found", len(value(p.store.Check(t.Context()))(t)) > 0, tt.do != untouched)
				p.view(ada, func(r store.Reader) { tt.told(p, r) })
				p.update(ada, func(w store.Writer) { tt.told(p, w) })
			})
			on(nil, func(p *place) { p.view(ada, func(r store.Reader) { tt.unknown(p, r) }) })
		})
	}
	t.Run("the index", func(t *testing.T) { misindexed(t, empty, secret) })
	t.Run("written without the secret", func(t *testing.T) { writtenWithout(t, empty(t), secret) })
}

const untouched = `SELECT 1`

// tampered are changes and the expected reports. The statements mean the same to
// every store, and all owners are changed alike.
var tampered = []telling{
	{name: "nothing", do: untouched},
	{name: "a record", do: `UPDATE records SET created = created + 1 WHERE session = 'here'`, altered: []int64{2}},
	{name: "what a record became", do: `UPDATE records SET current = NULL WHERE session = 'here'`, altered: []int64{2}},
	{name: "a record that is gone", do: `DELETE FROM records WHERE session = 'here'`},
	{name: "an alias", do: `UPDATE aliases SET doc = doc + 1`, alias: store.ErrNotFound},
	{name: "an attachment", do: `UPDATE attachments SET import = 9 WHERE import IS NULL`, beside: store.ErrNotFound},
	{name: "what an attachment holds", do: `UPDATE attachments SET data = NULL`, beside: store.ErrNotFound},
	{name: "an attachment hangs elsewhere", do: `UPDATE attachments SET source = 3`, beside: store.ErrNotFound},
	{name: "an attachment hangs on nothing", do: `UPDATE attachments SET target = 99`, beside: store.ErrNotFound},
	{name: "an attachment that is gone", do: `DELETE FROM attachments`, beside: store.ErrNotFound},
	{name: "the counter of attachments", do: `UPDATE owners SET attached = 0`, open: store.ErrAltered, never: store.ErrAltered},
	{name: "a receipt", do: `UPDATE receipts SET request = 'other'`, receipt: store.ErrNotFound},
	{name: "a project", do: `UPDATE project_aliases SET project = 'other'`, project: true},
	{name: "an agent", do: `UPDATE agents SET revision = 7`, agent: store.ErrAltered},
	{name: "what an agent says", do: `UPDATE agents SET signer = name`, agent: store.ErrAltered},
	{name: "an agent that is gone", do: `DELETE FROM agents`, agent: store.ErrNotFound},
	{name: "a checkpoint", do: `UPDATE states SET checkpoint = checkpoint + 1`, state: store.ErrAltered},
	{name: "that a checkpoint left", do: `UPDATE states SET departed = 0`, state: store.ErrAltered},
	{name: "where a checkpoint is", do: `UPDATE states SET address = bound, bound = address`, state: store.ErrAltered},
	{name: "a checkpoint that is gone", do: `DELETE FROM states`, state: store.ErrNotFound},
	{name: "who holds a run", do: `UPDATE runs SET fence = fence + 1`, run: store.ErrAltered, head: store.ErrAltered},
	{name: "when a run is due", do: `UPDATE runs SET due = 0`, run: store.ErrAltered, head: store.ErrAltered},
	{name: "a run that is gone", do: `DELETE FROM runs`, run: store.ErrNotFound, head: store.ErrNotFound},
	{name: "an event of a run", do: `UPDATE run_events SET at = at + 1 WHERE number = 1`, run: store.ErrAltered},
	{name: "an event that is gone", do: `DELETE FROM run_events WHERE number = 1`, run: store.ErrAltered},
	{name: "the last event is gone", do: `DELETE FROM run_events WHERE number = 2`, run: store.ErrAltered},
	{name: "a spent token", do: `UPDATE spent SET until = until + 1`},
	{name: "a session", do: `UPDATE sessions SET ends = ends + 1`, session: store.ErrNotFound},
	{name: "what a session opens", do: `UPDATE sessions SET use = 'visit'`, session: store.ErrNotFound},
	{name: "a reading", do: `UPDATE readings SET given = given + 1`, reading: true},
	{name: "what a reading names", do: `UPDATE readings SET docs = ',2,'`, reading: true},
	{name: "a grant", do: `UPDATE grants SET expires = NULL WHERE name = 'open'`, open: store.ErrAltered},
	{name: "a grant that is in force again", do: `UPDATE grants SET revoked = NULL WHERE name = 'shut'`,
		open: store.ErrAltered, shut: store.ErrAltered, never: store.ErrAltered},
	{name: "a revoked grant that is gone", do: `DELETE FROM grants WHERE name = 'shut'`,
		open: store.ErrAltered, shut: store.ErrAltered, never: store.ErrAltered},
}

// telling is a change, and the expected result of each reading.
type telling struct {
	name, do          string
	altered           []int64
	alias, receipt    error
	beside            error // of reading the attachment
	project           bool  // it is not believed
	agent, state      error // of reading them
	run, head         error // of reading a run's events, and the run without them
	session           error
	reading           bool // it is not found
	open, shut, never error
}

// protect writes the data that the tests change.
func protect(p *place, owner memory.DID) {
	p.t.Helper()
	here := with(row(2), func(c *store.Columns) { c.Session = "here" })
	here.Current = []byte(`{"n":3}`)
	p.insert(owner, row(1), here, row(3))
	p.update(owner, func(w store.Writer) {
		must(p.t, w.SetAlias("space", "x", id(1)))
		must(p.t, w.SetProjectAlias("alias", "p"))
		value(store.Attach(w, store.Attachment{Space: "s", Key: "k", From: id(1), To: id(3), Data: []byte("data")}))(p.t)
		must(p.t, w.SetReceipt(store.Receipt{Key: "k", Request: "r", At: birth}, time.Hour))
		must(p.t, w.AgentKeeper().PutAgent(agent("a", 1)))
		must(p.t, w.AgentKeeper().PutState(departed(state("x", "a", 1))))
		must(p.t, w.AgentKeeper().Spend(store.Spent{Issuer: "i", JTI: "1", Until: birth}, birth))
		going := run("x", "a", 0)
		going.Status, going.Lineage = "running", value(w.Runs().Lineage())(p.t)
		must(p.t, w.RunKeeper().PutRun(going))
		value(w.RunKeeper().HoldRun("x", store.Hold{Holder: "h", Lease: time.Millisecond}))(p.t)
		value(w.RunKeeper().AppendRun("x", 1, store.RunChange{}, []store.RunEvent{{At: birth, Document: []byte("1")}, {At: birth, Document: []byte("2")}}))(p.t)
		must(p.t, w.SessionKeeper().PutSession(store.Session{Digest: digest("a"), Use: store.Entrance, Made: birth, Seen: birth, Ends: birth.Add(time.Hour)}))
		must(p.t, w.ReadingKeeper().PutReadings([]store.Reading{{At: birth, Way: "recall", Times: 1, Given: 1, Memories: []int64{1}}}))
		must(p.t, w.SetGrant(store.Grant{ID: "open", Name: "open", Issued: birth, Expires: birth.Add(time.Hour)}))
		must(p.t, w.SetGrant(store.Grant{ID: "shut", Name: "shut", Issued: birth, Revoked: birth.Add(time.Hour)}))
	})
}

// told reads everything with the secret.
func (tt telling) told(p *place, r store.Reader) {
	p.t.Helper()
	same(p.t, "altered", append([]int64{}, value(r.Altered([]int64{3, 1, 2, 4}))(p.t)...), append([]int64{}, tt.altered...))
	_, err := r.Alias("space", "x")
	fails(p.t, "Alias", err, tt.alias)
	_, err = r.Receipt("k")
	fails(p.t, "Receipt", err, tt.receipt)
	_, err = r.Attached("s", "k", 0)
	fails(p.t, "Attached", err, tt.beside)
	same(p.t, "attachments", len(value(r.Attachments(store.AttachmentFilter{Space: "s"}, 0, 9))(p.t)) == 0, tt.beside != nil)
	same(p.t, "projects", len(value(r.ProjectAliases())(p.t)) == 0, tt.project)
	tt.toldAgents(p, r)
	tt.toldRuns(p, r)
	_, err = r.Sessions().Session(digest("a"))
	fails(p.t, "Session", err, tt.session)
	same(p.t, "readings", len(value(r.Readings().ReadingList(store.ReadingFilter{Max: 9}))(p.t)) == 0, tt.reading)
	same(p.t, "sessions", len(value(r.Sessions().SessionList())(p.t)) == 0, tt.session != nil)
	never := tt.never
	if never == nil {
		never = store.ErrNotFound
	}
	for id, want := range map[string]error{"open": tt.open, "shut": tt.shut, "never": never} {
		_, err := r.Grant(id)
		fails(p.t, "Grant "+id, err, want)
	}
	for _, g := range value(r.Grants())(p.t) {
		changed := g.ID == "open" && tt.open != nil && tt.never == nil
		same(p.t, "in force: "+g.ID, g.Revoked.IsZero(), g.ID == "open" && !changed)
	}
}

// toldAgents reads agents and checkpoints with the secret, and tries to spend a token
// again.
func (tt telling) toldAgents(p *place, r store.Reader) {
	p.t.Helper()
	_, err := r.Agents().Agent("a", 0)
	fails(p.t, "Agent", err, tt.agent)
	same(p.t, "agents", len(value(r.Agents().AgentList("", 9))(p.t)) == 0, tt.agent != nil)
	_, err = r.Agents().State("x")
	fails(p.t, "State", err, tt.state)
	same(p.t, "states", len(value(r.Agents().StateList("", store.StatePlace{}, 9))(p.t)) == 0, tt.state != nil)
	same(p.t, "ids of agents", len(value(r.Agents().AgentIDs("", 9))(p.t)) > 0, !errors.Is(tt.agent, store.ErrNotFound))
	same(p.t, "keys of checkpoints", len(value(r.Agents().StateKeys("", 9))(p.t)) > 0, !errors.Is(tt.state, store.ErrNotFound))
	if w, writes := r.(store.Writer); writes {
		same(p.t, "spent", value(w.Agents().IsSpent("i", "1"))(p.t), true)
		if err := w.AgentKeeper().Spend(store.Spent{Issuer: "i", JTI: "1", Until: birth}, birth); err == nil {
			p.t.Error("a token was spent twice")
		}
	}
}

// toldRuns reads a run with the secret, and tries to go on with it.
func (tt telling) toldRuns(p *place, r store.Reader) {
	p.t.Helper()
	_, err := r.Runs().Run("x")
	fails(p.t, "Run", err, tt.head)
	_, err = r.Runs().RunEvents("x", 0, 9)
	fails(p.t, "RunEvents", err, tt.run)
	same(p.t, "runs", len(value(r.Runs().RunList("", store.RunPlace{}, 9))(p.t)) == 0, tt.head != nil)
	same(p.t, "due runs", len(value(r.Runs().DueRuns(birth.AddDate(99, 0, 0), 9))(p.t)) == 0, tt.head != nil)
	same(p.t, "ids of runs", len(value(r.Runs().RunIDs("", 9))(p.t)) > 0, !errors.Is(tt.head, store.ErrNotFound))
	if w, writes := r.(store.Writer); writes {
		_, err := w.RunKeeper().AppendRun("x", 1, store.RunChange{}, nil)
		fails(p.t, "AppendRun", err, cmp.Or(tt.head, tt.last()))
	}
}

// last is the failure of whoever looks at a run's last event only.
func (tt telling) last() error {
	if tt.name == "the last event is gone" {
		return store.ErrAltered
	}
	return nil
}

// unknown reads without the secret, and so cannot find changes.
func (tt telling) unknown(p *place, r store.Reader) {
	p.t.Helper()
	same(p.t, "altered", len(value(r.Altered([]int64{1, 2, 3, 4}))(p.t)), 0)
	_, err := r.Alias("space", "x")
	_, err2 := r.Receipt("k")
	_, err3 := r.Grant("open")
	_, err4 := r.Attached("s", "k", 0)
	if tt.beside != nil && (strings.Contains(tt.do, "DELETE") || strings.Contains(tt.do, "99")) {
		fails(p.t, "Attached", err4, store.ErrNotFound) // it is missing, or belongs to no record
		err4 = nil
	}
	must(p.t, errors.Join(err, err2, err3, err4))
	same(p.t, "projects", len(value(r.ProjectAliases())(p.t)), 1)
}

// writtenWithout writes without a secret: no seal vouches for that.
func writtenWithout(t *testing.T, files Files, secret func(memory.DID) []byte) {
	owned := &place{t: t, store: files.Open(t, secret)}
	protect(owned, ada)
	must(t, owned.store.Close())
	p := &place{t: t, store: files.Open(t, nil)}
	p.insert(ada, row(4))
	p.update(ada, func(w store.Writer) { must(t, w.SetProjectAlias("more", "q")) })
	must(t, p.store.Close())
	p = &place{t: t, store: files.Open(t, secret)}
	p.view(ada, func(r store.Reader) {
		same(t, "altered", value(r.Altered([]int64{1, 2, 3, 4}))(t), []int64{4})
		same(t, "projects", value(r.ProjectAliases())(t), map[string]string{"alias": "p"})
	})
	same(t, "found", len(value(p.store.Check(t.Context()))(t)) > 0, true)
	must(t, p.store.Close())
}
