package engram

import (
	"errors"
	"fmt"
	"io"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// The members of x_ump in the envelope: the records that core objects cannot hold.
//
//	{"v": 1, "owner": the owner of the records, "records": those that no object holds}
const carriedOwner = "owner"

// mostBytes bounds a document without a limit in the options, since it is held in memory.
const mostBytes = 128 << 20

// mostEntries and mostValues bound a document when the options do not limit its records.
// Such a document takes some 500 MB of memory.
const (
	mostEntries = 200_000
	mostValues  = 4_000_000
)

// openRecords reads an export whole, and makes its records entry by entry.
func openRecords(forms codec.Forms, src codec.Source, opt codec.Options) (codec.Reader, error) {
	x, err := newExport(forms, src, opt)
	if err != nil {
		return nil, err
	}
	return codec.WalkReader(x.walk, x.lost.All), nil
}

// export is an open document and the mapper for its records.
type export struct {
	mapper Mapper
	doc    Document
	limits codec.Limits
	lost   codec.LossList
}

func newExport(forms codec.Forms, src codec.Source, opt codec.Options) (*export, error) {
	raw, err := readSource(src, opt)
	if err != nil {
		return nil, err
	}
	limits := opt.Limits.Filled()
	d, _, err := Parse(raw, ReadOptions{Bytes: int64(len(raw)) + 1, Depth: limits.Depth})
	if err != nil {
		return nil, err
	}
	m := Mapper{Forms: forms, Owner: ownerOf(d, opt.Owner), Now: opt.Now, envelope: true}
	if d.IssuedAt.IsZero() && opt.Now == nil {
		return nil, undated()
	}
	entries := limits.Records
	if opt.Limits.Records == 0 {
		entries = mostEntries
	}
	return &export{mapper: m, doc: d, limits: limits}, checkDocumentLimits(d, entries, limits)
}

// walk yields the records of the document, and last those that only the envelope holds.
func (x *export) walk(yield func(memory.Record, error) bool) {
	count := 0
	hand := func(records []memory.Record) error {
		for _, r := range records {
			if count++; count > x.limits.Records {
				return tooLarge("/beliefs", "make more records than may be read")
			}
			if err := checkRecordLimits(r, x.limits); err != nil {
				return err
			}
			if !yield(r, nil) {
				return errEnough
			}
		}
		return nil
	}
	in := &recordBuilder{Mapper: x.mapper, doc: x.doc, emit: hand}
	in.findPlaces()
	err := in.build()
	x.lost.Add(in.losses...)
	if err == nil {
		var rest []memory.Record
		var further []codec.Loss
		rest, further, err = x.mapper.rest(x.doc)
		if x.lost.Add(further...); err == nil {
			err = hand(rest)
		}
	}
	if err != nil && !errors.Is(err, errEnough) {
		if _, placed := errors.AsType[*codec.ParseError](err); !placed {
			err = recordError(err)
		}
		yield(memory.Record{}, err)
	}
}

// errEnough says that the caller wants no more records.
var errEnough = errors.New("enough")

func undated() error {
	return &codec.ParseError{Format: Name, Path: "/issued_at", Rule: "ENGRAM-3.2-3", Err: errors.New("is missing or no time, and nothing else dates the document")}
}

// recordError places an error about a record in the document.
func recordError(err error) error {
	return &codec.ParseError{Format: Name, Err: fmt.Errorf("make a record of it: %w", err)}
}

// readSource reads the document unless it is too large.
func readSource(src codec.Source, opt codec.Options) ([]byte, error) {
	if src.File == nil {
		return nil, &memory.Error{Kind: memory.Unsupported, Message: "an Engram export is one file, not a folder"}
	}
	most := int64(mostBytes)
	if opt.Limits.Document > 0 {
		most = opt.Limits.Document
	}
	if src.Size > most {
		return nil, tooLarge("", "is larger than may be read")
	}
	raw := make([]byte, src.Size)
	if _, err := io.ReadFull(io.NewSectionReader(src.File, 0, src.Size), raw); err != nil {
		return nil, &codec.ParseError{Format: Name, Err: fmt.Errorf("read the document: %w", err)}
	}
	if opt.Limits.Records == 0 && values(raw) > mostValues {
		return nil, tooLarge("", fmt.Sprintf("holds more than %d values; split the document, or raise the limit on records", mostValues))
	}
	return raw, nil
}

// values counts values and names in JSON text without parsing it.
func values(raw []byte) (n int) {
	inside := false // a string
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case inside && c == '\\':
			i++
		case c == '"':
			inside = !inside
		case !inside && (c == ',' || c == ':' || c == '[' || c == '{'):
			n++
		}
	}
	return n
}

func tooLarge(path, what string) error {
	return &codec.ParseError{Format: Name, Path: path, Kind: memory.InvalidRecord, Err: errors.New(what)}
}

// ownerOf returns the owner of a document's memory: the one that x_ump names, the given
// one, or the subject.
func ownerOf(d Document, given memory.DID) memory.DID {
	if x := d.Value.Get(carrier); x.Get(residueVersion).Float() == 1 && x.Get(carriedOwner).Text() != "" {
		return memory.DID(x.Get(carriedOwner).Text())
	}
	if given != "" {
		return given
	}
	return memory.DID(userOf(d.Subject))
}

// rest returns the records that only the envelope holds.
func (m Mapper) rest(d Document) ([]memory.Record, []codec.Loss, error) {
	records, has, ok := m.carriedRecords(d.Value)
	if d.Value.Has(carrier) && !has || has && !ok {
		return nil, []codec.Loss{{Pointer: "/" + carrier, Reason: lossCarried}}, nil
	}
	return records, nil, nil
}

// checkDocumentLimits refuses a document beyond the limits.
func checkDocumentLimits(d Document, entries int, l codec.Limits) error {
	for _, list := range []struct {
		name string
		n    int
	}{{"beliefs", len(d.Beliefs)}, {"evolution", len(d.Evolution)}, {"corrections", len(d.Corrections)}, {"constraints", len(d.Constraints)}} {
		if list.n > entries {
			return tooLarge("/"+list.name, fmt.Sprintf("has more than %d entries; split the document, or raise the limit", entries))
		}
	}
	for i, b := range d.Beliefs {
		if len(b.Tags) > l.Items || len(b.Key) > l.Name || len(b.ID) > l.Name {
			return tooLarge(pointer("beliefs", i), "has a longer name or more tags than may be read")
		}
	}
	return nil
}

// checkRecordLimits refuses a record beyond the limits.
func checkRecordLimits(r memory.Record, l codec.Limits) error {
	long := len(r.ID) > l.Name || len(r.Scope.Owner) > l.Name || len(r.Scope.User) > l.Name || len(r.Scope.Project) > l.Name
	for _, rel := range r.Relations {
		long = long || len(rel.Type) > l.Name || len(rel.Target) > l.Name
	}
	switch {
	case long:
		return tooLarge("", "has a longer name than may be read")
	case int64(len(r.Form())) > l.Record:
		return tooLarge("", "makes a larger record than may be read")
	case len(r.Body.Text) > l.Text:
		return tooLarge("", "has a longer text than may be read")
	case max(len(r.Relations), len(r.Supersedes), len(r.SupersededBy)) > l.Items:
		return tooLarge("", "has more items than may be read")
	}
	return nil
}

// validateSource reports what is wrong with a document. It applies the rules for readers,
// and with Strict those for writers; warnings come last.
func validateSource(forms codec.Forms, src codec.Source, opt codec.Options, report func(*codec.ParseError)) error {
	raw, err := readSource(src, opt)
	if err != nil {
		return reported(err, report)
	}
	found := 0
	for _, v := range Validate(raw, opt.Strict) {
		if !v.Warning {
			found++
		}
		if !v.Warning || opt.Strict {
			report(&codec.ParseError{Format: Name, Path: v.Pointer, Rule: v.Rule, Err: errors.New(v.Message), Warning: v.Warning})
		}
	}
	if found > 0 {
		return nil
	}
	x, err := newExport(forms, src, opt)
	if err != nil {
		return reported(err, report)
	}
	return codec.ValidateWalk(x.walk, nil, report)
}

// reported reports an error that has a place, and returns any other.
func reported(err error, report func(*codec.ParseError)) error {
	if p, ok := errors.AsType[*codec.ParseError](err); ok {
		report(p)
		return nil
	}
	return err
}
