package mapping

import (
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// The members of body.structured.aicf, the residue of AICF in a record:
//
//	{"v": 1,
//	 "section": "INSIGHTS", or "STATE:user" where the record is one key of a state,
//	 "id": by which links call the entry: its own, or its ordinal,
//	 "conv", "session": of the conversation and session that it stands in,
//	 "raw": its lines, without numbers; absent where it has none of its own,
//	 "lined": true where the lines are no entry of the format}
//
// and in the one record that stands for the file as a whole:
//
//	{"v": 1,
//	 "file": {"name", "numbering", "crlf", "bom", "open": its layout, "lines": how many it has,
//	          "odd": [[line, number, end], …] of lines that look otherwise,
//	          "order": ["id of a record without urn:ump:", ["lines between", …], …]}}
//
// order has the file from top to bottom: a record stands for its raw lines, {"id", "lines"}
// for so many of them, and what no record says stands there itself: headers, separators,
// links, vectors, unknown sections. That record's time of creation is that of all records
// that nothing in the file dates. A dialect that is not made of sections has "source",
// the whole file, instead of order.
const (
	residueVersion = "v"
	residueSection = "section"
	residueID      = "id"
	residueConv    = "conv"
	residueSession = "session"
	residueRaw     = "raw"
	residueLined   = "lined"
	residueFile    = "file"
	residueOrder   = "order"
	residueSource  = "source"
)

// residueOf returns the residue of a record; undefined: the record has none of this format
// and version.
func residueOf(r memory.Record) canon.Value {
	v, ok := codec.Residue(r, aicf.Name)
	if !ok || v.Get(residueVersion).Float() != 1 {
		return canon.Value{}
	}
	return v
}

// object builds an object and leaves empty members out.
type object []canon.Member

func (o *object) put(name string, v canon.Value) {
	if v.Type() != canon.TypeUndefined {
		*o = append(*o, canon.Member{Name: name, Value: v})
	}
}

func (o *object) text(name, text string) {
	if text != "" {
		o.put(name, canon.String(text))
	}
}

func (o *object) optional(name string, text *string) {
	if text != nil {
		o.put(name, canon.String(*text))
	}
}

// count adds a number, as a string where JSON readers would round it.
func (o *object) count(name string, n *int64) {
	switch {
	case n == nil:
	case *n > 1<<53:
		o.put(name, canon.String(strconv.FormatInt(*n, 10)))
	default:
		o.put(name, canon.Int(*n))
	}
}

func (o *object) list(name string, items []string) {
	if items != nil {
		o.put(name, texts(items))
	}
}

func (o *object) flag(name string, yes bool) {
	if yes {
		o.put(name, canon.Bool(true))
	}
}

func (o object) value() canon.Value { return canon.Object(o...) }

func texts(items []string) canon.Value {
	values := make([]canon.Value, len(items))
	for i, item := range items {
		values[i] = canon.String(item)
	}
	return canon.Array(values...)
}

// rawIn returns the lines of a record; false: it has none.
func rawIn(residue canon.Value) (string, bool) {
	v := residue.Get(residueRaw)
	if v.Type() != canon.TypeArray || v.Len() == 0 {
		return "", false
	}
	lines := make([]string, 0, v.Len())
	for _, item := range v.Items() {
		if item.Type() != canon.TypeString || strings.ContainsAny(item.Text(), "\n") {
			return "", false
		}
		lines = append(lines, item.Text())
	}
	return strings.Join(lines, "\n"), true
}

// withStructured adds members for machines to a record's structured body.
func withStructured(r memory.Record, said object) memory.Record {
	if len(said) > 0 {
		r.Body.Structured = said.value().Append(nil)
	}
	return r
}

// lossOf returns the loss of a record in an entry.
func lossOf(id memory.ID, e aicf.Entry, why string) codec.Loss {
	loss := aicf.LossOf(e, why)
	loss.ID = id
	return loss
}
