package server_test

import (
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/canon"
	engramsuite "github.com/satchel-memory/satchel/conformance/engram"
	"github.com/satchel-memory/satchel/engram"
)

// since asks what changed since another time.
func since(when func(q url.Values) bool, time string) meddle {
	return header(atDiff, func(r *http.Request) {
		if q := r.URL.Query(); when(q) {
			r.URL.RawQuery = "since=" + time
		}
	})
}

// everChanged answers with all that ever changed, where that holds of the answer.
func everChanged(when func(r *http.Request, v canon.Value) bool) meddle {
	return func(next http.Handler) http.Handler {
		return on(atDiff, next, func(w http.ResponseWriter, r *http.Request) {
			all := r.Clone(r.Context())
			all.URL.RawQuery = "since=2026-01-01T00:00:00Z"
			got := serve(next, r)
			if v := got.json(); got.ok() && when(r, v) {
				got.set(v.With("changes", serve(next, all).json().Get("changes")))
			}
			got.write(w)
		})
	}
}

// engramDiffMutants break rules of what is told of changes.
func engramDiffMutants(target engramsuite.Target) []engramMutant {
	list := func(edit editing, path ...string) meddle {
		return changed(within(edit, append([]string{"changes"}, path...)...))
	}
	moved := func(from, to string, edit editing) meddle {
		return changed(within(func(b canon.Value) canon.Value {
			return b.With(to, canon.Array(slices.Concat(b.Get(to).Items(), each(edit)(b.Get(from)).Items())...))
		}, "changes", "beliefs"))
	}
	reversed := func(v canon.Value) canon.Value {
		items := slices.Clone(v.Items())
		slices.Reverse(items)
		return canon.Array(items...)
	}
	made := func(later time.Duration) meddle {
		return changed(has("generated_at", time.Now().Add(later).UTC().Format(time.RFC3339Nano)))
	}
	whole := func(b canon.Value) canon.Value { return b }
	all := []engramMutant{
		{name: "ENGRAM-3.9-DIFF-1 since may be left out", does: since(func(q url.Values) bool { return !q.Has("since") }, "2026-01-01T00:00:00Z")},
		{name: "ENGRAM-3.9-DIFF-1 since is whatever", does: since(func(q url.Values) bool { return q.Get("since") == "x" }, "2026-01-01T00:00:00Z")},
		{name: "ENGRAM-3.9-DIFF-1 no since will do", does: refusing(400, engram.InvalidRequest, to("GET", atDiff))},
		{name: "ENGRAM-3.9-DIFF-1 a wrong since is a wrong scope", does: recoded(engram.InvalidRequest, 400, engram.InvalidScope)},
		{name: "ENGRAM-3.9-DIFF-2 since is spelled otherwise", does: changed(has("since", "2026-01-01T00:00:00.000Z"))},
		{name: "ENGRAM-3.9-DIFF-2 since is not repeated", does: changed(lacks("since"))},
		{name: "ENGRAM-3.9-DIFF-2 changes are of another version", does: changed(has("engram_version", "0.2"))},
		{name: "ENGRAM-3.9-DIFF-2 ENGRAM-3.9-DIFF-12 changes are of no time", does: changed(lacks("generated_at"))},
		{name: "ENGRAM-3.9-DIFF-4 ENGRAM-3.9-DIFF-12 ENGRAM-3.9-DIFF-13 since is not looked at", does: since(func(q url.Values) bool { return q.Get("since") != "x" }, "2026-01-01T00:00:00Z")},
		{name: "ENGRAM-3.9-DIFF-4 ENGRAM-3.9-DIFF-12 ENGRAM-3.9-DIFF-13 changes are of before they were", does: made(-24 * time.Hour)},
		{name: "ENGRAM-3.9-DIFF-4 with one change all are told", does: everChanged(func(_ *http.Request, v canon.Value) bool {
			return v.Get("changes").Get("beliefs").Get("added").Len() > 0
		})},
		{name: "ENGRAM-3.9-DIFF-5 what is new is told twice", does: moved("added", "updated", whole)},
		{name: "ENGRAM-3.9-DIFF-5 ENGRAM-3.9-DIFF-12 what is new is not told", does: list(empty, "beliefs", "added")},
		{name: "ENGRAM-3.9-DIFF-5 what is new is told as it was first", does: list(each(has("value", "at first")), "beliefs", "added")},
		{name: "ENGRAM-3.9-DIFF-6 what changed is not told", does: list(empty, "beliefs", "updated")},
		{name: "ENGRAM-3.9-DIFF-6 what changed is new", does: moved("updated", "added", whole)},
		{name: "ENGRAM-3.9-DIFF-6 what changed is told in part", does: list(each(lacks("value")), "beliefs", "updated")},
		{name: "ENGRAM-3.9-DIFF-7 ENGRAM-3.9-DIFF-8 what is deleted is not told", does: list(empty, "beliefs", "deleted")},
		{name: "ENGRAM-3.9-DIFF-7 ENGRAM-3.9-DIFF-8 what is deleted is told by its key", does: list(each(has("key", "diet")), "beliefs", "deleted")},
		{name: "ENGRAM-3.9-DIFF-7 ENGRAM-3.9-DIFF-8 what is deleted is gone", does: list(each(has("status", "gone")), "beliefs", "deleted")},
		{name: "ENGRAM-3.9-DIFF-7 deleted at no time", does: list(each(has("deleted_at", "once")), "beliefs", "deleted")},
		{name: "ENGRAM-3.9-DIFF-7 what is deleted is updated, too", does: moved("deleted", "updated", whole)},
		{name: "ENGRAM-3.9-DIFF-8 what came and went is new", does: moved("deleted", "added", whole)},
		{name: "ENGRAM-3.9-DIFF-10 changes have a signature", does: changed(has("signature", "AAAA"))},
		{name: "ENGRAM-3.9-DIFF-10 changes have a kid", does: changed(has("kid", "key-2026-06"))},
		{name: "ENGRAM-3.9-DIFF-12 changes are of a time to come", does: made(time.Hour)},
		{name: "ENGRAM-3.9-DIFF-14 a token for less is told everything", does: asIf(target.Token, both(by(target.Narrow), to("GET", atDiff)))},
		{name: "ENGRAM-3.9-DIFF-14 a token for less is told nothing", does: narrowed(target, within(empty, "changes", "beliefs", "added"))},
		{name: "ENGRAM-3.9-DIFF-15 the newest correction is first", does: list(reversed, "corrections", "added")},
		{name: "ENGRAM-3.9-DIFF-15 the newest change is first", does: list(reversed, "evolution", "added")},
		{name: "ENGRAM-3.9-DIFF-15 only the newest correction is told", does: list(func(v canon.Value) canon.Value { return canon.Array(v.Items()[v.Len()-1]) }, "corrections", "added")},
		{name: "ENGRAM-3.9-DIFF-16 strangers are not found", does: recoded(engram.Unauthorized, 404, engram.InvalidRequest)},
	}
	for _, at := range [][]string{{"beliefs", "added"}, {"beliefs", "updated"}, {"beliefs", "deleted"}, {"corrections", "added"}, {"evolution", "added"}} {
		all = append(all, engramMutant{name: "ENGRAM-3.9-DIFF-3 there is no list of " + at[0] + " " + at[1], does: list(lacks(at[1]), at[0])})
	}
	return all
}

// narrowed edits what the token for less is told of changes.
func narrowed(target engramsuite.Target, edit editing) meddle {
	return good("GET", atDiff, func(r *http.Request, v canon.Value) canon.Value {
		if by(target.Narrow)(r) {
			v = edit(v)
		}
		return v
	})
}
