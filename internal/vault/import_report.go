package vault

import (
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// ImportReport counts the effects of an import, or of its dry run.
type ImportReport struct {
	Number      int64 // of the import, for undo; 0 when nothing was stored
	Format      string
	Name        string
	Read        int      // records in the document; of a continued archive: in the rest of it
	Created     int      // records added
	Updated     int      // of them: those that supersede an earlier import of the same thing
	Ended       int      // of them: those that have ended by now, which only lists of everything show
	Narrowed    int      // of them: shared by the document, and private here
	Foreign     int      // of them: records of other owners, which stay theirs
	Displaced   int      // of them: those that replaced another owner's record with the same id
	Merged      int      // records that were here already
	Closed      int      // of them: those whose validity the document ends
	Skipped     int      // records left out: past their retention, or older than what is here
	Conflicting int      // records left out because the owner has changed, forgotten or erased what was here; and new ones beside others of the same name
	Skips       []Passed // by reason
	Conflicts   []Passed // by reason
	Units       int      // of an archive: units imported now
	Before      int      // of an archive: units that an earlier run or another process imported
	Known       bool
	DryRun      bool
	Losses      []codec.Loss
	Samples     []memory.Record // the first few added records
}

// Passed counts the records left out for one reason.
type Passed struct {
	Reason string     `json:"reason"`
	Count  int        `json:"count"`
	Some   []PassedBy `json:"some"` // the first of them
}

// PassedBy names a record that was left out.
type PassedBy struct {
	ID  memory.ID `json:"id,omitempty"`  // of the record here that it concerns, or its own
	Ref string    `json:"ref,omitempty"` // where it comes from, see [memory.Source]
}

// How many records a report shows, and how many that were left out it names for each
// reason.
const (
	samples = 5
	someOut = 100
)

// passing is one record that is left out.
type passing struct {
	PassedBy
	reason   string
	conflict bool
}

// passed counts a record that was left out.
func (r *ImportReport) passed(p passing) {
	list := &r.Skips
	if p.conflict {
		list = &r.Conflicts
		r.Conflicting++
	} else {
		r.Skipped++
	}
	for i := range *list {
		if at := &(*list)[i]; at.Reason == p.reason {
			at.Count++
			if len(at.Some) < someOut {
				at.Some = append(at.Some, p.PassedBy)
			}
			return
		}
	}
	*list = append(*list, Passed{Reason: p.reason, Count: 1, Some: []PassedBy{p.PassedBy}})
}

// Created counts a record that is added.
func (m *ImportRun) Created(p Prepared, judged Verdict) {
	m.Report.Created++
	if judged.prior != "" {
		m.Report.Updated++
	}
	if end := p.Rec.Time.ValidTo; !end.IsZero() && !end.After(m.Now) {
		m.Report.Ended++
	}
	if p.narrowed {
		m.Report.Narrowed++
	}
	if judged.displaces {
		m.Report.Displaced++
	}
	if Foreign(p.Rec, m.Caller.Owner) {
		m.Report.Foreign++
	}
	if judged.beside != "" {
		m.out = append(m.out, passing{PassedBy{judged.beside, sourceRef(p.Rec)}, besideElse, true})
	}
	if len(p.Rec.Supersedes) > 0 {
		m.chained = append(m.chained, p.Rec.ID)
	}
	if len(m.Report.Samples) < samples {
		m.Report.Samples = append(m.Report.Samples, p.Rec)
	}
}

func (m *ImportRun) merged(a addition) {
	m.Report.Merged++
	if !a.closedAt.IsZero() || len(a.closedBy) > 0 {
		m.Report.Closed++
	}
}

// passOver notes a record that is left out. The report counts it once the outcome is
// final.
func (m *ImportRun) passOver(p Prepared, judged Verdict) {
	id := judged.id
	if id == "" {
		id = p.Rec.ID
	}
	m.out = append(m.out, passing{PassedBy{id, sourceRef(p.Rec)}, judged.Why, judged.conflict})
}

// MostWarnings is how many warnings a report lists.
const MostWarnings = 1000

// ImportStatus says how far an import has come, as its owner sees it.
type ImportStatus string

// The statuses of an import.
const (
	ImportWorking   ImportStatus = "at work"
	ImportInPart    ImportStatus = "in part" // of an archive, which goes on with the next import
	ImportWhole     ImportStatus = "imported"
	ImportGoingBack ImportStatus = "being taken back"
	ImportUndone    ImportStatus = "undone"
	ImportNothing   ImportStatus = "cut off" // and nothing of it was kept
)

// ImportStatusOf says how far an import has come. An import that was cut off a moment ago
// counts as working.
func ImportStatusOf(i store.Import, now time.Time) ImportStatus {
	switch {
	case i.State == store.Published:
		return ImportWhole
	case i.State == store.TakenBack:
		return ImportUndone
	case i.State == store.Partial && i.Lease.IsZero():
		return ImportGoingBack
	case (i.State == store.Staging || i.State == store.Partial) && i.Lease.After(now):
		return ImportWorking
	case i.State == store.Partial:
		return ImportInPart
	}
	return ImportNothing
}
