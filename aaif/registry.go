package aaif

import (
	"embed"
	"fmt"
	"slices"
	"sync"

	"github.com/satchel-memory/satchel/canon"
)

// Point is an extension point, by the name of its registry (section 10).
type Point string

// The six extension points.
const (
	Providers    Point = "aaif-model-providers"     // model.provider
	Capabilities Point = "aaif-capabilities"        // required_capabilities[]
	Languages    Point = "aaif-condition-languages" // lang of conditions
	Vaults       Point = "aaif-vault-providers"     // auth.vault_ref.provider
	Backends     Point = "aaif-memory-backends"     // memory[].backend
	Protocols    Point = "aaif-tool-protocols"      // tools[].protocol
)

// Points lists the extension points.
func Points() []Point {
	return []Point{Providers, Capabilities, Languages, Vaults, Backends, Protocols}
}

// EntryStatus is the status of an identifier in a registry (section 10).
type EntryStatus string

// The four statuses. Documents may use identifiers that are standard or deprecated.
const (
	StandardEntry    EntryStatus = "standard"
	ProvisionalEntry EntryStatus = "provisional"
	DeprecatedEntry  EntryStatus = "deprecated"
	ReservedEntry    EntryStatus = "reserved"
)

// Registry lists the identifiers of one extension point (section 10).
type Registry struct {
	Point       Point   `aaif:"registry!"`
	Standard    string  `aaif:"sc_standard!"`
	Description string  `aaif:"description!"`
	Policy      string  `aaif:"registration_policy!"`
	UpdatedAt   string  `aaif:"updated_at"` // a day
	Entries     []Entry `aaif:"entries!"`
	Value       canon.Value
}

// Entry is an identifier in a registry. Its further members depend on the registry.
type Entry struct {
	ID     string      `aaif:"id!"`
	Status EntryStatus `aaif:"status!"`
	Since  string      `aaif:"since"`
	Value  canon.Value
}

// ReadRegistry reads a registry. Members that cannot be read count as absent.
func ReadRegistry(v canon.Value) Registry { return view[Registry](v) }

// Document returns the registry as a document.
func (r Registry) Document() canon.Value { return document(r) }

// Entry returns the entry of an identifier.
func (r Registry) Entry(id string) (Entry, bool) {
	i := slices.IndexFunc(r.Entries, func(e Entry) bool { return e.ID == id })
	if i < 0 {
		return Entry{}, false
	}
	return r.Entries[i], true
}

// isWritable reports whether documents may use an identifier, or could once.
func (r Registry) isWritable(id string) bool {
	e, ok := r.Entry(id)
	return ok && (e.Status == StandardEntry || e.Status == DeprecatedEntry)
}

// ids returns the identifiers that documents may use.
func (r Registry) ids() []string {
	var ids []string
	for _, e := range r.Entries {
		if e.Status == StandardEntry {
			ids = append(ids, e.ID)
		}
	}
	return ids
}

// Registries holds the registry of each extension point. It is read-only.
type Registries map[Point]Registry

//go:embed registry/*.json
var registryFiles embed.FS

// StandardRegistries returns the registries of edition 3.4.0.
func StandardRegistries() Registries { return standardRegistries() }

var standardRegistries = sync.OnceValue(func() Registries {
	all := Registries{}
	for _, name := range []string{"providers", "capabilities", "condition-languages", "vault-providers", "memory-backends", "tool-protocols"} {
		raw, err := registryFiles.ReadFile("registry/" + name + ".json")
		if err != nil {
			panic(fmt.Sprintf("aaif: embedded registry: %v", err))
		}
		r := ReadRegistry(mustParse(raw))
		all[r.Point] = r
	}
	return all
})

// mustParse reads a text that is part of this program.
func mustParse(raw []byte) canon.Value {
	v, err := canon.Parse(raw, canon.Options{})
	if err != nil {
		panic(fmt.Sprintf("aaif: embedded document: %v", err))
	}
	return v
}

// With returns the registries with some of them replaced (AAIF-13.2-1).
func (r Registries) With(others ...Registry) Registries {
	all := Registries{}
	for _, p := range Points() {
		all[p] = r[p]
	}
	for _, other := range others {
		all[other.Point] = other
	}
	return all
}
