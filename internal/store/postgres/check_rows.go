package postgres

import (
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

// ownerCheck holds the state of a check of one owner.
type ownerCheck struct {
	check *check
	*ownerTx
	seals *stored.Sealer
	other bool // the rows were sealed with a secret that is not at hand, and are not checked
	total stored.Sum
	nth   int              // number of the current row in its table
	rows  map[string]int64 // by table: how many there are

	lists     map[int64]uint64   // by document: the sum of its list of terms, see indexCheck
	strays    map[string][]int64 // by table: documents that it names and that do not exist
	odd       []int64            // records of an invalid kind, status or visibility
	staged    []int64            // by run: how many records of its import it covers
	documents int64
	length    int64
	bytes     int64
	last      int64 // highest number of a document
	attached  int64 // highest number of an attachment
	sequence  int64
	gaps      bool
	counted   map[string]int64 // by run: how many events it says it has
	happened  map[string]int64 // by run: the number of its last event so far
	broken    int              // events that are out of order, or of no run
}

func newOwnerCheck(x *check, s *ownerTx) *ownerCheck {
	o := &ownerCheck{check: x, ownerTx: s, seals: s.sealer(), rows: make(map[string]int64), lists: make(map[int64]uint64),
		strays: make(map[string][]int64), counted: make(map[string]int64), happened: make(map[string]int64), staged: make([]int64, len(s.runs)), sequence: s.owner.Began}
	if o.other = strange(o.seals, s.owner.Secret); o.other && o.seals.Keyed { // a caller without a secret asks for Unchecked
		o.report("the rows were sealed with another secret, so that what was changed outside of satchel cannot be found")
	}
	return o
}

// report words a finding about the owner.
func (o *ownerCheck) report(format string, args ...any) {
	o.check.report("owner %s: "+format, append([]any{o.did}, args...)...)
}

// table reads a table in the order of its keys.
func (o *ownerCheck) table(t *table) error {
	o.nth = 0
	return o.each(t.rows, nil, func(rows pgx.Rows) error {
		row, err := t.scan(rows)
		if err != nil {
			return err
		}
		o.nth++
		o.rows[t.Name]++
		o.row(t, row.Values, row.Seal)
		return nil
	})
}

// row checks the seal of a row and its columns.
func (o *ownerCheck) row(t *table, values []any, seal []byte) {
	if t.Name != ownersTable.Name {
		o.total = o.total.Plus(seal)
	}
	switch {
	case o.other && !o.mistaken(t, values, seal):
	case o.seals.Fits(t.Name, values, seal):
	case o.seals.Keyed && o.seals.Plain.Fits(t.Name, values, seal):
		o.name(t, values, "was written without the owner's secret, so that nothing vouches for it")
	default:
		o.name(t, values, "was changed outside of satchel")
	}
	o.meaning(t, values)
}

// mistaken reports whether an owner's row claims that its seals were made with a
// secret although its own seal was not.
func (o *ownerCheck) mistaken(t *table, values []any, seal []byte) bool {
	if t.Name != ownersTable.Name {
		return false
	}
	values = slices.Clone(values)
	values[len(values)-1] = o.seals.Plain.ID
	return o.seals.Plain.Fits(t.Name, values, seal)
}

// name reports a finding with the name of the row.
func (o *ownerCheck) name(t *table, values []any, what string) {
	o.check.faulty[t.Name]++
	if o.check.faulty[t.Name] > mostFindings {
		return
	}
	name := fmt.Sprintf("row number %d by key of owner %s", o.nth, o.did)
	switch {
	case t.Key == 0:
		name = fmt.Sprintf("row of owner %s", o.did)
	case !t.Private:
		if number, ok := values[t.Key-1].(int64); ok {
			name = fmt.Sprintf("row %d of owner %s", number, o.did)
		}
	}
	o.check.report("table %s, %s: %s", t.Name, name, what)
}

// sum compares the sum of all seals with the sum in the owner's row.
func (o *ownerCheck) sum() {
	if o.total != o.owner.Total {
		o.report("rows were removed, added or put back to an earlier state outside of satchel")
	}
}

// meaning checks the values of a row.
func (o *ownerCheck) meaning(t *table, values []any) {
	switch t.Name {
	case recordsTable.Name:
		o.record(values)
	case relationsTable.Name, "aliases", lessonsTable.Name:
		at := 0
		if t.Name != lessonsTable.Name {
			at = len(values) - 1
		}
		doc, _ := values[at].(int64)
		if _, there := o.lists[doc]; !there {
			o.strays[t.Name] = append(o.strays[t.Name], doc)
		}
	case attachmentsTable.Name:
		o.attachment(values)
	case runsTable.Name:
		id, _ := values[0].(string)
		o.counted[id], _ = values[placeEvents].(int64)
	case agentsTable.Name, statesTable.Name, runEventsTable.Name:
		document, _ := values[len(values)-1].([]byte)
		o.bytes += int64(len(document))
		if t.Name == runEventsTable.Name {
			o.event(values)
		}
	case changesTable.Name:
		if values[2] == "emptied" {
			return // the row marks the beginning of the feed
		}
		sequence, _ := values[0].(int64)
		first, _ := values[5].(int64)
		last, _ := values[6].(int64)
		o.gaps = o.gaps || sequence-(last-first)-1 != o.sequence
		o.sequence = sequence
	}
}

// placeEvents is the place of the column events of table runs.
var placeEvents = runsTable.Place("events")

// event notes an event of a run.
func (o *ownerCheck) event(values []any) {
	run, _ := values[0].(string)
	number, _ := values[1].(int64)
	if _, there := o.counted[run]; !there || number != o.happened[run]+1 {
		o.broken++
	}
	o.happened[run] = number
}

// journals compares the events of runs with what the runs say.
func (o *ownerCheck) journals() {
	if o.broken > 0 {
		o.report("%d events are of runs that do not exist, or others before them are missing", o.broken)
	}
	short := 0
	for run, events := range o.counted {
		if o.happened[run] != events {
			short++
		}
	}
	if short > 0 {
		o.report("%d runs count other events than there are", short)
	}
}

// attachment notes an attachment.
func (o *ownerCheck) attachment(values []any) {
	number, _ := values[0].(int64)
	for _, end := range values[3:5] {
		doc, hangs := end.(int64)
		if _, there := o.lists[doc]; hangs && !there {
			o.strays[attachmentsTable.Name] = append(o.strays[attachmentsTable.Name], number)
		}
	}
	data, _ := values[6].([]byte)
	o.bytes += int64(len(data))
	o.attached = max(o.attached, number)
	if i := o.runOf(stored.AttachmentBase + number); i >= 0 && values[5] == any(o.runs[i].Import) {
		o.staged[i]++
	}
}

// record notes a record.
func (o *ownerCheck) record(values []any) {
	doc, _ := values[0].(int64)
	indexed := stored.IndexColumnsOf(values)
	length, _ := indexed.Length.(int64)
	packed, _ := indexed.Words.([]byte)
	o.lists[doc] = o.check.listSum(length, packed)
	if length != 0 || len(packed) > 0 {
		o.documents++
		o.length += length
	}
	o.bytes += int64(stored.ContentSize(values))
	o.last = max(o.last, doc)
	if i := o.runOf(doc); i >= 0 && values[placeImport] == o.runs[i].Import {
		o.staged[i]++
	}
	kind, _ := values[2].(string)
	status, _ := values[3].(string)
	visibility, _ := values[4].(string)
	if !slices.Contains(memory.Kinds(), memory.Kind(kind)) || !memory.Status(status).Valid() ||
		!memory.Visibility(visibility).Valid() {
		o.odd = append(o.odd, doc)
	}
}

// placeImport is the place of the column import of table records.
var placeImport = recordsTable.Place("import")

// runOf returns the index of the run that holds a document, or -1.
func (o *ownerCheck) runOf(doc int64) int {
	return slices.IndexFunc(o.runs, func(r stored.Run) bool { return r.First <= doc && doc <= r.Last })
}

// counters compares the counts of the check with the owner's row and the runs.
func (o *ownerCheck) counters() {
	said := &o.owner
	if o.last > said.Numbered {
		o.report("document numbers go up to %d, the counter says %d", o.last, said.Numbered)
	}
	if o.attached > said.Attached {
		o.report("attachments are numbered up to %d, the counter says %d", o.attached, said.Attached)
	}
	if o.sequence != said.Sequence {
		o.report("the feed goes up to %d, the counter says %d", o.sequence, said.Sequence)
	}
	if o.gaps {
		o.report("the feed has gaps")
	}
	if n := o.rows[recordsTable.Name]; n != said.Records || o.bytes != said.Bytes {
		o.report("there are %d records of %d bytes, the counters say %d and %d", n, o.bytes, said.Records, said.Bytes)
	}
	if o.documents != said.Documents || o.length != said.Length {
		o.report("%d records of length %d are indexed, the counters say %d and %d", o.documents, o.length, said.Documents, said.Length)
	}
	if n, m := o.rows["audit"], o.rows["audit_hashes"]; n != said.Entries || m != said.Hashes {
		o.report("the audit log has %d entries and %d hashes, the counters say %d and %d", n, m, said.Entries, said.Hashes)
	}
	for i, r := range o.runs {
		if o.staged[i] != r.Rows {
			o.report("import %d counts %d unpublished rows, there are %d", r.Import, r.Rows, o.staged[i])
		}
	}
	o.journals()
	o.several("record %d has a kind, status or visibility that does not exist", o.odd)
	o.several("a link starts at record %d, which does not exist", o.strays[relationsTable.Name])
	o.several("a foreign id stands for record %d, which does not exist", o.strays["aliases"])
	o.several("attachment %d hangs on a record that does not exist", o.strays[attachmentsTable.Name])
	o.several("a lesson is about record %d, which does not exist", o.strays[lessonsTable.Name])
}

// several reports one finding for several records, up to the limit.
func (o *ownerCheck) several(format string, docs []int64) {
	for _, doc := range docs[:min(len(docs), mostFindings)] {
		o.report(format, doc)
	}
}
