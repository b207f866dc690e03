package postgres

import (
	"errors"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// visitStep calls one method of a Reader or of a Writer.
type visitStep struct {
	name  string
	read  func(store.Reader) []any
	write func(store.Writer) []any
}

func (v visitStep) on(w store.Writer) []any {
	if v.read != nil {
		return v.read(w)
	}
	return v.write(w)
}

// outcomes are what was answered, and how that ended, where callers branch on it.
func outcomes(err error, values ...any) []any {
	for _, sentinel := range []error{store.ErrNotFound, store.ErrExists, store.ErrAltered} {
		if errors.Is(err, sentinel) {
			return append(values, sentinel.Error())
		}
	}
	if err != nil {
		return append(values, err.Error())
	}
	return values
}

func one[T any](value T, err error) []any { return outcomes(err, value) }

func two[S, T any](first S, second T, err error) []any { return outcomes(err, first, second) }

func reading(name string, read func(store.Reader) []any) visitStep {
	return visitStep{name: name, read: read}
}

func writing(name string, write func(store.Writer) error) visitStep {
	return visitStep{name: name, write: func(w store.Writer) []any { return outcomes(write(w)) }}
}

func numbering[T any](name string, write func(store.Writer) (T, error)) visitStep {
	return visitStep{name: name, write: func(w store.Writer) []any { return one(write(w)) }}
}

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func rowOf(id memory.ID, staged bool) store.Row {
	imp := int64(0)
	if staged {
		imp = 1
	}
	return store.Row{ID: id, Origin: []byte(`{"content":"word"}`), Columns: store.Columns{Kind: memory.Semantic, Status: memory.Active,
		Visibility: memory.Private, Project: "p", Created: noon, From: noon, Expires: noon, Duplicate: "d", Lineage: id, Import: imp, Staged: staged}}
}

var wordDocument = store.Document{Terms: map[string]int{"word": 1, "other": 2}, Length: 3, Version: 1, Digest: []byte("digest")}

// visits are all methods of a Writer, those that write last, and of these last the
// ones that remove.
var visits = []visitStep{
	reading("Document", func(r store.Reader) []any { return one(r.Document("urn:a")) }),
	reading("Sum", func(r store.Reader) []any { return one(r.Sum()) }),
	reading("Owner", func(r store.Reader) []any { return []any{r.Owner()} }),
	reading("Row", func(r store.Reader) []any { return one(r.Row("urn:a")) }),
	reading("Beginning", func(r store.Reader) []any { return one(r.Beginning("urn:", 9)) }),
	reading("Crowded", func(r store.Reader) []any { return one(r.Crowded([]memory.ID{"urn:a", "urn:"})) }),
	reading("Numbered", func(r store.Reader) []any { return one(r.Numbered([]int64{1, 2, 3})) }),
	reading("Altered", func(r store.Reader) []any { return one(r.Altered([]int64{1, 2, 3})) }),
	reading("Rows", func(r store.Reader) []any { return one(r.Rows(store.Filter{}, store.Cursor{}, 9)) }),
	reading("Rows", func(r store.Reader) []any {
		return one(r.Rows(store.Filter{Projects: []string{"p", ""}, Kinds: memory.Kinds()}, store.Cursor{}, 9))
	}),
	reading("Rows", func(r store.Reader) []any { return one(r.Rows(store.Filter{Import: 1}, store.Cursor{}, 9)) }),
	reading("Rows", func(r store.Reader) []any { return one(r.Rows(store.Filter{Lineage: "urn:a"}, store.Cursor{}, 9)) }),
	reading("Count", func(r store.Reader) []any { return one(r.Count(store.Filter{Expired: noon})) }),
	reading("FirstExpiry", func(r store.Reader) []any { return one(r.FirstExpiry()) }),
	reading("Duplicates", func(r store.Reader) []any { return one(r.Duplicates("d", 1)) }),
	reading("Relating", func(r store.Reader) []any { return one(r.Relating("urn:target")) }),
	reading("Alias", func(r store.Reader) []any { return one(r.Alias("space", "x")) }),
	reading("Projects", func(r store.Reader) []any { return one(r.Projects(time.Time{})) }),
	reading("ProjectAliases", func(r store.Reader) []any { return one(r.ProjectAliases()) }),
	reading("Attached", func(r store.Reader) []any { return one(r.Attached("s", "k", 0)) }),
	reading("Attachments", func(r store.Reader) []any { return one(r.Attachments(store.AttachmentFilter{Space: "s"}, 0, 9)) }),
	reading("Attachments", func(r store.Reader) []any {
		return one(r.Attachments(store.AttachmentFilter{Space: "s", From: "urn:a", Import: 1}, 0, 9))
	}),
	reading("Attachments", func(r store.Reader) []any {
		return one(r.Attachments(store.AttachmentFilter{Space: "s", To: "urn:a"}, 0, 9))
	}),
	reading("Spaces", func(r store.Reader) []any { return one(r.Spaces()) }),
	reading("Size", func(r store.Reader) []any { return two(r.Size()) }),
	reading("Frequencies", func(r store.Reader) []any { return one(r.Frequencies([]string{"word", "other"})) }),
	reading("Terms", func(r store.Reader) []any { return one(r.Terms("w", 9)) }),
	reading("Postings", func(r store.Reader) []any { return one(r.Postings("word", 9)) }),
	reading("Outdated", func(r store.Reader) []any {
		numbers, last, err := r.Outdated(2, 0, 9)
		return []any{numbers, last, err}
	}),
	reading("IndexEntries", func(r store.Reader) []any {
		found, err := r.IndexEntries([]int64{1, 2, 3})
		var all []any
		for _, x := range found {
			for term, frequency := range x.Terms {
				all = append(all, string(term), frequency)
			}
			all = append(all, x.Number, x.ID, x.Columns, x.Length, x.Version, x.Digest)
		}
		return outcomes(err, all...)
	}),
	reading("Changes", func(r store.Reader) []any { return one(r.Changes(0, 99)) }),
	reading("Head", func(r store.Reader) []any { return one(r.Head()) }),
	reading("Receipt", func(r store.Reader) []any { return one(r.Receipt("k")) }),
	reading("Imports", func(r store.Reader) []any { return one(r.Imports()) }),
	reading("Import", func(r store.Reader) []any { return one(r.Import(1)) }),
	reading("Lessons", func(r store.Reader) []any { return one(r.Lessons([]int64{1, 2})) }),
	reading("Grants", func(r store.Reader) []any { return one(r.Grants()) }),
	reading("Grant", func(r store.Reader) []any { return one(r.Grant("token")) }),
	reading("Agent", func(r store.Reader) []any { return one(r.Agents().Agent("a", 0)) }),
	reading("Agent", func(r store.Reader) []any { return one(r.Agents().Agent("a", 1)) }),
	reading("AgentAs", func(r store.Reader) []any { return one(r.Agents().AgentAs("a", "digest")) }),
	reading("AgentAs", func(r store.Reader) []any { return one(r.Agents().AgentAs("", "came")) }),
	reading("AgentList", func(r store.Reader) []any { return one(r.Agents().AgentList("", 9)) }),
	reading("AgentIDs", func(r store.Reader) []any { return one(r.Agents().AgentIDs("", 9)) }),
	reading("State", func(r store.Reader) []any { return one(r.Agents().State("x")) }),
	reading("StateList", func(r store.Reader) []any { return one(r.Agents().StateList("", store.StatePlace{}, 9)) }),
	reading("StateList", func(r store.Reader) []any { return one(r.Agents().StateList("a", store.StatePlace{}, 9)) }),
	reading("StateList", func(r store.Reader) []any {
		return one(r.Agents().StateList("", store.StatePlace{Checkpoint: birth.AddDate(9, 0, 0), ID: "x"}, 9))
	}),
	reading("StateList", func(r store.Reader) []any {
		return one(r.Agents().StateList("a", store.StatePlace{Checkpoint: birth.AddDate(9, 0, 0), ID: "x"}, 9))
	}),
	reading("StateKeys", func(r store.Reader) []any { return one(r.Agents().StateKeys("", 9)) }),
	reading("SpentList", func(r store.Reader) []any { return one(r.Agents().SpentList(birth)) }),
	reading("IsSpent", func(r store.Reader) []any { return one(r.Agents().IsSpent("i", "1")) }),
	reading("Run", func(r store.Reader) []any { return one(r.Runs().Run("r")) }),
	reading("RunList", func(r store.Reader) []any { return one(r.Runs().RunList("", store.RunPlace{}, 9)) }),
	reading("RunList", func(r store.Reader) []any { return one(r.Runs().RunList("a", store.RunPlace{}, 9)) }),
	reading("RunList", func(r store.Reader) []any {
		return one(r.Runs().RunList("", store.RunPlace{Began: birth.AddDate(9, 0, 0), ID: "r"}, 9))
	}),
	reading("RunList", func(r store.Reader) []any {
		return one(r.Runs().RunList("a", store.RunPlace{Began: birth.AddDate(9, 0, 0), ID: "r"}, 9))
	}),
	reading("RunIDs", func(r store.Reader) []any { return one(r.Runs().RunIDs("", 9)) }),
	reading("RunEvents", func(r store.Reader) []any { return one(r.Runs().RunEvents("r", 0, 9)) }),
	reading("DueRuns", func(r store.Reader) []any { return one(r.Runs().DueRuns(birth.AddDate(9, 0, 0), 9)) }),
	reading("NextRun", func(r store.Reader) []any { return one(r.Runs().NextRun()) }),
	reading("Clock", func(r store.Reader) []any {
		now, err := r.Runs().Clock()
		return outcomes(err, now.After(birth))
	}),
	reading("Lineage", func(r store.Reader) []any { // another in each database
		marker, err := r.Runs().Lineage()
		return one(marker != "", err)
	}),
	reading("Session", func(r store.Reader) []any { return one(r.Sessions().Session("digest")) }),
	reading("SessionList", func(r store.Reader) []any { return one(r.Sessions().SessionList()) }),
	reading("ReadingList", func(r store.Reader) []any { return one(r.Readings().ReadingList(store.ReadingFilter{Max: 9})) }),
	reading("FirstReading", func(r store.Reader) []any { return one(r.Readings().FirstReading()) }),
	reading("Account", func(r store.Reader) []any { return one(r.Account()) }),
	reading("Usage", func(r store.Reader) []any { return two(r.Usage()) }),
	reading("Moved", func(r store.Reader) []any { return one(r.Moved()) }),
	reading("AuditSize", func(r store.Reader) []any { return two(r.Audit().AuditSize()) }),
	reading("AuditEntries", func(r store.Reader) []any { return one(r.Audit().AuditEntries(0, 9)) }),
	reading("AuditHashes", func(r store.Reader) []any { return one(r.Audit().AuditHashes([]int64{0})) }),
	reading("AuditHead", func(r store.Reader) []any { return one(r.Audit().AuditHead()) }),

	numbering("Holder", func(w store.Writer) (store.Row, error) { return w.Holder("urn:a") }),
	numbering("Insert", func(w store.Writer) (int64, error) {
		return w.Insert(rowOf("urn:a", false), wordDocument, store.Links{Supersedes: []memory.ID{"urn:target"}})
	}),
	numbering("Insert", func(w store.Writer) (int64, error) {
		return w.Insert(rowOf("urn:b", true), wordDocument, store.Links{})
	}),
	writing("Replace", func(w store.Writer) error {
		return w.Replace(rowOf("urn:a", false), store.Links{Supersedes: []memory.ID{"urn:target"}})
	}),
	writing("Pack", func(w store.Writer) error { _, _, err := w.Pack("", 9); return err }),
	writing("Reindex", func(w store.Writer) error { return w.Reindex(1, wordDocument) }),
	writing("SetAlias", func(w store.Writer) error { return w.SetAlias("space", "x", "urn:a") }),
	numbering("Attach", func(w store.Writer) (int64, error) {
		return store.Attach(w, store.Attachment{Space: "s", Key: "k", From: "urn:a", To: "urn:b", Data: []byte("data")})
	}),
	numbering("AttachAll", func(w store.Writer) ([]int64, error) {
		return w.AttachAll([]store.Attachment{{Space: "s", Key: "k"}, {Space: "s", Key: "staged", Import: 1, Staged: true},
			{Space: "s", Key: "imported", Import: 1}, {Space: "t", Key: "other", From: "urn:b"}})
	}),
	writing("SetProjectAlias", func(w store.Writer) error { return w.SetProjectAlias("alias", "p") }),
	numbering("Record", func(w store.Writer) (int64, error) {
		return w.Record(store.Change{At: noon, Type: store.Created, ID: "urn:a"})
	}),
	writing("SetReceipt", func(w store.Writer) error {
		return w.SetReceipt(store.Receipt{Key: "k", Answer: []byte(`"urn:a"`), At: noon}, time.Hour)
	}),
	numbering("SetImport", func(w store.Writer) (int64, error) { return w.SetImport(store.Import{At: noon, Digest: "d"}) }),
	numbering("SetImport", func(w store.Writer) (int64, error) {
		return w.SetImport(store.Import{Number: 1, At: noon, Digest: "d", Residue: []byte("r")})
	}),
	writing("SetLesson", func(w store.Writer) error { return w.SetLesson(1, store.Lesson{Followed: 1, At: noon}) }),
	writing("SetGrant", func(w store.Writer) error { return w.SetGrant(store.Grant{ID: "token", Issued: noon}) }),
	writing("PutAgent", func(w store.Writer) error {
		return w.AgentKeeper().PutAgent(store.Agent{ID: "a", Revision: 1, Digest: "digest", Came: "came", Received: noon, Document: []byte("{}")})
	}),
	writing("PutState", func(w store.Writer) error {
		return w.AgentKeeper().PutState(store.State{ID: "x", Agent: "a", Checkpoint: noon, Received: noon, Document: []byte("{}")})
	}),
	writing("PutRun", func(w store.Writer) error {
		lineage, err := w.Runs().Lineage()
		return errors.Join(err, w.RunKeeper().PutRun(store.Run{ID: "r", Agent: "a", Status: "running", Lineage: lineage, Began: noon, Changed: noon}))
	}),
	writing("PutRunEvents", func(w store.Writer) error {
		return w.RunKeeper().PutRunEvents([]store.RunEvent{{Run: "s", Number: 1, At: noon, Document: []byte("{}")}})
	}),
	writing("HoldRun", func(w store.Writer) error {
		_, err := w.RunKeeper().HoldRun("r", store.Hold{Holder: "h", Lease: time.Nanosecond})
		return err
	}),
	writing("RenewRuns", func(w store.Writer) error {
		_, err := w.RunKeeper().RenewRuns(time.Nanosecond, map[string]int64{"r": 1})
		return err
	}),
	writing("AppendRun", func(w store.Writer) error {
		_, err := w.RunKeeper().AppendRun("r", 1, store.RunChange{Status: "paused"}, []store.RunEvent{{At: noon, Document: []byte("{}")}})
		return err
	}),
	writing("DropRun", func(w store.Writer) error { return w.RunKeeper().DropRun("s") }),
	writing("PutSession", func(w store.Writer) error {
		return w.SessionKeeper().PutSession(store.Session{Digest: "digest", Use: store.Visit, Made: noon, Seen: noon, Ends: noon})
	}),
	writing("Spend", func(w store.Writer) error {
		return w.AgentKeeper().Spend(store.Spent{Issuer: "i", JTI: "1", Until: noon}, noon)
	}),
	writing("Unspend", func(w store.Writer) error { return w.AgentKeeper().Unspend("i", "1") }),
	writing("DropSession", func(w store.Writer) error { return w.SessionKeeper().DropSession("digest") }),
	writing("DropEnded", func(w store.Writer) error { return w.SessionKeeper().DropEnded(noon) }),
	writing("PutReadings", func(w store.Writer) error {
		return w.ReadingKeeper().PutReadings([]store.Reading{{At: noon, Way: "recall", Host: "h", Times: 1, Given: 1, Memories: []int64{1}}})
	}),
	writing("DropReadings", func(w store.Writer) error { return w.ReadingKeeper().DropReadings(noon.Add(-time.Hour), 9) }),
	writing("Schedule", func(w store.Writer) error { return w.Schedule(store.Tidy, noon) }),
	writing("Reschedule", func(w store.Writer) error { return w.Reschedule(store.Tidy, noon.Add(1)) }),
	writing("Reschedule", func(w store.Writer) error { return w.Reschedule(store.Tell, time.Time{}) }),
	writing("SetAccount", func(w store.Writer) error { return w.SetAccount(store.Account{Label: "label", Key: []byte("k")}) }),
	writing("SetMoved", func(w store.Writer) error { return w.SetMoved("moved") }),
	writing("AppendAudit", func(w store.Writer) error {
		return w.AuditKeeper().AppendAudit([][]byte{[]byte("e")}, [][]byte{[]byte("h")})
	}),
	writing("SetAuditHead", func(w store.Writer) error { return w.AuditKeeper().SetAuditHead([]byte("head")) }),

	writing("Detach", func(w store.Writer) error { return w.Detach("t", "other") }),
	numbering("DetachImport", func(w store.Writer) (int, error) { return w.DetachImport(1, 1) }),
	numbering("Publish", func(w store.Writer) (int, error) { return w.Publish(1) }),
	writing("DropAgent", func(w store.Writer) error { return w.AgentKeeper().DropAgent("a", 1) }),
	writing("DropAgent", func(w store.Writer) error { return w.AgentKeeper().DropAgent("a", 0) }),
	writing("DropState", func(w store.Writer) error { return w.AgentKeeper().DropState("x") }),
	writing("DropReceipts", func(w store.Writer) error { return w.DropReceipts("urn:a") }),
	writing("Delete", func(w store.Writer) error { return w.Delete("urn:b") }),
	writing("EraseOwner", func(w store.Writer) error { return w.EraseOwner() }),
}
