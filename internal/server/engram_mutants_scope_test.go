package server_test

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/engram"
)

// asked edits contexts that were asked for with a value of a parameter.
func asked(name, value string, edit editing) meddle {
	return contexts(func(q url.Values, v canon.Value) canon.Value {
		if slices.Contains(q[name], value) {
			v = edit(v)
		}
		return v
	})
}

// listing edits the beliefs of a document.
func listing(edit editing) editing { return within(each(edit), "beliefs") }

// engramScopeMutants break rules of the parts of a context.
func engramScopeMutants() []engramMutant {
	return []engramMutant{
		{name: "ENGRAM-3.7-2 a part does not say what it is of", does: tellsOf(lacks("scope_definition"))},
		{name: "ENGRAM-3.7-9 ENGRAM-3.4-29 full lacks a category", does: beliefs(where(is("category", "learning"), drop))},
		{name: "ENGRAM-3.7-14 ENGRAM-3.9-CAT-1 categories are of everything", does: besideWhole(func(part, whole canon.Value) canon.Value {
			if part.Get("scope").Text() == "custom" {
				part = part.With("beliefs", whole.Get("beliefs"))
			}
			return part
		})},
		{name: "ENGRAM-3.7-14 a category of two is left out", does: asked("categories", "values", listing(where(is("category", "values"), drop)))},
		{name: "ENGRAM-3.7-16 ENGRAM-3.9-CAT-6 all changes are in every part", does: fromWhole("evolution")},
		{name: "ENGRAM-3.7-17 all corrections are in every part", does: fromWhole("corrections")},
		{name: "ENGRAM-3.7-18 tombstones are in every part", does: besideWhole(func(part, whole canon.Value) canon.Value {
			gone := each(where(func(v canon.Value) bool { return v.Get("status").Text() != "deleted" }, drop))(whole.Get("beliefs"))
			return part.With("beliefs", canon.Array(slices.Concat(part.Get("beliefs").Items(), gone.Items())...))
		})},
		{name: "ENGRAM-3.7-18 tombstones are in no part", does: asked("scope", "personal", listing(where(is("status", "deleted"), drop)))},
		{name: "ENGRAM-3.7-20 the biography tells everything", does: besideWhole(func(part, whole canon.Value) canon.Value {
			return within(has("bio", string(whole.Get("beliefs").Append(nil))), "identity")(part)
		})},
		{name: "ENGRAM-3.7-20 a part lists the ids of everything", does: besideWhole(func(part, whole canon.Value) canon.Value {
			return part.With("x_ids", each(func(b canon.Value) canon.Value { return b.Get("id") })(whole.Get("beliefs")))
		})},
		{name: "ENGRAM-3.9-SCOPE-3 ENGRAM-3.9-ERR-7 ENGRAM-3.9-DISC-4 an unknown scope is full", does: asksFor("scope=work", "")},
		{name: "ENGRAM-3.9-SCOPE-3 ENGRAM-3.9-ERR-7 an empty scope is full", does: asksFor("scope=", "")},
		{name: "ENGRAM-3.9-SCOPE-3 of two scopes the first counts", does: asksFor("scope=full&scope=minimal", "scope=full")},
		{name: "ENGRAM-3.9-SCOPE-4 ENGRAM-3.9-DISC-4 custom takes no categories", does: asksFor("scope=custom", "scope=minimal")},
		{name: "ENGRAM-3.9-SCOPE-4 custom cannot be asked for", does: asksFor("scope=custom&categories=health", "scope=custom")},
		{name: "ENGRAM-3.9-SCOPE-5 scopes are spelled anyhow", does: asksFor("scope=Professional", "scope=professional")},
		{name: "ENGRAM-3.9-CAT-1 of two categories the first counts", does: asksFor("categories=communication&categories=work_style", "categories=communication")},
		{name: "ENGRAM-3.9-CAT-1 categories are not looked at", does: asksFor("categories=projects", "")},
		{name: "ENGRAM-3.9-CAT-2 ENGRAM-3.9-SCOPE-4 categories are of scope professional", does: contexts(func(q url.Values, v canon.Value) canon.Value {
			if q.Has("categories") {
				v = has("scope", "professional")(v)
			}
			return v
		})},
		{name: "ENGRAM-3.9-CAT-2 the definition lists no categories", does: tellsOf(within(sets("included_categories", `[]`), "scope_definition"))},
		{name: "ENGRAM-3.9-CAT-3 categories are joined with commas", does: asksFor("categories=communication,work_style", "categories=communication&categories=work_style")},
		{name: "ENGRAM-3.9-CAT-4 an unknown category is none", does: asksFor("categories=foo", "")},
		{name: "ENGRAM-3.9-CAT-4 an empty category is none", does: asksFor("categories=", "")},
		{name: "ENGRAM-3.9-CAT-4 ENGRAM-3.9-CAT-3 a wrong category is a wrong scope", does: recoded(engram.InvalidRequest, 400, engram.InvalidScope)},
		{name: "ENGRAM-3.9-CAT-5 categories widen the scope", does: asksFor("scope=professional&categories=health", "categories=health")},
		{name: "ENGRAM-3.9-CAT-5 beside a scope categories do not count", does: asksFor("scope=professional&categories=values", "scope=professional")},
	}
}

// engramPartMutants give the named scopes other categories than their own.
func engramPartMutants() []engramMutant {
	var all []engramMutant
	for i, s := range []engram.Scope{engram.Professional, engram.Personal, engram.Financial, engram.Minimal} {
		own, row := string(s.Categories()[0]), "ENGRAM-3.7-"+strconv.Itoa(10+i)
		also := ""
		if s != engram.Financial {
			also = " ENGRAM-3.4-31"
		}
		all = append(all,
			engramMutant{name: row + also + " a part has everything", does: besideWhole(func(part, whole canon.Value) canon.Value {
				if is("scope", string(s))(part) {
					part = part.With("beliefs", whole.Get("beliefs"))
				}
				return part
			})},
			engramMutant{name: row + also + " a part lacks a category of its own", does: asked("scope", string(s), listing(where(is("category", own), drop)))})
	}
	return all
}

// engramContextMutants break rules of contexts that more than one member shows.
func engramContextMutants() []engramMutant {
	var turn atomic.Int64
	return []engramMutant{
		{name: "ENGRAM-3.1-3 a change stands among the beliefs", does: tellsOf(func(v canon.Value) canon.Value {
			return v.With("beliefs", canon.Array(slices.Concat(v.Get("beliefs").Items(), v.Get("evolution").Items()[:1])...))
		})},
		{name: "ENGRAM-3.2-15 the subject is another each time", does: tellsOf(within(func(v canon.Value) canon.Value {
			return has("id", engram.IDFrom(strconv.FormatInt(turn.Add(1), 10)))(v)
		}, "subject"))},
		{name: "ENGRAM-3.2-15 a part is of another subject", does: contexts(func(q url.Values, v canon.Value) canon.Value {
			return within(has("id", engram.IDFrom(q.Get("scope"))), "subject")(v)
		})},
		{name: "ENGRAM-3.2-24 a member is doubled", does: answers(atContext, func(_ canon.Value, r *http.Request, got *reply) {
			if to("GET", atContext)(r) && got.ok() {
				got.body = append([]byte(`{"engram_version":"0.1",`), got.body[1:]...)
			}
		})},
		{name: "ENGRAM-3.4-33 two active beliefs of one topic", does: tellsOf(func(v canon.Value) canon.Value {
			twin := has("id", "11111111-1111-4111-8111-111111111111")(v.Get("beliefs").Items()[0])
			return v.With("beliefs", canon.Array(append(slices.Clone(v.Get("beliefs").Items()), twin)...))
		})},
		{name: "ENGRAM-3.5-10 a change is missing between two", does: tellsOf(func(v canon.Value) canon.Value {
			next := merged(`{"id":"11111111-1111-4111-8111-111111111111","old_value":"nowhere","changed_at":"2090-01-01T00:00:00Z"}`)(v.Get("evolution").Items()[0])
			return v.With("evolution", canon.Array(append(slices.Clone(v.Get("evolution").Items()), next)...))
		})},
		{name: "ENGRAM-3.7-8 a grant ends at no time", does: tellsOf(sets("scope_definition", `{"included_categories":[],"valid_until":"later"}`))},
		{name: "ENGRAM-3.9-CTX-2 there is no schema", does: tellsOf(lacks("schema"))},
		{name: "ENGRAM-3.9-CTX-2 there is no kid", does: tellsOf(lacks("kid"))},
	}
}
