package memory

import (
	"slices"
	"strings"
)

// IDPrefix begins the ID of every record (UMP 6.2).
const IDPrefix = "urn:ump:"

// LeastShortID is the fewest characters of a short ID, unless the whole ID has fewer.
const LeastShortID = 8

// ShortIDs returns the short form of each ID: its beginning without "urn:ump:". The short
// form has [LeastShortID] characters, or as many more as distinguish it from all other IDs
// in ids and beside. An ID that is the beginning of another ID is its own short form, since
// a whole ID always names itself.
func ShortIDs(ids []ID, beside ...ID) map[ID]string {
	all := slices.Concat(ids, beside)
	slices.Sort(all)
	all = slices.Compact(all)
	short := make(map[ID]string, len(ids))
	for _, id := range ids {
		at, _ := slices.BinarySearch(all, id)
		need := len(IDPrefix) + LeastShortID
		if at > 0 {
			need = max(need, common(all[at-1], id)+1)
		}
		if at+1 < len(all) {
			need = max(need, common(id, all[at+1])+1)
		}
		short[id] = cut(id, need)
	}
	return short
}

// cut returns the first characters of an ID without its prefix. It returns the whole ID if
// a reader could not see that the prefix is missing.
func cut(id ID, length int) string {
	rest, ok := strings.CutPrefix(string(id[:min(length, len(id))]), IDPrefix)
	if !ok || strings.HasPrefix(rest, IDPrefix) {
		return string(id)
	}
	return rest
}

// common returns the length in bytes of the common beginning of two IDs.
func common(a, b ID) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// AmbiguousID is the cause of a refusal: a name is the beginning of several IDs.
type AmbiguousID struct {
	Name string
	// Candidates are the records that the name may mean, in the order of their IDs, at most
	// [MostCandidates]. The caller may read all of them.
	Candidates []Record
	More       bool // there are more
}

// MostCandidates is how many records an [AmbiguousID] lists at most.
const MostCandidates = 10

// Error lists the short IDs of the candidates and nothing of their content.
func (e *AmbiguousID) Error() string {
	ids := make([]ID, len(e.Candidates))
	for i, r := range e.Candidates {
		ids[i] = r.ID
	}
	short := ShortIDs(ids)
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = short[id]
	}
	if e.More {
		names = append(names, "…")
	}
	return "several memories have an ID that begins with " + e.Name + ": " + strings.Join(names, ", ") + "; give one of these"
}
