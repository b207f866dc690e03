package pam

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/pattern"
)

// program is the spelling of programs that write documents.
var program = pattern.New(`^[a-zA-Z0-9_-]+/[0-9]+\.[0-9]+\.[0-9]+$`)

// relate records the relations of a record: those of its memory, and those to other
// records.
func (w *writer) relate(r memory.Record, id string, residue canon.Value) {
	for _, kept := range residue.Get("relations").Items() {
		v := kept.Get("relation")
		if v.Get("from").Text() != id || v.Type() != canon.TypeObject {
			continue // another memory has taken its name
		}
		at := float64(1 << 52)
		if kept.Has("at") {
			at = kept.Get("at").Float()
		}
		w.relations = append(w.relations, outRelation{value: v, at: at})
	}
	add := func(typ string, to memory.ID) {
		v := canon.Object(
			canon.Member{Name: "id", Value: canon.String(id + "/relations/" + strconv.Itoa(len(w.relations)))},
			canon.Member{Name: "from", Value: canon.String(id)},
			canon.Member{Name: "to", Value: canon.String(string(to))},
			canon.Member{Name: "type", Value: canon.String(typ)},
			canon.Member{Name: "created_at", Value: instant(r.Time.Created)},
		)
		w.relations = append(w.relations, outRelation{v, float64(1 << 53), to})
	}
	for _, older := range r.Supersedes {
		add("supersedes", older)
	}
	for _, rel := range r.Relations {
		switch {
		case strings.HasPrefix(rel.Target, "entity:") || rel.Target == "":
		case slices.Contains(relationTypes(), rel.Type):
			add(rel.Type, memory.ID(rel.Target))
		default:
			add("related_to", memory.ID(rel.Target))
		}
	}
}

// Close writes the document.
func (w *writer) Close() error {
	sum, err := checksum(slices.Clone(w.lying), func(m spooledMemory) string { return m.id }, func(out io.Writer, m spooledMemory) error {
		text, err := w.final(m)
		if err == nil {
			_, err = out.Write(text)
		}
		return err
	})
	if err == nil {
		err = w.document(w.around(sum))
	}
	return errors.Join(err, w.spool.Close())
}

// final returns a memory as written: all memories are known now, so it names the one that
// replaced it.
func (w *writer) final(m spooledMemory) ([]byte, error) {
	text := make([]byte, m.size)
	if _, err := w.spool.ReadAt(text, m.at); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if m.next == "" {
		return text, nil
	}
	v, err := canon.Parse(text, canon.Options{Bytes: m.size + 1, Depth: 1 << 20})
	if err != nil {
		return nil, err
	}
	next := string(m.next)
	if name, ok := w.named[m.next]; ok {
		next = name
	}
	temporal := v.Get("temporal").With("superseded_by", canon.String(next))
	return v.With("temporal", temporal).AppendCanonical(nil), nil
}

// around returns the members of the document but the memories.
func (w *writer) around(sum string) canon.Value {
	v := w.envelope
	came := v.Type() == canon.TypeObject
	if !came {
		v = newEnvelope(cmp.Or(string(w.owner), "unknown"))
		if program.MatchString(w.producer) {
			v = v.With("exported_by", canon.String(w.producer))
		}
	}
	integrity := v.Get("integrity")
	same := came && (integrity.Type() != canon.TypeObject || integrity.Get("checksum").Text() == sum)
	if came && !same {
		if v.Get("signature").Type() == canon.TypeObject {
			w.losses = append(w.losses, codec.Loss{Pointer: "/signature", Reason: lossUnsigned})
		}
		v = v.Without("signature").Without("export_id").Without("export_date")
	}
	if !came || integrity.Type() == canon.TypeObject {
		v = v.With("integrity", canon.Object(
			canon.Member{Name: "canonicalization", Value: canon.String("RFC8785")},
			canon.Member{Name: "checksum", Value: canon.String(sum)},
			canon.Member{Name: "total_memories", Value: canon.Int(int64(len(w.lying)))},
		))
		if same {
			v = v.With("integrity", integrity)
		}
	}
	if list := w.relationList(); len(list) > 0 || v.Has("relations") {
		v = v.With("relations", canon.Array(list...))
	}
	if !same {
		if list := w.conversations(v.Get("conversations_index")); len(list) > 0 {
			v = v.With("conversations_index", canon.Array(list...))
		}
	}
	return v
}

// newEnvelope returns the members of the whole document for an owner.
func newEnvelope(whose string) canon.Value {
	owner := canon.Object(canon.Member{Name: "id", Value: canon.String(whose)})
	if strings.HasPrefix(whose, "did:") {
		owner = owner.With("did", canon.String(whose))
	}
	return canon.Object(
		canon.Member{Name: "schema", Value: canon.String(schemaStore)},
		canon.Member{Name: "schema_version", Value: canon.String(edition)},
		canon.Member{Name: "owner", Value: owner},
		canon.Member{Name: "export_type", Value: canon.String("full")},
	)
}

// plain reports whether a document's other members all follow from its memories and their
// owner.
func (maker) plain(envelope canon.Value, owner memory.DID) bool {
	rest := envelope.Without("integrity").Without("conversations_index").Without("exported_by")
	if envelope.Get("relations").Len() == 0 {
		rest = rest.Without("relations")
	}
	for _, v := range envelope.Get("conversations_index").Items() {
		if v = v.Without("id").Without("platform").Without("derived_memories"); v.Len() != 1 || v.Get("temporal").Len() != 1 {
			return false
		}
	}
	return envelope.Get("integrity").Type() == canon.TypeObject && canon.Equal(rest, newEnvelope(string(owner)))
}

// relationList returns the relations in their old order, new ones last.
func (w *writer) relationList() (list []canon.Value) {
	slices.SortStableFunc(w.relations, func(a, b outRelation) int { return cmp.Compare(a.at, b.at) })
	seen := map[string]bool{}
	for _, rel := range w.relations {
		if name, ok := w.named[rel.to]; ok && rel.to != "" {
			rel.value = rel.value.With("to", canon.String(name))
		}
		if id := rel.value.Get("id").Text(); !seen[id] {
			seen[id] = true
			list = append(list, rel.value)
		}
	}
	return list
}

// conversations returns an index of every conversation that memories name, with those
// memories.
func (w *writer) conversations(index canon.Value) []canon.Value {
	list, at := slices.Clone(index.Items()), map[string]int{}
	for i, v := range list {
		at[v.Get("id").Text()] = i
	}
	for _, s := range w.sessions {
		i, known := at[s.id]
		if !known {
			list = append(list, canon.Object(
				canon.Member{Name: "id", Value: canon.String(s.id)},
				canon.Member{Name: "platform", Value: canon.String(s.platform)},
				canon.Member{Name: "temporal", Value: canon.Object(canon.Member{Name: "created_at", Value: instant(s.first)})},
			))
			i = len(list) - 1
		}
		list[i] = list[i].With("derived_memories", canon.Array(s.memories...))
	}
	return list
}

// document writes the members around the memories, and the memories, one a line.
func (w *writer) document(around canon.Value) error {
	var head bytes.Buffer
	head.WriteString("{\n")
	for _, m := range around.Members() {
		head.Write(canon.String(m.Name).Append(nil))
		head.WriteString(": ")
		head.Write(m.Value.AppendIndent(nil, "  "))
		head.WriteString(",\n")
	}
	head.WriteString("\"memories\": [")
	if _, err := w.out.Write(head.Bytes()); err != nil {
		return err
	}
	for i, m := range w.lying {
		text, err := w.final(m)
		if err != nil {
			return err
		}
		before := "\n"
		if i > 0 {
			before = ",\n"
		}
		if _, err := io.WriteString(w.out, before+string(text)); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w.out, "\n]\n}\n")
	return err
}
