package vault

import "github.com/satchel-memory/satchel/memory"

// Unverify lets v serve records without verifying them, to measure what that
// costs.
func Unverify(v *Vault) *Vault {
	v.unverified = true
	return v
}

// OnlyEngineChanged and ErrBeyondEngine are what tests of every member call.
var (
	OnlyEngineChanged = onlyEngineChanged
	ErrBeyondEngine   = errBeyondEngine
)

// Kept returns what is kept in memory of an owner's records: what each says, and for
// each lineage that was told what tells whether it is told anew.
func Kept(v *Vault, owner memory.DID) (texts map[memory.ID]string, told map[memory.ID]any) {
	texts, told = map[memory.ID]string{}, map[memory.ID]any{}
	r, _ := v.reads.of(owner)
	if r == nil {
		return texts, told
	}
	for _, ver := range r.versions {
		texts[ver.id] = ver.rec.Body.Text
	}
	for root, b := range r.beliefs {
		texts[root] += b.told.Text
		told[root] = &b.parts[0]
	}
	return texts, told
}

// DropIdle drops what is kept in memory as if nobody had asked for it in a while.
func DropIdle(v *Vault) {
	v.reads.mu.Lock()
	for _, r := range v.reads.by {
		r.used = r.used.Add(-keptFor)
	}
	v.reads.mu.Unlock()
	v.reads.sweep()
}
