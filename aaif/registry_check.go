package aaif

import (
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// policies are the registration policies (section 10).
func policies() []string {
	return []string{"First Come First Served", "Specification Required", "Expert Review", "Standards Action"}
}

// policyOf returns the policy of an extension point (AAIF-10-7).
func policyOf(p Point) string {
	switch p {
	case Capabilities:
		return "Expert Review"
	case Protocols:
		return "Standards Action"
	}
	return "Specification Required"
}

// CheckRegistry reports what is wrong with a registry: by its schema, and by what its
// policy requires of entries (AAIF-10-8).
func CheckRegistry(r Registry) []*codec.ParseError {
	v := r.Value
	if v.Type() == canon.TypeUndefined {
		v = r.Document()
	}
	found := standardValidator().Validate(Document{Kind: RegistryKind, Value: v})
	if HasErrors(found) {
		return found
	}
	found = append(found, checkPolicy(r)...)
	seen := map[string]bool{}
	for i, e := range r.Entries {
		pointer := item("/entries", i)
		if seen[e.ID] {
			found = append(found, fault(Duplicated, "10-8", pointer+"/id", "there is such an entry already"))
		}
		seen[e.ID] = true
		found = append(found, checkEntry(r.Point, e, pointer)...)
	}
	return found
}

func checkPolicy(r Registry) []*codec.ParseError {
	known := false
	for _, p := range policies() {
		known = known || strings.HasPrefix(r.Policy, p)
	}
	switch want, ok := StandardRegistries()[r.Point]; {
	case !known:
		return []*codec.ParseError{fault(SchemaViolation, "10-7", "/registration_policy", "begins with none of %s", strings.Join(policies(), ", "))}
	case ok && !strings.HasPrefix(r.Policy, policyOf(want.Point)):
		return []*codec.ParseError{fault(SchemaViolation, "10-7", "/registration_policy", "must begin with %s", policyOf(want.Point))}
	}
	return nil
}

// checkEntry checks an entry by the policy of its registry.
func checkEntry(p Point, e Entry, pointer string) []*codec.ParseError {
	missing := func(member, what string) []*codec.ParseError {
		return []*codec.ParseError{fault(SchemaViolation, "10-8", pointer+"/"+member, "%s", what)}
	}
	_, there := StandardRegistries()[p].Entry(e.ID)
	switch {
	case p == Protocols && !there && e.Status == StandardEntry && !laterMinor(e.Since):
		return missing("since", "a new protocol needs a new edition of the schema")
	case p == Languages && e.Value.Get("expr_type").Text() != "none" && !webAddress(e.Value.Get("spec").Text()):
		return missing("spec", "the address of a specification is required, as https://")
	case (p == Providers || p == Vaults) && e.ID != CustomProvider && !webAddress(e.Value.Get("docs").Text()):
		return missing("docs", "the address of a documentation is required, as https://")
	case p == Capabilities && !namespaced(e.ID):
		return missing("id", "must be of the form category.capability")
	}
	return nil
}

// webAddress reports whether a text is a web address.
func webAddress(text string) bool {
	scheme, rest, ok := strings.Cut(text, "://")
	return ok && (scheme == "https" || scheme == "http") && hasHost(rest)
}

// laterMinor reports whether a version belongs to a later edition than this one.
func laterMinor(version string) bool {
	parts := strings.Split(version, ".")
	return len(parts) == 3 && (parseDigits(parts[0]) > major || parseDigits(parts[0]) == major && parseDigits(parts[1]) > minor)
}
