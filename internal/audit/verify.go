package audit

import (
	"bytes"
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
	Edited     FindingKind = "edited"      // an entry differs from the appended one
	Deleted    FindingKind = "deleted"     // entries are missing, and later ones exist
	Inserted   FindingKind = "inserted"    // an entry exists that nobody appended
	Duplicated FindingKind = "duplicated"  // an entry exists again beside another or in its place
	Reordered  FindingKind = "reordered"   // entries have changed places
	Truncated  FindingKind = "truncated"   // the last entries are missing
	Rewritten  FindingKind = "rewritten"   // entries and hashes match each other, but not the signed head
	HashBroken FindingKind = "hash_broken" // a stored hash is missing or wrong
	Headless   FindingKind = "headless"    // there are entries but no head
	HeadBroken FindingKind = "head_broken" // the head is unreadable
	// HeadForeign is the head of the log of another owner.
	HeadForeign FindingKind = "head_foreign"
	// HeadForged is a head that the owner did not sign.
	HeadForged FindingKind = "head_forged"
	// RolledBack: the log was longer when the anchor was kept; somebody restored an older
	// copy.
	RolledBack FindingKind = "rolled_back"
	// Forked: the entries that the anchor covers have changed.
	Forked FindingKind = "forked"
	// AnchorInvalid: the owner did not sign the anchor.
	AnchorInvalid FindingKind = "anchor_invalid"
)

// Finding is one fault.
type Finding struct {
	Kind    FindingKind
	Number  int64 // of the entry, from 0, or the number of entries
	Message string
}

// Report is the result of a verification.
type Report struct {
	Entries  int64     // number of entries
	Signed   int64     // number of entries that the owner's head covers
	Unsigned int64     // number of entries after those
	Head     *Head     // the present head, if the owner signed it
	Findings []Finding // the first 100 faults
	More     int       // number of further findings
}

// Sound reports whether there is no fault.
func (r Report) Sound() bool { return len(r.Findings) == 0 }

// maxFindings limits the list for a log that is wholly garbled.
const maxFindings = 100

// Verify reads the whole log and recomputes every hash; the log's size does not raise the
// memory it needs. anchor is a head that was kept elsewhere; nil: none. An error means that
// the log could not be read. The report holds the log's faults.
func Verify(r Reader, owner memory.DID, anchor *Head) (Report, error) {
	v := &verifier{owner: owner}
	if err := v.heads(r, anchor); err != nil {
		return Report{}, err
	}
	if err := v.compare(r); err != nil {
		return Report{}, err
	}
	v.conclude()
	return v.report, nil
}

// verifier collects the findings.
type verifier struct {
	owner  memory.DID
	report Report
	head   *point // of the present head, if the owner signed it
	anchor *point // of the anchor, likewise
	end    int64  // place in the list of hashes, counted in leaves, at which the entries end
}

// point is a place in the log whose root a head states.
type point struct {
	Head
	reached bool
	root    tlog.Hash // of the existing entries
}

func (p *point) fits() bool { return p.reached && p.root == p.Root }

func (v *verifier) addFinding(kind FindingKind, number int64, format string, args ...any) {
	if len(v.report.Findings) == maxFindings {
		v.report.More++
		return
	}
	v.report.Findings = append(v.report.Findings, Finding{kind, number, fmt.Sprintf(format, args...)})
}

// heads reads the head and checks both signatures.
func (v *verifier) heads(r Reader, anchor *Head) error {
	if anchor != nil {
		if err := anchor.Check(v.owner); err != nil {
			v.addFinding(AnchorInvalid, anchor.Size, "the anchor says nothing about this log: %v", err)
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
			v.addFinding(Headless, entries, "there are %d entries and no signed head: it was deleted, or nothing was ever logged while the owner's key was at hand", entries)
		}
		return nil
	}
	head, err := ParseHead(text)
	if err != nil {
		v.addFinding(HeadBroken, 0, "the signed head cannot be read: it was changed")
		return nil
	}
	switch err := head.Check(v.owner); err {
	case nil:
		v.head, v.report.Head = &point{Head: head}, &head
	case errForeign:
		v.addFinding(HeadForeign, head.Size, "%v", err)
	default:
		v.addFinding(HeadForged, head.Size, "%v", err)
	}
	return nil
}

// points are the heads to compare with the entries.
func (v *verifier) points() []*point {
	var out []*point
	for _, p := range []*point{v.head, v.anchor} {
		if p != nil {
			out = append(out, p)
		}
	}
	return out
}

// conclude compares the computed roots with the signed ones.
func (v *verifier) conclude() {
	v.report.Unsigned = v.report.Entries
	v.blameHashes()
	if v.head != nil {
		v.checkHead(v.head)
	}
	if v.anchor != nil {
		v.checkAnchor(v.anchor)
	}
	slices.SortStableFunc(v.report.Findings, func(a, b Finding) int { return cmp.Compare(a.Number, b.Number) })
}

// blameHashes corrects findings where entries and stored hashes differ. Entries that the
// owner's signature covers are good, so the hashes are wrong.
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

// ofEntry reports whether the kind blames an entry although the hashes may be wrong.
func (k FindingKind) ofEntry() bool {
	switch k {
	case Edited, Deleted, Inserted, Duplicated, Reordered, Truncated:
		return true
	}
	return false
}

func (v *verifier) checkHead(p *point) {
	switch {
	case p.fits():
		v.report.Signed = p.Size
		v.report.Unsigned = v.report.Entries - p.Size
	case v.isExplained(p.Size):
	case v.end < p.Size:
		v.addFinding(Truncated, v.report.Entries, "the head was signed over %d entries; there are %d: the last are missing", p.Size, v.report.Entries)
	default:
		v.addFinding(Rewritten, p.Size, "the first %d entries are not what was signed, though their hashes fit: both were rewritten", p.Size)
	}
}

func (v *verifier) checkAnchor(p *point) {
	switch {
	case v.head != nil && v.head.Size < p.Size:
		v.addFinding(RolledBack, v.head.Size, "a head over %d entries was verified earlier; the present one is over %d: an older copy was put back", p.Size, v.head.Size)
	case p.fits() || v.isExplained(p.Size):
	case v.report.Entries < p.Size:
		v.addFinding(RolledBack, v.report.Entries, "%d entries were verified earlier; there are %d: an older copy was put back", p.Size, v.report.Entries)
	default:
		v.addFinding(Forked, p.Size, "the first %d entries are not those that were verified earlier: the log was begun anew or rewritten", p.Size)
	}
}

// isExplained reports whether a finding among the first size entries explains another root.
func (v *verifier) isExplained(size int64) bool {
	for _, f := range v.report.Findings {
		if f.Kind.ofEntry() && f.Number < size {
			return true
		}
	}
	return false
}

// editedLog is a copy of a log whose entries somebody edits in memory: it shows whether [Verify]
// notices (AAIF-4.9-8).
type editedLog struct {
	Reader
	entries [][]byte
}

// mostEdited is the most entries that a copy of a log has.
const mostEdited = 1 << 20

// Alter returns a copy of r whose entries are what alter returns. alter gets copies of the entries
// of r, and may change them.
func Alter(r Reader, alter func(entries [][]byte) [][]byte) (Reader, error) {
	size, _, err := r.AuditSize()
	if err != nil {
		return nil, err
	}
	if size > mostEdited {
		return nil, fmt.Errorf("a log of %d entries is too long to be copied", size)
	}
	a := &editedLog{Reader: r}
	for from := int64(0); from < size; from = int64(len(a.entries)) {
		next, err := r.AuditEntries(from, chunk)
		if err != nil {
			return nil, err
		}
		if len(next) == 0 {
			return nil, fmt.Errorf("entry %d is missing", from)
		}
		for _, e := range next {
			a.entries = append(a.entries, bytes.Clone(e))
		}
	}
	a.entries = alter(a.entries)
	return a, nil
}

// AuditSize implements [Reader].
func (a *editedLog) AuditSize() (entries, hashes int64, err error) {
	_, hashes, err = a.Reader.AuditSize()
	return int64(len(a.entries)), hashes, err
}

// AuditEntries implements [Reader].
func (a *editedLog) AuditEntries(from int64, max int) ([][]byte, error) {
	rest := a.entries[min(int(from), len(a.entries)):]
	return rest[:min(max, len(rest))], nil
}
