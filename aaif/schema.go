package aaif

import (
	"embed"
	"fmt"

	"github.com/satchel-memory/satchel/canon"
)

//go:embed schema/*.json
var schemaFiles embed.FS

// Schema returns the JSON Schema (2020-12) of a kind of document, nil for an unknown
// kind. Its enumerations are those of edition 3.4.0; [Validator] adds the registries.
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

// enumPoints returns the definitions of a schema whose enumerations the registries
// extend.
func enumPoints(k Kind) map[string]Point {
	switch k {
	case AgentKind:
		return map[string]Point{"provider": Providers, "lang": Languages, "vault_provider": Vaults, "backend": Backends, "protocol": Protocols}
	case ManifestKind:
		return map[string]Point{"lang": Languages}
	}
	return nil
}

// schemaOf returns the schema of a kind, extended by the registries (decision R40).
func (r Registries) schemaOf(k Kind) canon.Value {
	schema := mustParse(Schema(k))
	defs := schema.Get("$defs")
	for name, point := range enumPoints(k) {
		def := defs.Get(name)
		defs = defs.With(name, def.With("enum", r.extendEnum(point, def.Get("enum"))))
	}
	if defs.Type() == canon.TypeUndefined {
		return schema
	}
	return schema.With("$defs", defs)
}

// extendEnum adds the identifiers of a registry to an enumeration.
func (r Registries) extendEnum(p Point, enum canon.Value) canon.Value {
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
