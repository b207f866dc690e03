package ump

import (
	"math"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// Decode reads a complete record, as stored or sent. It supplies no missing member.
// The record's Origin is raw in compact form, with the spelling of numbers and times.
// The error is a [*codec.ParseError] that names the first violation.
func Decode(raw []byte, opt codec.Options) (memory.Record, error) {
	r, v, err := decode(raw, opt)
	if err == nil {
		r.Origin = v.Append(make([]byte, 0, len(raw)))
	}
	return r, err
}

// DecodeForm is Decode for a caller who has the record's bytes: it leaves Origin empty.
func DecodeForm(raw []byte, opt codec.Options) (memory.Record, error) {
	r, _, err := decode(raw, opt)
	return r, err
}

// DecodeAll is [DecodeForm] for several forms, which [VerifyForms] does not read again.
func DecodeAll(raw [][]byte, opt codec.Options) []Form {
	forms := make([]Form, len(raw))
	for i, form := range raw {
		forms[i].Record, forms[i].value, forms[i].Err = decode(form, opt)
	}
	return forms
}

// DecodeKnown is [DecodeForm] for bytes that were read or verified before, as their [Fingerprint]
// shows. It does not check again that they are strict JSON within the limits. For other bytes it
// may panic.
func DecodeKnown(raw []byte, opt codec.Options) (memory.Record, error) {
	return decodeTree(canon.ParseChecked(raw), opt)
}

func decode(raw []byte, opt codec.Options) (memory.Record, canon.Value, error) {
	v, err := parse(raw, opt.Limits)
	if err != nil {
		return memory.Record{}, v, err
	}
	r, err := decodeTree(v, opt)
	return r, v, err
}

func decodeTree(v canon.Value, opt codec.Options) (memory.Record, error) {
	d := newDecoder(modeComplete, opt)
	r := d.record(v)
	if err := d.err(); err != nil {
		return memory.Record{}, err
	}
	return r, nil
}

// DecodeDraft reads a draft for remember (section 3.3): body.text is enough. A
// missing kind becomes semantic, a missing owner opt.Owner, a missing visibility
// private. Null at an optional member of the specification means that it is missing,
// except at time.valid_to. A draft with integrity is Complete: it must be a whole
// record, and DecodeDraft neither adds nor drops a member. The record's Origin is the
// draft as received, without those nulls.
func DecodeDraft(raw []byte, opt codec.Options) (memory.Draft, error) {
	v, err := parse(raw, opt.Limits)
	if err != nil {
		return memory.Draft{}, err
	}
	return decodeDraft(v, opt, "")
}

// decodeDraft is DecodeDraft for the tree at base in its request.
func decodeDraft(v canon.Value, opt codec.Options, base string) (memory.Draft, error) {
	d := newDecoder(modeDraft, opt)
	d.base = base
	if t := v.Get("integrity").Type(); t == canon.TypeUndefined || t == canon.TypeNull {
		v = withoutNulls(v)
	}
	r := d.record(v)
	d.checkDraft(&r)
	if err := d.err(); err != nil {
		return memory.Draft{}, err
	}
	r.Origin = v.Append(nil)
	return memory.Draft{Record: r, Complete: d.signed}, nil
}

// Violations returns every violation of one complete record, and none if the record
// is valid. With opt.Strict it also returns members that the specification does not
// know, and violations of level 2.
func Violations(raw []byte, opt codec.Options) []*codec.ParseError {
	v, err := parse(raw, opt.Limits)
	if err != nil {
		return []*codec.ParseError{asParseError(err)}
	}
	d := newDecoder(modeComplete, opt)
	d.violations(v)
	return d.found
}

// violations adds every violation of a record.
func (d *decoder) violations(v canon.Value) {
	r := d.record(v)
	if d.signed && len(d.found) == 0 {
		d.checkSignature(v)
	}
	if d.opt.Strict {
		recordPart().unknownMembers(v, "", func(_ part, base string, m canon.Member) {
			d.add("UMP-2-27", base+canon.Pointer(m.Name), "is not a member the specification knows; it is kept, and means nothing")
		})
		d.checkLevel2(&r)
	}
}

func parse(raw []byte, lim codec.Limits) (canon.Value, error) {
	v, err := canon.Parse(raw, bounds(lim.Filled()))
	if err != nil {
		return canon.Value{}, fromCanon(err, formatName, "")
	}
	return v, nil
}

// bounds returns the limits of one record as options of package canon.
func bounds(lim codec.Limits) canon.Options {
	return canon.Options{Bytes: lim.Record, Depth: lim.Depth}
}

// mode says which members a record may lack.
type mode int

const (
	modeComplete mode = iota // as stored or sent: nothing
	modeDraft                // remember: nearly everything
	modeFile                 // in a file: an id, a creation time, an actor (decision UD-2)
)

// decoder turns one tree into one record.
type decoder struct {
	findings
	opt      codec.Options
	lim      codec.Limits
	mode     mode
	modified time.Time // when the file was written, in mode filed
	signed   bool      // the record has integrity: the decoder must not add members
	filled   bool      // the decoder added a member
	revision bool      // the record is the draft of a successor, which may lack its time
}

func newDecoder(m mode, opt codec.Options) *decoder {
	return &decoder{mode: m, opt: opt, lim: opt.Limits.Filled()}
}

// recordOf reads a tree into a record, whether or not it is valid. The limits were
// applied when the tree was parsed.
func recordOf(v canon.Value) memory.Record {
	d := decoder{lim: codec.Limits{Text: math.MaxInt, Name: math.MaxInt, Items: math.MaxInt}}
	return d.members(v)
}

// record reads, fills and checks a record.
func (d *decoder) record(v canon.Value) memory.Record {
	if v.Type() != canon.TypeObject {
		d.add("UMP-2-1", "", "is not an object; a record is a JSON object")
		return memory.Record{}
	}
	d.signed = v.Has("integrity")
	r := d.members(v)
	if !d.signed {
		d.fill(v, &r)
	}
	d.checkRecord(&r, d.mode == modeComplete || d.signed)
	if d.mode == modeFile && !d.revision {
		d.checkTime(&r.Time, true)
	}
	return r
}

// members reads the members of a record and their types (section 2).
func (d *decoder) members(v canon.Value) memory.Record {
	return memory.Record{
		Version:      d.text(v, "", "ump", "UMP-2-2"),
		ID:           memory.ID(d.text(v, "", "id", "UMP-2-3")),
		Kind:         memory.Kind(d.text(v, "", "kind", "UMP-2-4")),
		Body:         d.body(v),
		Scope:        d.scope(v),
		Time:         d.times(v),
		Lifecycle:    d.lifecycle(v),
		Supersedes:   d.ids(v, "supersedes", "UMP-2-21"),
		SupersededBy: d.ids(v, "superseded_by", "UMP-2-22"),
		Relations:    d.relations(v),
		Provenance:   d.provenance(v),
		Consent:      d.consent(v),
		Integrity:    d.integrity(v),
	}
}

func (d *decoder) body(v canon.Value) memory.Body {
	body, ok := d.object(v, "", "body", "UMP-2-5")
	if !ok {
		if !v.Has("body") {
			d.add("UMP-2-5", "/body", "is missing; a record needs body.text")
		}
		return memory.Body{}
	}
	b := memory.Body{Text: d.long(body, "/body", "text", "UMP-2-6", d.lim.Text)}
	if s, ok := d.object(body, "/body", "structured", "UMP-2-7"); ok {
		b.Structured = s.Append(nil)
	}
	return b
}

func (d *decoder) scope(v canon.Value) memory.Scope {
	scope, ok := d.object(v, "", "scope", "UMP-2-8")
	if !ok {
		if !v.Has("scope") && d.mode == modeComplete {
			d.add("UMP-2-8", "/scope", "is missing; a record needs scope.owner")
		}
		return memory.Scope{}
	}
	return memory.Scope{
		Owner:      memory.DID(d.text(scope, "/scope", "owner", "UMP-2-9")),
		User:       d.text(scope, "/scope", "user", "UMP-2-10"),
		Project:    d.text(scope, "/scope", "project", "UMP-2-11"),
		Agent:      d.text(scope, "/scope", "agent", "UMP-2-11"),
		Session:    d.text(scope, "/scope", "session", "UMP-2-11"),
		Visibility: memory.Visibility(d.word(scope, "/scope", "visibility", "UMP-2-12")),
	}
}

func (d *decoder) times(v canon.Value) memory.Times {
	t, ok := d.object(v, "", "time", "UMP-2-13")
	if !ok {
		if !v.Has("time") && d.mode == modeComplete {
			d.add("UMP-2-13", "/time", "is missing; a record needs time.created")
		}
		return memory.Times{}
	}
	times := memory.Times{
		Created:   d.instant(t, "created", "UMP-2-14"),
		Observed:  d.instant(t, "observed", "UMP-2-15"),
		ValidFrom: d.instant(t, "valid_from", "UMP-2-16"),
	}
	if t.Get("valid_to").Type() != canon.TypeNull {
		times.ValidTo = d.instant(t, "valid_to", "UMP-2-16")
	}
	return times
}

func (d *decoder) lifecycle(v canon.Value) memory.Lifecycle {
	l, ok := d.object(v, "", "lifecycle", "UMP-2-17")
	if !ok {
		return memory.Lifecycle{}
	}
	return memory.Lifecycle{
		Confidence: d.number(l, "/lifecycle", "confidence", "UMP-2-18"),
		Salience:   d.number(l, "/lifecycle", "salience", "UMP-2-18"),
		Decay:      d.text(l, "/lifecycle", "decay", "UMP-2-19"),
		Status:     memory.Status(d.word(l, "/lifecycle", "status", "UMP-2-20")),
	}
}

func (d *decoder) ids(v canon.Value, name, rule string) []memory.ID {
	var ids []memory.ID
	for i, s := range d.texts(v, "", name, rule) {
		if s == "" {
			d.add(rule, itemPointer("/"+name, i), "is empty; name the record")
		}
		ids = append(ids, memory.ID(s))
	}
	return ids
}
