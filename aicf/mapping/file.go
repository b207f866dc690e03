package mapping

import (
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// mostOrder bounds, in bytes, the lines that the record for a file keeps.
const mostOrder = 2 << 20

// fileResidue collects what no record says of a file, for the record that stands for the
// file.
type fileResidue struct {
	order  []canon.Value
	lines  []string // lines since the last record
	size   int
	full   bool
	latest time.Time // the latest creation of a record
	unsaid []string  // what no record says, for the text of the file's record
	more   int       // how much more there is than such a text holds
	long   int       // bytes in unsaid
}

// text keeps lines as they are.
func (k *fileResidue) text(lines []string) {
	for _, l := range lines {
		k.size += len(l) + 3
	}
	k.lines = append(k.lines, lines...)
	k.bound()
}

// record keeps the place of some lines of a record.
func (k *fileResidue) record(id memory.ID, lines, of int) {
	k.flush()
	ref := canon.String(strings.TrimPrefix(string(id), idPrefix))
	if lines < of {
		ref = canon.Object(canon.Member{Name: "id", Value: ref}, canon.Member{Name: "lines", Value: canon.Int(int64(lines))})
	}
	k.order = append(k.order, ref)
	k.size += len(id)
	k.bound()
}

func (k *fileResidue) flush() {
	if len(k.lines) > 0 {
		k.order = append(k.order, texts(k.lines))
		k.lines = nil
	}
}

func (k *fileResidue) bound() {
	if k.full = k.full || k.size > mostOrder; k.full {
		k.order, k.lines = nil, nil
	}
}

// entry keeps an entry. ids are the records of its pieces; empty: a piece has no record.
func (k *fileResidue) entry(e aicf.Entry, ids []memory.ID) {
	if e.Place().Line == 0 {
		return
	}
	lines := strings.Split(e.Place().Raw, "\n")
	all := piecesOf(e, "")
	if !makesRecords(e) || len(ids) == 0 && all.owners == nil {
		k.text(lines)
		return
	}
	if all.owners == nil {
		all.owners = make([]int, len(lines))
	}
	for i := 0; i < len(lines); {
		owner, end := all.owners[i], i+1
		for end < len(lines) && all.owners[end] == owner {
			end++
		}
		switch {
		case owner == dropped:
		case owner == nobody || ids[owner] == "":
			k.text(lines[i:end])
		default:
			k.record(ids[owner], end-i, strings.Count(all.pieces[owner].raw, "\n")+1)
		}
		i = end
	}
}

// fileRecord makes the record that stands for the file.
func (in *recordBuilder) fileRecord(k *fileResidue) (memory.Record, error) {
	k.flush()
	layout, odd, known := in.script.layout()
	r := memory.Record{
		Version: "0.1", Kind: memory.Episodic, Body: memory.Body{Text: strings.Join(append([]string{strings.TrimSpace("AICF file " + in.base.file)}, k.unsaid...), "\n")},
		Scope: memory.Scope{Owner: in.base.owner, Project: in.base.project, Visibility: memory.Private},
		Time:  memory.Times{Created: in.dated}, Lifecycle: memory.Lifecycle{Status: memory.Active, Salience: new(float64)},
		Provenance: &memory.Provenance{
			Actor: string(in.base.owner), ActorKind: memory.ByImport, Method: aicf.Name,
			Source: &memory.Source{Provider: provider, Ref: in.base.file},
		},
	}
	if r.Time.Created.IsZero() {
		r.Time.Created = k.latest
	}
	if k.more > 0 {
		in.losses.Add(codec.Loss{Reason: lossUnsaid + strconv.Itoa(k.more)})
	}
	k.size += len(layout.Source)
	if k.bound(); k.full || !known {
		k.order = nil
		in.losses.Add(codec.Loss{Reason: lossLarge})
	}
	var file, o object
	file.text("name", in.base.file)
	file.put("numbering", canon.Int(int64(layout.Numbering)))
	file.flag("crlf", layout.CRLF)
	file.flag("bom", layout.BOM)
	file.flag("open", layout.OpenEnd)
	file.put("lines", canon.Int(int64(in.script.lines)))
	if len(odd) > 0 {
		file.put("odd", oddValue(odd))
	}
	switch {
	case !in.script.foreign() || k.full:
		file.put(residueOrder, canon.Array(k.order...))
	case in.apart:
		in.losses.Add(codec.Loss{Reason: lossDialect})
	default:
		file.text(residueSource, layout.Source)
	}
	o.put(residueVersion, canon.Int(1))
	o.put(residueFile, file.value())
	r = codec.WithResidue(r, aicf.Name, o.value())
	r.ID = idOf(canon.Array(canon.String(r.Body.Text), canon.String(string(r.Body.Structured)), canon.String(r.Scope.Project)))
	return in.complete(r, &aicf.Gap{})
}

func oddValue(odd []aicf.OddLine) canon.Value {
	items := make([]canon.Value, len(odd))
	for i, o := range odd {
		items[i] = canon.Array(canon.Int(int64(o.Line)), canon.String(o.Number), canon.String(o.End), canon.Int(int64(o.More)))
	}
	return canon.Array(items...)
}
