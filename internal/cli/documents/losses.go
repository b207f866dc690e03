package documents

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/atomicfile"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/pattern"
)

// ReportFlags control the report of losses.
type ReportFlags struct {
	Report string `help:"Write every loss, and everything kept beside the records, to a file as JSON." placeholder:"FILE"`
}

// The directions in which data is lost.
const (
	OnReading = "reading"
	OnWriting = "writing"
)

// LossOut is a loss for machines.
type LossOut struct {
	codec.Loss
	Source    string `json:"source,omitempty"` // the record's name in its source
	Direction string `json:"direction"`
	Format    string `json:"format"`
	Kept      string `json:"kept,omitempty"` // where the record keeps data without a field in the model
}

// keptOut is the number of records that keep a format's member for which the model
// has no field.
type keptOut struct {
	Format  string `json:"format"`
	At      string `json:"at"`
	Member  string `json:"member"`
	Records int    `json:"records"`
}

// lossGroup counts losses of one reason at places of one shape.
type lossGroup struct {
	Direction string `json:"direction"`
	Format    string `json:"format"`
	Reason    string `json:"reason"`
	Pointer   string `json:"pointer,omitempty"`
	Count     int    `json:"count"`
}

// ledger is a run's losses, and the data kept beside the records.
type ledger struct {
	path   string // of the report; "": none
	Losses []LossOut
	kept   map[keptOut]int // Records is 0 in the keys
	keep   map[string]int  // how many records keep data, by place
	about  map[memory.ID]aboutRecord
	read   int
	talks  int // conversations that were read

	secrets *secretsFound // of the converted document; nil: there was no search
}

// aboutRecord is the report on a record with losses.
type aboutRecord struct{ source, kept string }

// Ledger begins an account.
func (f ReportFlags) Ledger() *ledger {
	return &ledger{path: f.Report, kept: map[keptOut]int{}, keep: map[string]int{}, about: map[memory.ID]aboutRecord{}}
}

// saw notes a record that was read in a format.
func (l *ledger) saw(format string, rec memory.Record) {
	l.read++
	about := aboutRecord{}
	if rec.Provenance != nil && rec.Provenance.Source != nil {
		about.source = rec.Provenance.Source.Ref
	}
	if codec.IsResidue(format) && codec.HasResidue(rec, format) {
		about.kept = "body.structured." + format
		l.keep[about.kept]++
	}
	if l.path == "" {
		return // only the report says more
	}
	if about.kept != "" {
		v, _ := codec.Residue(rec, format)
		for _, m := range v.Members() {
			l.kept[keptOut{Format: format, At: about.kept, Member: m.Name}]++
		}
	}
	if rec.ID != "" && about != (aboutRecord{}) {
		l.about[rec.ID] = about
	}
}

// Lost adds losses in a direction.
func (l *ledger) Lost(direction, format string, losses []codec.Loss) {
	for _, loss := range losses {
		about := l.about[loss.ID]
		if direction == OnWriting {
			about.kept = ""
		}
		l.Losses = append(l.Losses, LossOut{loss, about.source, direction, format, about.kept})
	}
}

// watch returns r, with saw called for every record. An archive stays one.
func (l *ledger) watch(format string, r codec.Reader) codec.Reader {
	w := &ledgerReader{r, l, format}
	if units, ok := r.(codec.Units); ok {
		return &ledgerUnits{w, units, -1}
	}
	return w
}

type ledgerReader struct {
	codec.Reader
	ledger *ledger
	format string
}

// Next returns the next record.
func (w *ledgerReader) Next() (memory.Record, error) {
	rec, err := w.Reader.Next()
	if err == nil {
		w.ledger.saw(w.format, rec)
	}
	return rec, err
}

type ledgerUnits struct {
	*ledgerReader
	units codec.Units
	talk  int // the unit of the last conversation
}

var _ codec.Units = (*ledgerUnits)(nil)

// Unit returns the unit of the last record that Next returned.
func (n *ledgerUnits) Unit() int { return n.units.Unit() }

// Next returns the next record, and counts the conversations. A unit may also be a
// list of saved memories, or data that is not kept.
func (n *ledgerUnits) Next() (memory.Record, error) {
	rec, err := n.ledgerReader.Next()
	if err == nil && rec.Kind == memory.Episodic && n.Unit() != n.talk {
		n.talk = n.Unit()
		n.ledger.talks++
	}
	return rec, err
}

// File writes the report, if the user asked for one. Two runs over the same document
// give the same report.
func (l *ledger) File() error {
	if l.path == "" {
		return nil
	}
	out := map[string]any{
		"losses": append([]LossOut{}, l.Losses...), "summary": append([]lossGroup{}, grouped(l.Losses)...), "kept": l.keeps(),
		"totals": map[string]int{"records": l.read, "lost_reading": l.count(OnReading), "lost_writing": l.count(OnWriting)},
	}
	if l.secrets.some() {
		out["secrets"] = l.secrets
	}
	data, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(atomicfile.Target(l.path), 0o600, append(data, '\n'))
}

func (l *ledger) count(direction string) (n int) {
	for _, loss := range l.Losses {
		if loss.Direction == direction {
			n++
		}
	}
	return n
}

// leftOut counts the records that were not written: a record's loss without a pointer
// concerns all of it.
func (l *ledger) leftOut() int {
	left := map[memory.ID]bool{}
	for _, loss := range l.Losses {
		if loss.Direction == OnWriting && loss.Pointer == "" && loss.ID != "" {
			left[loss.ID] = true
		}
	}
	return len(left)
}

// keeps lists the data kept beside the records.
func (l *ledger) keeps() []keptOut {
	list := make([]keptOut, 0, len(l.kept))
	for k, n := range l.kept {
		k.Records = n
		list = append(list, k)
	}
	slices.SortFunc(list, func(x, y keptOut) int { return cmp.Or(cmp.Compare(x.At, y.At), cmp.Compare(x.Member, y.Member)) })
	return list
}

// show reports the losses, and the data kept beside the records.
func (l *ledger) show(a *cli.App) {
	tellLosses(a, l.Losses)
	l.showKept(a)
}

// showKept reports the data kept beside the records.
func (l *ledger) showKept(a *cli.App) {
	for _, at := range slices.Sorted(maps.Keys(l.keep)) {
		a.Say("what %s alone has a field for stays with %s, in %s", strings.TrimPrefix(at, "body.structured."), cli.Plural(l.keep[at], "memory", "memories"), at)
	}
}

// few lists the first items of a list.
func few(list []string) string {
	const most = 6
	if len(list) > most {
		return strings.Join(list[:most], ", ") + fmt.Sprintf(" and %d more", len(list)-most)
	}
	return strings.Join(list, ", ")
}

// grouped counts losses by reason and the shape of their places, in the order of
// their first appearance. A reason that begins with a number counts as that many.
func grouped(losses []LossOut) []lossGroup {
	at := map[lossGroup]int{}
	var list []lossGroup
	for _, loss := range losses {
		n, reason := codec.Counts(loss.Reason)
		key := lossGroup{Direction: loss.Direction, Format: loss.Format, Reason: reason, Pointer: shape(loss.Pointer)}
		i, ok := at[key]
		if !ok {
			i = len(list)
			at[key], list = i, append(list, key)
		}
		list[i].Count += n
	}
	return list
}

var number = pattern.New(`(^|[/:])[0-9]+`)

// shape returns a pointer, or the place of a line, without counting numbers.
func shape(pointer string) string {
	if !strings.ContainsAny(pointer, "0123456789") {
		return pointer
	}
	return number.ReplaceAllString(pointer, "$1*")
}

// TellLost reports the data that a reading lost, and counts equal reasons together.
func TellLost(a *cli.App, losses []codec.Loss) {
	l := &ledger{}
	l.Lost(OnReading, "", losses)
	tellLosses(a, l.Losses)
}

// toldLoss is a reason for losses, in its form for people.
type toldLoss struct {
	direction, format, reason string
}

// losses counts the losses for one reason.
type losses struct {
	count   int
	example string         // the first place
	shapes  map[string]int // of the places
}

// tellLosses reports each reason on a line, with its count and one place; with -v,
// all kinds of places.
func tellLosses(a *cli.App, list []LossOut) {
	list, beyond := fewLeftOut(list)
	tellReasons(a, list)
	if beyond > 0 {
		a.Warn("… and %s more that could not be read; --json and --report FILE name each one", cli.Plural(beyond, "part", "parts"))
	}
}

func tellReasons(a *cli.App, list []LossOut) {
	var order []toldLoss
	found := map[toldLoss]*losses{}
	groups := grouped(list)
	for _, g := range groups {
		if envelopeOf(g) != "" {
			continue
		}
		key := toldLoss{g.Direction, g.Format, g.Reason}
		if found[key] == nil {
			order, found[key] = append(order, key), &losses{shapes: map[string]int{}}
		}
		found[key].count += g.Count
		if g.Pointer != "" {
			found[key].shapes[g.Pointer] += g.Count
		}
	}
	for _, loss := range list {
		_, reason := codec.Counts(loss.Reason)
		around := envelopeOf(lossGroup{Direction: loss.Direction, Reason: reason, Pointer: shape(loss.Pointer)}) != ""
		if l := found[toldLoss{loss.Direction, loss.Format, reason}]; l != nil && l.example == "" && !around {
			l.example = loss.Pointer
		}
	}
	more := false
	for _, key := range order {
		tellLoss(a, key, found[key])
		more = more || found[key].count > 1 && len(found[key].shapes) > 0
	}
	if more && !a.Verbose {
		a.Say("-v says in which places, and --json names each one")
	}
	tellEnvelopes(a, groups)
}

// tellLoss reports one reason.
func tellLoss(a *cli.App, key toldLoss, l *losses) {
	what, where := "not taken over", ""
	if key.direction == OnWriting {
		what = "not written as " + key.format
	}
	times := cli.Plural(l.count, "time", "times")
	switch {
	case l.example != "" && l.count > 1:
		where = fmt.Sprintf(" (%s, such as at %s)", times, cli.OneLine(l.example, 80))
	case l.example != "":
		where = fmt.Sprintf(" (at %s)", cli.OneLine(l.example, 80))
	case l.count > 1:
		where = fmt.Sprintf(" (%s)", times)
	}
	a.Warn("%s: %s%s", what, cli.Clean(key.reason), where)
	if a.Verbose {
		for _, shape := range slices.Sorted(maps.Keys(l.shapes)) {
			a.Warn("  %s: %s", cli.OneLine(shape, 80), cli.Plural(l.shapes[shape], "time", "times"))
		}
	}
}
