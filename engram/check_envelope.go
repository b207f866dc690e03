package engram

import (
	"github.com/satchel-memory/satchel/canon"
)

// check returns what is wrong with an export.
func check(v canon.Value, strict bool) []Violation {
	c := &checker{strict: strict}
	if v.Type() != canon.TypeObject {
		c.report(readers, "ENGRAM-3.2-1", "an export is an object")
		return c.found
	}
	c.envelope(v)
	c.times(v)
	c.scope(v)
	c.identity(v.Get("identity"))
	living := c.beliefs(v.Get("beliefs"))
	c.evolution(v.Get("evolution"), living)
	c.corrections(v.Get("corrections"), living)
	c.constraints(v.Get("constraints"), v.Get("identity").Get("display_name").Text(), v.Get("subject").Get("display_name").Text())
	return c.found
}

func envelopeRules() []member {
	array := func(name string) member {
		return member{name: name, rule: "ENGRAM-3.1-2", typ: canon.TypeArray, must: true}.vitalWhenPresent()
	}
	identity := member{name: "identity", rule: "ENGRAM-3.3-8", typ: canon.TypeObject, must: true}
	return []member{
		like("engram_version", "ENGRAM-3.2-1", versionShape.MatchString, "must be a version such as 0.1").needed(),
		value("schema", "ENGRAM-3.2-2").optional(),
		when("issued_at", "ENGRAM-3.2-3").needed(),
		when("expires_at", "ENGRAM-3.2-8").vitalWhenPresent(),
		text("kid", "ENGRAM-3.2-10"),
		word("scope", "ENGRAM-3.2-20", Full, Professional, Personal, Financial, Minimal, Custom),
		like("signature", "ENGRAM-3.2-21", signedShape.MatchString, "must be 86 characters of base64url"),
		identity.needed(),
		array("beliefs").needed(),
		array("evolution"),
		array("corrections"),
		array("constraints").optional(),
	}
}

func (c *checker) envelope(v canon.Value) {
	c.members(v, envelopeRules())
	if c.strict && v.Get("engram_version").Text() != Version && versionShape.MatchString(v.Get("engram_version").Text()) {
		c.report(writers, "ENGRAM-3.2-1", "engram_version must be "+Version, "engram_version")
	}
	c.issuer(v.Get("issuer"))
	c.subject(v.Get("subject"))
}

func (c *checker) issuer(v canon.Value) {
	if v.Type() != canon.TypeObject {
		c.report(writers, "ENGRAM-3.2-12", "issuer must be an object", "issuer") // decision E-04
		return
	}
	c.members(v, []member{
		text("name", "ENGRAM-3.2-12"),
		like("url", "ENGRAM-3.2-13", isAddress, "must be an absolute URL"),
		like("did", "ENGRAM-3.2-14", didShape.MatchString, "must be a DID").optional(),
	}, "issuer")
}

func (c *checker) subject(v canon.Value) {
	switch {
	case v.Type() == canon.TypeString && v.Text() != "":
		c.report(writers, "ENGRAM-3.2-15", "subject must be an object", "subject") // decision E-04
		return
	case v.Type() != canon.TypeObject:
		c.report(readers, "ENGRAM-3.2-15", "subject required", "subject")
		return
	}
	id := v.Get("id").Text()
	switch {
	case id == "":
		c.report(readers, "ENGRAM-3.2-15", "id required", "subject", "id")
	case isURI(id) && !IsSubject(id), !isURI(id) && personShape.MatchString("x:"+id):
		c.report(writers, "ENGRAM-3.2-18", "id must not say who it is", "subject", "id")
	case !IsSubject(id):
		c.report(writers, "ENGRAM-3.2-16", "id must be a UUIDv4 or a URI", "subject", "id")
	}
	c.members(v, []member{value("display_name", "ENGRAM-3.2-19").optional()}, "subject")
}

// times compares issued_at and expires_at.
func (c *checker) times(v canon.Value) {
	issued, expires := instant(v.Get("issued_at")), instant(v.Get("expires_at"))
	switch {
	case issued.IsZero() || expires.IsZero():
	case !expires.After(issued):
		c.report(writers, "ENGRAM-3.2-7", "expires_at must be later than issued_at", "expires_at")
	case expires.Sub(issued) > MaxLifetime:
		c.report(nobody, "ENGRAM-3.2-5", "expires_at is more than 24 hours after issued_at", "expires_at")
	}
}

// scope checks scope_definition (section 3.7).
func (c *checker) scope(v canon.Value) {
	d, scope := v.Get("scope_definition"), Scope(v.Get("scope").Text())
	switch d.Type() {
	case canon.TypeObject:
	case canon.TypeUndefined:
		if scope == Custom {
			c.report(writers, "ENGRAM-3.7-3", "scope custom needs scope_definition.included_categories", "scope_definition")
		} else if scope != Full {
			c.report(nobody, "ENGRAM-3.7-2", "a scope other than full should say what it includes", "scope_definition")
		}
		return
	default:
		c.report(readers, "ENGRAM-3.7-1", "scope_definition must be an object", "scope_definition")
		return
	}
	included := member{name: "included_categories", rule: "ENGRAM-3.7-3", typ: canon.TypeArray, must: scope == Custom}
	c.members(d, []member{
		included,
		{name: "excluded_categories", rule: "ENGRAM-3.7-4", typ: canon.TypeArray},
		value("purpose", "ENGRAM-3.7-5").optional(),
		like("issued_to", "ENGRAM-3.7-7", IsRuntimeURI, "must be a URI of scheme https, did or urn").optional(),
		when("valid_until", "ENGRAM-3.7-8").optional().vitalWhenPresent(),
	}, "scope_definition")
	c.strings(d.Get("included_categories"), "ENGRAM-3.7-3", "scope_definition", "included_categories")
	c.strings(d.Get("excluded_categories"), "ENGRAM-3.7-4", "scope_definition", "excluded_categories")
}

// identity checks section 3.3.
func (c *checker) identity(v canon.Value) {
	if v.Type() != canon.TypeObject {
		return // already reported
	}
	c.members(v, []member{
		text("display_name", "ENGRAM-3.3-1"),
		like("timezone", "ENGRAM-3.3-2", isTimezone, "must be the IANA name of a time zone"),
		like("locale", "ENGRAM-3.3-3", localeShape.MatchString, "must be a BCP 47 tag").optional(),
		value("role", "ENGRAM-3.3-4").optional(),
		{name: "domains", rule: "ENGRAM-3.3-5", typ: canon.TypeArray},
		value("bio", "ENGRAM-3.3-6").optional(),
		when("created_at", "ENGRAM-3.3-7").optional(),
		when("last_updated", "ENGRAM-3.3-7").optional(),
	}, "identity")
	c.strings(v.Get("domains"), "ENGRAM-3.3-5", "identity", "domains")
	created, updated := instant(v.Get("created_at")), instant(v.Get("last_updated"))
	if !updated.IsZero() && updated.Before(created) {
		c.report(writers, "ENGRAM-3.3-7", "last_updated must not be before created_at", "identity", "last_updated")
	}
}
