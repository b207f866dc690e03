package engram

import (
	"github.com/satchel-memory/satchel/canon"
)

// beliefs checks section 3.4 and returns the ids of the beliefs.
func (c *checker) beliefs(list canon.Value) map[string]bool {
	rules, ids, topics := beliefRules(), map[string]bool{}, map[[2]string]bool{}
	c.each(list, "beliefs", "ENGRAM-3.1-3", func(v canon.Value, at ...string) {
		b := ReadBelief(v)
		if v.Has("belief_id") || v.Has("old_value") || v.Has("new_value") {
			c.report(readers, "ENGRAM-3.1-3", "must be a belief, not a part of its history", at...)
			return
		}
		if ids[b.ID] && b.ID != "" {
			c.report(readers, "ENGRAM-3.4-1", "two beliefs have one id", append(at, "id")...)
		}
		ids[b.ID] = true
		if b.Status == Deleted && !c.strict {
			c.members(v, rules[:1], at...) // a tombstone may be short (ENGRAM-3.4-16)
			return
		}
		c.members(v, rules, at...)
		c.belief(v, at)
		if topic := [2]string{string(b.Category), b.Key}; b.Status == Active {
			if topics[topic] {
				c.report(nobody, "ENGRAM-3.4-33", "another active belief has this category and key", at...)
			}
			topics[topic] = true
		}
	})
	return ids
}

func beliefRules() []member {
	return []member{
		id("id", "ENGRAM-3.4-1").known(),
		text("category", "ENGRAM-3.4-4"),
		text("key", "ENGRAM-3.4-5"),
		value("value", "ENGRAM-3.4-6").vitalWhenPresent(),
		word("value_type", "ENGRAM-3.4-7", "string", "boolean", "number", "enum").optional(),
		member{name: "confidence", rule: "ENGRAM-3.4-9", typ: canon.TypeNumber, must: true}.vitalWhenPresent(),
		word("source", "ENGRAM-3.4-11", UserStated, Inferred, Corrected),
		word("status", "ENGRAM-3.4-12", Active, Archived, Deleted),
		when("created_at", "ENGRAM-3.4-18"),
		when("last_confirmed", "ENGRAM-3.4-19").optional(),
		{name: "stale_after_days", rule: "ENGRAM-3.4-20", typ: canon.TypeNumber},
		{name: "tags", rule: "ENGRAM-3.4-28", typ: canon.TypeArray},
		when("deleted_at", "ENGRAM-3.4-15").optional(),
	}
}

// belief checks what goes beyond the form of its members.
func (c *checker) belief(v canon.Value, at []string) {
	under := func(name string) []string { return append(at[:len(at):len(at)], name) }
	if f := v.Get("confidence").Float(); f < 0 || f > 1 {
		c.report(readers, "ENGRAM-3.4-9", "confidence must be from 0 to 1", under("confidence")...)
	}
	if days := v.Get("stale_after_days"); days.Type() == canon.TypeNumber {
		if _, ok := wholeDays(days); !ok {
			c.report(writers, "ENGRAM-3.4-20", "stale_after_days must be a whole number of 0 or more", under("stale_after_days")...)
		}
	}
	if name := Category(v.Get("category").Text()); name != "" && !name.Standard() {
		c.report(nobody, "ENGRAM-3.4-32", "category is not one of the ten and counts as custom", under("category")...)
	}
	if v.Get("status").Text() == string(Deleted) && v.Get("value").Text() != "" {
		c.report(nobody, "ENGRAM-3.4-15", "a tombstone should not say what was deleted", under("value")...)
	}
	c.strings(v.Get("tags"), "ENGRAM-3.4-28", under("tags")...)
}

// evolution checks section 3.5.
func (c *checker) evolution(list canon.Value, beliefs map[string]bool) {
	rules := []member{
		id("id", "ENGRAM-3.5-1"),
		text("belief_id", "ENGRAM-3.5-2"),
		value("old_value", "ENGRAM-3.5-3"),
		value("new_value", "ENGRAM-3.5-4"),
		when("changed_at", "ENGRAM-3.5-5"),
		word("trigger", "ENGRAM-3.5-6", UserCorrection, ContradictionResolution, NaturalUpdate, Expiry),
		value("context", "ENGRAM-3.5-7").optional(),
		value("note", "ENGRAM-3.5-8").optional(),
	}
	ids, last := map[string]bool{}, map[string]Change{}
	c.each(list, "evolution", "ENGRAM-3.1-3", func(v canon.Value, at ...string) {
		c.members(v, rules, at...)
		now := ReadChange(v)
		c.reference(now.ID, now.Belief, ids, beliefs, "ENGRAM-3.5-", at)
		before, ok := last[now.Belief]
		if last[now.Belief] = now; ok && (before.New != now.Old || now.ChangedAt.Before(before.ChangedAt)) {
			c.report(nobody, "ENGRAM-3.5-10", "evolution gap for belief "+quoted(now.Belief), at...)
		}
	})
}

// reference checks that an id is unique and that belief_id names a belief of the document.
func (c *checker) reference(id, belief string, ids, beliefs map[string]bool, rules string, at []string) {
	if ids[id] && id != "" {
		c.report(writers, rules+"1", "two entries have one id", append(at[:len(at):len(at)], "id")...)
	}
	ids[id] = true
	if belief != "" && !beliefs[belief] {
		c.report(nobody, rules+"2", "dangling belief_id", append(at[:len(at):len(at)], "belief_id")...)
	}
}

// corrections checks section 3.6 (decisions E-10, E-11).
func (c *checker) corrections(list canon.Value, beliefs map[string]bool) {
	rules := []member{
		text("id", "ENGRAM-3.6-1"),
		text("belief_id", "ENGRAM-3.6-2"),
		word("corrected_by", "ENGRAM-3.6-3", ByUser, BySystem, ByRule, ByRuntime),
		when("corrected_at", "ENGRAM-3.6-4"),
		value("old_value", "ENGRAM-3.6-5"),
		value("new_value", "ENGRAM-3.6-6"),
		word("method", "ENGRAM-3.6-7", Explicit, Implicit, Approved),
		value("note", "ENGRAM-3.6-9").optional(),
		word("status", "ENGRAM-3.9-CORR-20", Pending, Confirmed, Rejected).optional(),
		value("runtime_id", "ENGRAM-3.9-CORR-20").optional(),
		when("observed_at", "ENGRAM-3.9-CORR-20").optional(),
	}
	ids := map[string]bool{}
	c.each(list, "corrections", "ENGRAM-3.1-3", func(v canon.Value, at ...string) {
		c.members(v, rules, at...)
		c.reference(v.Get("id").Text(), v.Get("belief_id").Text(), ids, beliefs, "ENGRAM-3.6-", at)
	})
}

// constraints checks section 3.7 of edition 0.1.2. Its rules have no ids of their own.
func (c *checker) constraints(list canon.Value, names ...string) {
	const rule = "0.1.2-3.7"
	rules := []member{
		id("id", rule).known(),
		text("rule", rule),
		text("category", rule),
		like("scope", rule, isURI, "must be a URI").optional(),
		when("created_at", rule),
		word("set_by", rule, "user_stated", "user_confirmed", "legal", "operator"),
		word("status", rule, "active", "suspended", "deleted"),
		value("note", rule).optional(),
		when("deleted_at", rule).optional(),
	}
	ids := map[string]bool{}
	c.each(list, "constraints", rule, func(v canon.Value, at ...string) {
		k := ReadConstraint(v)
		if k.ID != "" && ids[k.ID] {
			c.report(readers, rule, "two constraints have one id", append(at, "id")...)
		}
		ids[k.ID] = true
		if k.Status == string(Deleted) {
			c.members(v, rules[:1], at...)
			return
		}
		c.members(v, rules, at...)
		if DescribesPerson(k.Rule, names...) {
			c.report(nobody, rule, "rule must tell assistants what to do, such as \"Never use emoji\"; what describes the person is a belief", append(at, "rule")...)
		}
		if v.Has("confidence") || v.Has("stale_after_days") {
			c.report(nobody, rule, "a constraint is never uncertain or stale", at...)
		}
	})
}
