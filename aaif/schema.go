package aaif

import (
	"embed"
	"fmt"

	"github.com/satchel-memory/satchel/canon"
)

//go:embed schema/*.json
var schemaFiles embed.FS

// Schema returns the JSON Schema (2020-12) of a kind of document, and nil of what is
// none. Its enumerations are those of edition 3.4.0; [Validator] adds the registries'.
func Schema(k Kind) []byte {
	names := map[Kind]string{AgentKind: "agent", StateKind: "state", ManifestKind: "manifest", ReportKind: "report", RegistryKind: "registry"}
	name, ok := names[k]
	if !ok {
		return nil
	}
	raw, err := schemaFiles.ReadFile("schema/" + name + ".json")
	if err != nil {
		panic(fmt.Sprintf("aaif: embedded schema: %v", err))
	}
	return raw
}

// enumerated are the definitions whose words registries add to, by kind of document.
func enumerated(k Kind) map[string]Point {
	switch k {
	case AgentKind:
		return map[string]Point{"provider": Providers, "lang": Languages, "vault_provider": Vaults, "backend": Backends, "protocol": Protocols}
	case ManifestKind:
		return map[string]Point{"lang": Languages}
	}
	return nil
}

// open returns the schema of a kind with the words of registries added (decision R40).
func (r Registries) open(k Kind) canon.Value {
	schema := parsed(Schema(k))
	defs := schema.Get("$defs")
	for name, point := range enumerated(k) {
		def := defs.Get(name)
		defs = defs.With(name, def.With("enum", r.words(point, def.Get("enum"))))
	}
	if defs.Type() == canon.TypeUndefined {
		return schema
	}
	return schema.With("$defs", defs)
}

// words adds to an enumeration what a registry has beyond it.
func (r Registries) words(p Point, enum canon.Value) canon.Value {
	there := map[string]bool{}
	for _, word := range enum.Items() {
		there[word.Text()] = true
	}
	for _, e := range r[p].Entries {
		if !there[e.ID] && (e.Status == StandardEntry || e.Status == DeprecatedEntry) {
			enum = enum.WithItem(enum.Len(), canon.String(e.ID))
		}
	}
	return enum
}
