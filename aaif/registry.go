package aaif

import (
	"embed"
	"fmt"
	"slices"
	"sync"

	"github.com/satchel-memory/satchel/canon"
)

// Point is an extension point: the name of the registry of what may be named there
// (section 10).
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

// Standing is how far an identifier has come (section 10).
type Standing string

// The four standings. Only what is standard, or was, may be written.
const (
	StandardEntry    Standing = "standard"
	ProvisionalEntry Standing = "provisional"
	DeprecatedEntry  Standing = "deprecated"
	ReservedEntry    Standing = "reserved"
)

// Registry lists what may be named at one extension point (section 10).
type Registry struct {
	Point       Point   `aaif:"registry!"`
	Standard    string  `aaif:"sc_standard!"`
	Description string  `aaif:"description!"`
	Policy      string  `aaif:"registration_policy!"`
	UpdatedAt   string  `aaif:"updated_at"` // a day
	Entries     []Entry `aaif:"entries!"`
	Value       canon.Value
}

// Entry is an identifier of a registry. Further members depend on the registry.
type Entry struct {
	ID     string   `aaif:"id!"`
	Status Standing `aaif:"status!"`
	Since  string   `aaif:"since"`
	Value  canon.Value
}

// ReadRegistry reads a registry as far as it can be read.
func ReadRegistry(v canon.Value) Registry { return view[Registry](v) }

// Document returns the registry as it is written.
func (r Registry) Document() canon.Value { return document(r) }

// Entry returns the entry of an identifier.
func (r Registry) Entry(id string) (Entry, bool) {
	i := slices.IndexFunc(r.Entries, func(e Entry) bool { return e.ID == id })
	if i < 0 {
		return Entry{}, false
	}
	return r.Entries[i], true
}

// written reports whether an identifier may be written, or could once.
func (r Registry) written(id string) bool {
	e, ok := r.Entry(id)
	return ok && (e.Status == StandardEntry || e.Status == DeprecatedEntry)
}

// ids returns the identifiers that may be written.
func (r Registry) ids() []string {
	var ids []string
	for _, e := range r.Entries {
		if e.Status == StandardEntry {
			ids = append(ids, e.ID)
		}
	}
	return ids
}

// Registries is what may be named at each extension point. They are not changed.
type Registries map[Point]Registry

//go:embed registry/*.json
var registryFiles embed.FS

// StandardRegistries returns the registries as edition 3.4.0 has them.
func StandardRegistries() Registries { return standardRegistries() }

var standardRegistries = sync.OnceValue(func() Registries {
	all := Registries{}
	for _, name := range []string{"providers", "capabilities", "condition-languages", "vault-providers", "memory-backends", "tool-protocols"} {
		raw, err := registryFiles.ReadFile("registry/" + name + ".json")
		if err != nil {
			panic(fmt.Sprintf("aaif: embedded registry: %v", err))
		}
		r := ReadRegistry(parsed(raw))
		all[r.Point] = r
	}
	return all
})

// parsed reads a text that is part of this program.
func parsed(raw []byte) canon.Value {
	v, err := canon.Parse(raw, canon.Options{})
	if err != nil {
		panic(fmt.Sprintf("aaif: embedded document: %v", err))
	}
	return v
}

// With returns the registries with others in the place of those of the same points
// (AAIF-13.2-1).
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
