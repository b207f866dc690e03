package claudecode

import (
	"fmt"
	"path"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// provider is the system of these files.
const provider = "claude-code"

// draft makes a record of a place in a file; line 0 is the whole file.
func (r *reader) draft(kind memory.Kind, text string, f file, line int) (memory.Record, error) {
	when := f.modified
	if when.IsZero() {
		when = r.now
	}
	if when.IsZero() && !r.judging {
		return memory.Record{}, violation(ruleDraft, f.path, line, errNoDate)
	}
	if len(text) > r.folder.limits.Text {
		return memory.Record{}, violation(ruleLimit, f.path, line, fmt.Errorf("a memory of more than %d bytes; split it, or raise the limit", r.folder.limits.Text))
	}
	ref := r.folder.name(f.path)
	if line == 0 {
		ref = r.folder.noteRef(f.path)
	} else {
		ref = fmt.Sprintf("%s#L%d", ref, line)
	}
	return memory.Record{
		Version: "0.1",
		Kind:    kind,
		Body:    memory.Body{Text: text},
		Scope:   memory.Scope{Owner: r.owner, Project: r.project, Visibility: memory.Private},
		Time:    memory.Times{Created: when.UTC()},
		Provenance: &memory.Provenance{
			Actor:     string(r.owner),
			ActorKind: memory.ByImport,
			Method:    formatName,
			Source:    &memory.Source{Provider: provider, Ref: ref},
		},
	}, nil
}

// note makes the record of a note.
func (r *reader) note(n noteFile, f file) (memory.Record, error) {
	record, err := r.draft(n.kind(), n.text(), f, 0)
	if err != nil {
		return record, err
	}
	if record.Kind == memory.Identity {
		record.Scope.Project = "" // the identity of a person does not depend on it
	}
	name := path.Base(r.folder.name(f.path))
	record.Relations = n.relations(name, r.folder.limits)
	if own, ok := ownRecord(record, name, f.raw); ok {
		return own, nil
	}
	residue := canon.Object(
		canon.Member{Name: "file", Value: canon.String(name)},
		canon.Member{Name: "front", Value: n.Front},
		canon.Member{Name: "form", Value: formOf(n, f.raw)},
	)
	return codec.WithResidue(record, formatName, residue), nil
}

// block makes the record of a bullet or paragraph.
func (r *reader) block(b block, at *frame) (memory.Record, error) {
	if b.memory != nil {
		f := at.file
		if !b.memory.at.IsZero() {
			f.modified = b.memory.at
		}
		return r.draft(b.memory.kind, b.text, f, b.line)
	}
	kind := memory.Procedural
	text := b.context(at.titles) + b.text
	residue := b.residue()
	if at.doc.role == anIndex {
		kind = memory.Semantic
		if p, ok := indexLine(b.text); ok {
			text = p.text()
			residue = residue.With("link", canon.String(p.target))
			r.lose(pointer(at.file.path, b.line), lossPointed)
		}
	}
	record, err := r.draft(kind, text, at.file, b.line)
	if err != nil {
		return record, err
	}
	return codec.WithResidue(record, formatName, residue), nil
}

// context returns the text above a block that is needed to understand it.
func (b *block) context(titles int) string {
	heads := b.heads
	if b.titled && titles == 1 {
		heads = heads[1:]
	}
	out := ""
	if len(heads) > 0 {
		out = strings.TrimSuffix(strings.Join(heads, " – "), ":") + ": "
	}
	if b.lead != "" {
		out += b.lead + " "
	}
	return out
}

// residue returns the data of a block that its text does not hold.
func (b *block) residue() canon.Value {
	v := canon.Object(canon.Member{Name: "block", Value: canon.String(b.kind)})
	if len(b.heads) > 0 {
		heads := make([]canon.Value, len(b.heads))
		for i, head := range b.heads {
			heads[i] = canon.String(head)
		}
		v = v.With("headings", canon.Array(heads...))
	}
	if b.lead != "" {
		v = v.With("lead", canon.String(b.lead))
	}
	return v
}
