package audit

import (
	"cmp"
	"fmt"
	"slices"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/satchel-memory/satchel/memory"
)

// FindingKind says what is wrong with a log.
type FindingKind string

// The kinds of finding.
const (
	Edited     FindingKind = "edited"      // an entry is not what was appended
	Deleted    FindingKind = "deleted"     // entries are missing, and later ones are there
	Inserted   FindingKind = "inserted"    // an entry was put in that was never appended
	Duplicated FindingKind = "duplicated"  // an entry is there again in the place of another, or beside it
	Reordered  FindingKind = "reordered"   // entries changed places
	Truncated  FindingKind = "truncated"   // the last entries are missing
	Rewritten  FindingKind = "rewritten"   // entries and hashes fit each other, but not what was signed
	HashBroken FindingKind = "hash_broken" // a stored hash is missing or wrong
	Headless   FindingKind = "headless"    // there are entries and no head
	HeadBroken FindingKind = "head_broken" // the head cannot be read
	// HeadForeign is the head of the log of another owner.
	HeadForeign FindingKind = "head_foreign"
	// HeadForged is a head that the owner did not sign.
	HeadForged FindingKind = "head_forged"
	// RolledBack: there was more when the anchor was kept; an older copy was put
	// back.
	RolledBack FindingKind = "rolled_back"
	// Forked: what the anchor covers was different when it was kept.
	Forked FindingKind = "forked"
	// AnchorInvalid: the anchor itself is not the owner's.
	AnchorInvalid FindingKind = "anchor_invalid"
)

// Finding is one thing that is wrong.
type Finding struct {
	Kind    FindingKind
	Number  int64 // the entry concerned, from 0, or how many entries there are
	Message string
}

// Report is what verification found.
type Report struct {
	Entries  int64     // how many there are
	Signed   int64     // the first so many are what the owner signed
	Unsigned int64     // so many follow that no head covers yet
	Head     *Head     // the present head, if the owner signed it
	Findings []Finding // what is wrong, the first 100
	More     int       // findings that are not listed
}

// Sound reports whether nothing is wrong.
func (r Report) Sound() bool { return len(r.Findings) == 0 }

// maxFindings bounds the list of a log that is wholly garbled.
const maxFindings = 100

// Verify reads the whole log and recomputes every hash, in memory that does not
// grow with it. anchor is a head that was kept elsewhere; nil: none. An error
// says that the log could not be read; what is wrong with it is in the report.
func Verify(r Reader, owner memory.DID, anchor *Head) (Report, error) {
	v := &verifier{owner: owner}
	if err := v.heads(r, anchor); err != nil {
		return Report{}, err
	}
	if err := v.compare(r); err != nil {
		return Report{}, err
	}
	v.judge()
	return v.report, nil
}

// verifier gathers what is found.
type verifier struct {
	owner  memory.DID
	report Report
	head   *point // of the present head, if it is the owner's
	anchor *point // of the anchor, likewise
	end    int64  // place in the list of hashes, counted in leaves, where the entries end
}

// point is a place in the log of which a head says what the root is.
type point struct {
	Head
	reached bool
	root    tlog.Hash // of the entries there are
}

func (p *point) fits() bool { return p.reached && p.root == p.Root }

func (v *verifier) found(kind FindingKind, number int64, format string, args ...any) {
	if len(v.report.Findings) == maxFindings {
		v.report.More++
		return
	}
	v.report.Findings = append(v.report.Findings, Finding{kind, number, fmt.Sprintf(format, args...)})
}

// heads reads the head and looks at both signatures.
func (v *verifier) heads(r Reader, anchor *Head) error {
	if anchor != nil {
		if err := anchor.Check(v.owner); err != nil {
			v.found(AnchorInvalid, anchor.Size, "the anchor says nothing about this log: %v", err)
		} else {
			v.anchor = &point{Head: *anchor}
		}
	}
	text, err := r.AuditHead()
	if err != nil {
		return err
	}
	entries, _, err := r.AuditSize()
	if err != nil {
		return err
	}
	if len(text) == 0 {
		if entries > 0 {
			v.found(Headless, entries, "there are %d entries and no signed head: it was deleted, or nothing was ever logged while the owner's key was at hand", entries)
		}
		return nil
	}
	head, err := ParseHead(text)
	if err != nil {
		v.found(HeadBroken, 0, "the signed head cannot be read: it was changed")
		return nil
	}
	switch err := head.Check(v.owner); err {
	case nil:
		v.head, v.report.Head = &point{Head: head}, &head
	case ErrForeign:
		v.found(HeadForeign, head.Size, "%v", err)
	default:
		v.found(HeadForged, head.Size, "%v", err)
	}
	return nil
}

// points are the heads to compare the entries with.
func (v *verifier) points() []*point {
	var out []*point
	for _, p := range []*point{v.head, v.anchor} {
		if p != nil {
			out = append(out, p)
		}
	}
	return out
}

// judge compares what was computed with what was signed.
func (v *verifier) judge() {
	v.report.Unsigned = v.report.Entries
	v.blameHashes()
	if v.head != nil {
		v.judgeHead(v.head)
	}
	if v.anchor != nil {
		v.judgeAnchor(v.anchor)
	}
	slices.SortStableFunc(v.report.Findings, func(a, b Finding) int { return cmp.Compare(a.Number, b.Number) })
}

// blameHashes puts right what was found where entries and stored hashes differ:
// entries that the owner's signature covers are good, hence the hashes are not.
func (v *verifier) blameHashes() {
	for i, f := range v.report.Findings {
		if f.Kind.ofEntry() && v.covered(f.Number) {
			v.report.Findings[i] = Finding{HashBroken, f.Number, fmt.Sprintf("the stored hash of entry %d is not that of the entry, which is as it was signed", f.Number)}
		}
	}
}

func (v *verifier) covered(number int64) bool {
	for _, p := range v.points() {
		if p.fits() && number < p.Size {
			return true
		}
	}
	return false
}

// ofEntry reports whether the kind blames an entry for what may be the hashes'
// fault.
func (k FindingKind) ofEntry() bool {
	switch k {
	case Edited, Deleted, Inserted, Duplicated, Reordered, Truncated:
		return true
	}
	return false
}

func (v *verifier) judgeHead(p *point) {
	switch {
	case p.fits():
		v.report.Signed = p.Size
		v.report.Unsigned = v.report.Entries - p.Size
	case v.explained(p.Size):
	case v.end < p.Size:
		v.found(Truncated, v.report.Entries, "the head was signed over %d entries; there are %d: the last are missing", p.Size, v.report.Entries)
	default:
		v.found(Rewritten, p.Size, "the first %d entries are not what was signed, though their hashes fit: both were rewritten", p.Size)
	}
}

func (v *verifier) judgeAnchor(p *point) {
	switch {
	case v.head != nil && v.head.Size < p.Size:
		v.found(RolledBack, v.head.Size, "a head over %d entries was verified earlier; the present one is over %d: an older copy was put back", p.Size, v.head.Size)
	case p.fits() || v.explained(p.Size):
	case v.report.Entries < p.Size:
		v.found(RolledBack, v.report.Entries, "%d entries were verified earlier; there are %d: an older copy was put back", p.Size, v.report.Entries)
	default:
		v.found(Forked, p.Size, "the first %d entries are not those that were verified earlier: the log was begun anew or rewritten", p.Size)
	}
}

// explained reports whether something was found among the first size entries
// that accounts for another root.
func (v *verifier) explained(size int64) bool {
	for _, f := range v.report.Findings {
		if f.Kind.ofEntry() && f.Number < size {
			return true
		}
	}
	return false
}
