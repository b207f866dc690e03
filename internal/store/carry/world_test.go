package carry_test

import (
	"errors"
	"fmt"
	"time"

	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// world is what somebody has done to a store, as far as one must know it to ask for
// all of it.
type world struct {
	ids      []memory.ID
	digests  []string
	targets  []string
	aliases  [][2]string
	terms    []string
	keys     []string
	imports  []int64
	grants   []string
	agents   []string
	prefixes []memory.ID
	beside   [][2]string
	next     int
}

var birth = time.Date(2026, 3, 1, 12, 0, 0, 123456000, time.UTC)

// words are strings of people's: of any bytes, and longer than an index holds.
func words(t *rapid.T, label string) string {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"", "shop", "a b", "nul\x00byte", "\xff\xfe", "ünï", "'; --", "%_\\"}),
		rapid.StringN(1, 12, -1),
		rapid.Map(rapid.IntRange(200, 400), func(n int) string { return fmt.Sprintf("%0*d", n, n) }),
		rapid.Map(rapid.IntRange(0, 9), func(n int) string { return fmt.Sprintf("%0300d%d", 0, n) }),
	).Draw(t, label)
}

func instant(t *rapid.T, label string) time.Time {
	return birth.Add(time.Duration(rapid.IntRange(0, 1e6).Draw(t, label)) * time.Second)
}

func maybe(t *rapid.T, label string) bool { return rapid.Bool().Draw(t, label) }

// act does something of all that can be done.
func (x *world) act(t *rapid.T, w store.Writer) error {
	deeds := []func(*rapid.T, store.Writer) error{
		x.insert, x.insert, x.insert, x.insert, x.replace, x.reindex, x.remove, x.alias, x.change, x.receipt, x.takeIn,
		x.lesson, x.attach, x.attach, x.grant, x.account, x.audit, x.stage, x.agent, x.agent, x.state, x.run, x.session, x.reading,
	}
	return rapid.SampledFrom(deeds).Draw(t, "deed")(t, w)
}

func (x *world) row(t *rapid.T) store.Row {
	x.next++
	id := memory.ID(fmt.Sprintf("urn:ump:%04d%s", x.next, rapid.SampledFrom([]string{"", "\x00", "\xff", "z"}).Draw(t, "id")))
	x.ids, x.prefixes = append(x.ids, id), append(x.prefixes, id[:len("urn:ump:00")])
	at := instant(t, "created")
	r := store.Row{ID: id, Origin: fmt.Appendf(nil, `{"n":%d}`, x.next), Columns: store.Columns{
		Kind:       rapid.SampledFrom([]memory.Kind{memory.Semantic, memory.Episodic, memory.Procedural}).Draw(t, "kind"),
		Status:     rapid.SampledFrom([]memory.Status{memory.Active, memory.Candidate, memory.Tombstoned}).Draw(t, "status"),
		Visibility: memory.Private, Project: words(t, "project"), User: words(t, "user"), Agent: words(t, "agent"),
		Session: words(t, "session"), Created: at, From: at,
	}}
	c := &r.Columns
	if maybe(t, "ends") {
		c.To, c.Expires = at.Add(time.Hour), at.Add(2*time.Hour)
	}
	if maybe(t, "digest") {
		c.Duplicate = words(t, "duplicate")
		x.digests = append(x.digests, c.Duplicate)
	}
	if maybe(t, "lineage") {
		c.Lineage = rapid.SampledFrom(x.ids).Draw(t, "first")
	}
	return r
}

func (x *world) document(t *rapid.T) store.Document {
	d := store.Document{Terms: map[string]int{}, Version: rapid.IntRange(0, 3).Draw(t, "version")}
	for range rapid.IntRange(0, 6).Draw(t, "terms") {
		term := words(t, "term")
		n := rapid.SampledFrom([]int{1, 2, 255, 300}).Draw(t, "times")
		d.Terms[term], d.Length = n, d.Length+n
		x.terms = append(x.terms, term)
	}
	return d
}

func (x *world) links(t *rapid.T) (l store.Links) {
	for range rapid.IntRange(0, 2).Draw(t, "links") {
		target := words(t, "target")
		x.targets = append(x.targets, target)
		l.Relations = append(l.Relations, memory.Relation{Type: "depends_on", Target: target})
	}
	return l
}

func (x *world) insert(t *rapid.T, w store.Writer) error {
	_, err := w.Insert(x.row(t), x.document(t), x.links(t))
	return err
}

// held returns some row that is there.
func (x *world) held(t *rapid.T, w store.Writer) (store.Row, bool) {
	if len(x.ids) == 0 {
		return store.Row{}, false
	}
	row, err := w.Holder(rapid.SampledFrom(x.ids).Draw(t, "held"))
	return row, err == nil
}

func (x *world) replace(t *rapid.T, w store.Writer) error {
	row, ok := x.held(t, w)
	if !ok {
		return nil
	}
	row.Current = []byte(words(t, "current"))
	if maybe(t, "erased") {
		row.Origin = nil
	}
	row.Columns.Status = memory.Tombstoned
	return w.Replace(row, x.links(t))
}

func (x *world) reindex(t *rapid.T, w store.Writer) error {
	if row, ok := x.held(t, w); ok {
		return w.Reindex(row.Number, x.document(t))
	}
	return nil
}

func (x *world) remove(t *rapid.T, w store.Writer) error {
	if row, ok := x.held(t, w); ok {
		return w.Delete(row.ID)
	}
	return nil
}

func (x *world) alias(t *rapid.T, w store.Writer) error {
	row, ok := x.held(t, w)
	if !ok {
		return w.SetProjectAlias(words(t, "from"), words(t, "to"))
	}
	a := [2]string{words(t, "space"), words(t, "foreign")}
	x.aliases = append(x.aliases, a)
	return w.SetAlias(a[0], a[1], row.ID)
}

func (x *world) change(t *rapid.T, w store.Writer) error {
	_, err := w.Record(store.Change{At: instant(t, "at"), Type: store.Created, ID: memory.ID(words(t, "changed")), Mark: words(t, "mark")})
	return err
}

func (x *world) receipt(t *rapid.T, w store.Writer) error {
	key := words(t, "key")
	x.keys = append(x.keys, key)
	return w.SetReceipt(store.Receipt{Key: key, Request: words(t, "request"), Answer: []byte(words(t, "answer")), At: birth}, time.Hour)
}

func (x *world) takeIn(t *rapid.T, w store.Writer) error {
	number, err := w.SetImport(store.Import{Digest: words(t, "digest"), Format: "f", Name: words(t, "name"), At: instant(t, "at"),
		State: store.Published, Created: 1, Residue: []byte(words(t, "residue"))})
	x.imports = append(x.imports, number)
	return err
}

// stage adds rows of an import, which it publishes or not.
func (x *world) stage(t *rapid.T, w store.Writer) error {
	if err := x.takeIn(t, w); err != nil {
		return err
	}
	imp := x.imports[len(x.imports)-1]
	for range rapid.IntRange(1, 4).Draw(t, "staged") {
		row := x.row(t)
		row.Columns.Import, row.Columns.Staged = imp, true
		if _, err := w.Insert(row, x.document(t), store.Links{}); err != nil {
			return err
		}
	}
	for range rapid.IntRange(0, 3).Draw(t, "attached") {
		if err := x.attachTo(t, w, store.Attachment{Import: imp, Staged: true}); err != nil {
			return err
		}
	}
	if maybe(t, "publish") {
		_, err := w.Publish(imp)
		return err
	}
	return nil
}

// attach adds an attachment, or removes some.
func (x *world) attach(t *rapid.T, w store.Writer) error {
	if len(x.beside) > 0 && rapid.IntRange(0, 4).Draw(t, "detach") == 0 {
		if gone := rapid.SampledFrom(x.beside).Draw(t, "gone"); maybe(t, "one") {
			_ = w.Detach(gone[0], gone[1]) // it may be gone already
			return nil
		}
		_, err := w.DetachImport(1, 2)
		return err
	}
	a := store.Attachment{}
	if row, ok := x.held(t, w); ok {
		a.From = row.ID
	}
	if row, ok := x.held(t, w); ok && maybe(t, "to") {
		a.To = row.ID
	}
	if len(x.imports) > 0 && maybe(t, "brought") {
		a.Import = rapid.SampledFrom(x.imports).Draw(t, "import")
	}
	return x.attachTo(t, w, a)
}

func (x *world) attachTo(t *rapid.T, w store.Writer, a store.Attachment) error {
	a.Space, a.Key, a.Data = words(t, "space"), words(t, "key"), []byte(words(t, "data"))
	x.beside = append(x.beside, [2]string{a.Space, a.Key})
	_, err := w.AttachAll([]store.Attachment{a})
	return err
}

func (x *world) lesson(t *rapid.T, w store.Writer) error {
	if row, ok := x.held(t, w); ok {
		return w.SetLesson(row.Number, store.Lesson{Followed: rapid.IntRange(0, 9).Draw(t, "followed"), At: instant(t, "at")})
	}
	return nil
}

func (x *world) grant(t *rapid.T, w store.Writer) error {
	g := store.Grant{ID: words(t, "grant"), Name: words(t, "name"), Claims: []byte(`{}`), Issued: instant(t, "issued")}
	if maybe(t, "revoked") {
		g.Revoked = instant(t, "when")
	}
	x.grants = append(x.grants, g.ID)
	return w.SetGrant(g)
}

func (x *world) agent(t *rapid.T, w store.Writer) error {
	id := words(t, "agent")
	before, err := w.Agents().Agent(id, 0)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	x.agents = append(x.agents, id)
	return w.AgentKeeper().PutAgent(store.Agent{ID: id, Revision: before.Revision + 1, Digest: "d", Came: "c", Name: words(t, "name"),
		Received: instant(t, "received"), Document: []byte(words(t, "document"))})
}

func (x *world) state(t *rapid.T, w store.Writer) error {
	x.next++
	id := fmt.Sprint("state", x.next)
	return errors.Join(
		w.AgentKeeper().PutState(store.State{ID: id, Agent: words(t, "of"), Checkpoint: instant(t, "at"), Document: []byte(words(t, "state"))}),
		w.AgentKeeper().Spend(store.Spent{Issuer: words(t, "issuer"), JTI: id, Until: instant(t, "until")}, instant(t, "now")))
}

func (x *world) run(t *rapid.T, w store.Writer) error {
	x.next++
	id := fmt.Sprint("run", x.next)
	lineage, err := w.Runs().Lineage()
	err2 := w.RunKeeper().PutRun(store.Run{ID: id, Agent: words(t, "of"), Status: "running", Lineage: lineage, Sealed: maybe(t, "sealed"),
		Began: instant(t, "began"), Changed: instant(t, "changed"), Wake: instant(t, "wake")})
	held, err3 := w.RunKeeper().HoldRun(id, store.Hold{Holder: "h" + words(t, "holder"), Lease: time.Minute})
	_, err4 := w.RunKeeper().AppendRun(id, held.Fence, store.RunChange{Release: maybe(t, "released")},
		[]store.RunEvent{{At: instant(t, "at"), Document: []byte(words(t, "event"))}, {At: instant(t, "at"), Document: []byte(words(t, "event"))}})
	return errors.Join(err, err2, err3, err4)
}

func (x *world) session(t *rapid.T, w store.Writer) error {
	x.next++
	return w.SessionKeeper().PutSession(store.Session{Digest: fmt.Sprint("digest", x.next), Use: store.Visit, Made: instant(t, "made"),
		Seen: instant(t, "seen"), Ends: instant(t, "ends"), Label: words(t, "browser")})
}

func (x *world) reading(t *rapid.T, w store.Writer) error {
	x.next++
	return w.ReadingKeeper().PutReadings([]store.Reading{{Nonce: int64(x.next), At: instant(t, "at"), Way: "recall", Host: words(t, "host"), Project: words(t, "project"),
		Token: words(t, "token"), Times: 1, Given: 2, Memories: []int64{int64(rapid.IntRange(1, 9).Draw(t, "memory"))}, Question: words(t, "question")}})
}

func (x *world) account(t *rapid.T, w store.Writer) error {
	return w.SetAccount(store.Account{Key: []byte(words(t, "sealed")), Label: words(t, "label"), Added: instant(t, "added"),
		Quota: store.Quota{Records: int64(rapid.IntRange(0, 9).Draw(t, "records")), Bytes: 1 << 40}})
}

func (x *world) audit(t *rapid.T, w store.Writer) error {
	if err := w.AuditKeeper().AppendAudit([][]byte{[]byte(words(t, "entry"))}, [][]byte{[]byte("hash"), []byte("h2")}); err != nil {
		return err
	}
	return w.AuditKeeper().SetAuditHead([]byte(words(t, "head")))
}
