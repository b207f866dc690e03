package server_test

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/satchel-memory/satchel/canon"
	engramsuite "github.com/satchel-memory/satchel/conformance/engram"
	"github.com/satchel-memory/satchel/engram"
)

// tireless are hands that decide again on what is decided.
type tireless struct{ engramsuite.Hands }

// Decide decides, or says that it did.
func (h tireless) Decide(ctx context.Context, correction string, confirm bool) error {
	_ = h.Hands.Decide(ctx, correction, confirm)
	return nil
}

// engramProposalMutants break rules of proposals, and of the answers to them.
func engramProposalMutants(target engramsuite.Target) []engramMutant {
	isObject := func(v canon.Value) bool { return v.Type() == canon.TypeObject }
	empty := func(name, text string) func(canon.Value) bool {
		return func(v canon.Value) bool { return v.Has(name) && v.Get(name).Text() == text }
	}
	all := []engramMutant{
		{name: "ENGRAM-3.9-CORR-4 a proposal for a null", does: accepting(proposed(func(v canon.Value) bool { return v.Get("belief_id").Type() == canon.TypeNull }))},
		{name: "ENGRAM-3.9-CORR-4 a proposal for what is nowhere", does: accepting(proposed(func(v canon.Value) bool { return engram.IsID(v.Get("belief_id").Text()) }))},
		{name: "ENGRAM-3.9-CORR-5 a value that is empty", does: accepting(proposed(empty("new_value", "")))},
		{name: "ENGRAM-3.9-CORR-5 a value that is a number", does: accepting(proposed(func(v canon.Value) bool { return v.Get("new_value").Type() == canon.TypeNumber }))},
		{name: "ENGRAM-3.9-CORR-6 a proposal needs an occasion", does: answers(atCorrect, func(asked canon.Value, _ *http.Request, got *reply) {
			if got.status == 201 && !asked.Has("context") {
				*got = *refusal(400, engram.InvalidRequest)
			}
		})},
		{name: "ENGRAM-3.9-CORR-7 a runtime without a name", does: accepting(proposed(empty("runtime_id", "")))},
		{name: "ENGRAM-3.9-CORR-8 observed at some time", does: accepting(proposed(empty("timestamp", "now")))},
		{name: "ENGRAM-3.9-CORR-10 the answer is 200", does: answers(atCorrect, func(_ canon.Value, _ *http.Request, got *reply) {
			if got.status == 201 {
				got.status = 200
			}
		})},
		{name: "ENGRAM-3.9-CORR-10 the answer says that it is done", does: proposing(has("status", "confirmed"))},
		{name: "ENGRAM-3.9-CORR-10 the answer says nothing", does: proposing(lacks("message"))},
		{name: "ENGRAM-3.9-CORR-10 the correction has no name", does: proposing(lacks("correction_id"))},
		{name: "ENGRAM-3.9-CORR-10 the correction has a number", does: proposing(has("correction_id", "42"))},
		{name: "ENGRAM-3.9-CORR-10 the answer is about another belief", does: proposing(has("belief_id", "11111111-1111-4111-8111-111111111111"))},
		{name: "ENGRAM-3.9-CORR-11 ENGRAM-3.9-CORR-17 a list is taken", does: accepting(proposed(func(v canon.Value) bool { return v.Type() == canon.TypeArray }))},
		{name: "ENGRAM-3.9-CORR-11 a text is taken", does: accepting(proposed(func(v canon.Value) bool { return v.Type() == canon.TypeString }))},
		{name: "ENGRAM-3.9-CORR-11 ENGRAM-3.9-ERR-8 what is no JSON is taken", does: accepting(proposed(func(v canon.Value) bool { return v.Type() == canon.TypeUndefined }))},
		{name: "ENGRAM-3.9-CORR-11 any content type is taken", does: accepting(func(r *http.Request, _ canon.Value) bool { return r.Header.Get("Content-Type") == "text/plain" })},
		{name: "ENGRAM-3.9-CORR-17 ENGRAM-12.4-2 several corrections are taken", does: accepting(proposed(func(v canon.Value) bool { return v.Has("corrections") }))},
		{name: "ENGRAM-3.9-CORR-15 what is deleted is corrected", does: accepting(proposed(isObject))},
		{name: "ENGRAM-3.9-CORR-15 what is deleted is a conflict", does: recoded(engram.BeliefNotFound, 409, engram.InvalidRequest)},
		{name: "ENGRAM-3.9-CORR-16 what is not shown is corrected", does: asIf(target.Token, to("POST", atCorrect))},
	}
	for row, name := range map[string]string{"4": "belief_id", "5": "new_value", "7": "runtime_id", "8": "timestamp"} {
		all = append(all, engramMutant{name: "ENGRAM-3.9-CORR-" + row + " a proposal without " + name, does: accepting(proposed(missing(name)))})
	}
	return all
}

// waits holds for corrections that nobody has decided.
var waits = is("status", "pending_user_confirmation")

// engramPendingMutants break rules of what contexts tell of proposals that wait.
func engramPendingMutants() []engramMutant {
	return []engramMutant{
		{name: "ENGRAM-3.9-CORR-1 ENGRAM-3.9-CORR-20 proposals are not in the context", does: correcting(where(waits, drop))},
		{name: "ENGRAM-3.9-CORR-1 a proposal is the user's", does: correcting(where(waits, has("corrected_by", "user")))},
		{name: "ENGRAM-3.9-CORR-2 a proposal is told as fact", does: applying(waits, func(b, c canon.Value) canon.Value { return b.With("value", c.Get("new_value")) })},
		{name: "ENGRAM-3.9-CORR-2 a proposal makes a belief uncertain", does: applying(waits, func(b, _ canon.Value) canon.Value { return sets("confidence", "0.1")(b) })},
		{name: "ENGRAM-3.9-CORR-2 a proposal confirms a belief", does: applying(waits, func(b, _ canon.Value) canon.Value { return has("last_confirmed", "2026-02-03T04:05:06Z")(b) })},
		{name: "ENGRAM-3.9-CORR-2 a proposal is history", does: tellsOf(func(v canon.Value) canon.Value {
			list := slices.Clone(v.Get("evolution").Items())
			for _, c := range v.Get("corrections").Items() {
				if waits(c) {
					list = append(list, c.With("changed_at", c.Get("corrected_at")).With("trigger", canon.String("user_correction")))
				}
			}
			return v.With("evolution", canon.Array(list...))
		})},
		{name: "ENGRAM-3.9-CORR-20 a proposal is explicit", does: correcting(where(waits, has("method", "explicit")))},
		{name: "ENGRAM-3.9-CORR-20 a proposal has no status", does: correcting(where(waits, lacks("status")))},
		{name: "ENGRAM-3.9-CORR-20 a proposal is of nobody", does: correcting(where(waits, lacks("runtime_id")))},
		{name: "ENGRAM-3.9-CORR-20 a proposal replaces nothing", does: correcting(where(waits, has("old_value", "nothing")))},
	}
}

// applying edits the beliefs that have a correction of which that holds.
func applying(holds func(canon.Value) bool, edit func(b, c canon.Value) canon.Value) meddle {
	return tellsOf(func(v canon.Value) canon.Value {
		return listing(func(b canon.Value) canon.Value {
			for _, c := range v.Get("corrections").Items() {
				if holds(c) && c.Get("belief_id").Text() == b.Get("id").Text() {
					b = edit(b, c)
				}
			}
			return b
		})(v)
	})
}

// engramDecisionMutants break rules of what a decision of the owner leaves behind.
func engramDecisionMutants() []engramMutant {
	accepted := begins("value", "Proposed by conformance")
	decision := begins("new_value", "Proposed by conformance")
	byUser := both(decision, is("corrected_by", "user"))
	var turn atomic.Int64
	return []engramMutant{
		{name: "ENGRAM-3.9-CORR-3 ENGRAM-3.9-CORR-22 what is confirmed is not applied", does: beliefs(where(accepted, has("value", "as it was")))},
		{name: "ENGRAM-3.9-CORR-12 what is confirmed is not corrected", does: beliefs(where(accepted, has("source", "user_stated")))},
		{name: "ENGRAM-3.9-CORR-12 what is confirmed was never confirmed", does: beliefs(where(accepted, lacks("last_confirmed")))},
		{name: "ENGRAM-3.9-CORR-12 what is confirmed is less certain", does: beliefs(where(accepted, sets("confidence", "0.5")))},
		{name: "ENGRAM-3.9-CORR-12 ENGRAM-3.9-CORR-18 what is confirmed has no history", does: evolution(where(decision, drop))},
		{name: "ENGRAM-3.9-CORR-12 the change has no occasion", does: evolution(where(decision, lacks("context")))},
		{name: "ENGRAM-3.9-CORR-12 the change was natural", does: evolution(where(decision, has("trigger", "natural_update")))},
		{name: "ENGRAM-3.9-CORR-12 the user did not approve", does: correcting(where(byUser, drop))},
		{name: "ENGRAM-3.9-CORR-12 the user is told to have said it", does: correcting(where(byUser, has("method", "explicit")))},
		{name: "ENGRAM-3.9-CORR-12 the proposal becomes the user's", does: correcting(where(both(decision, is("status", "confirmed")), has("corrected_by", "user")))},
		{name: "ENGRAM-3.9-CORR-12 the proposal is gone", does: correcting(where(both(decision, is("status", "confirmed")), drop))},
		{name: "ENGRAM-3.9-CORR-12 the proposal still waits", does: correcting(where(is("status", "confirmed"), has("status", "pending_user_confirmation")))},
		{name: "ENGRAM-3.9-CORR-13 what is rejected is gone", does: correcting(where(is("status", "rejected"), drop))},
		{name: "ENGRAM-3.9-CORR-13 what is rejected still waits", does: correcting(where(is("status", "rejected"), has("status", "pending_user_confirmation")))},
		{name: "ENGRAM-3.9-CORR-13 what is rejected is applied", does: applying(is("status", "rejected"), func(b, c canon.Value) canon.Value { return b.With("value", c.Get("new_value")) })},
		{name: "ENGRAM-3.9-CORR-13 to reject confirms what there is", does: applying(is("status", "rejected"), func(b, _ canon.Value) canon.Value { return has("last_confirmed", "2026-02-03T04:05:06Z")(b) })},
		{name: "ENGRAM-3.9-CORR-14 a correction is decided twice", does: unchanged, hands: func(h engramsuite.Hands) engramsuite.Hands { return tireless{h} }},
		{name: "ENGRAM-3.9-CORR-14 a second decision is history", does: tellsOf(within(func(list canon.Value) canon.Value {
			items := slices.Clone(list.Items())
			for i := range turn.Add(1) {
				for _, c := range slices.DeleteFunc(slices.Clone(list.Items()), func(c canon.Value) bool { return !decision(c) }) {
					items = append(items, has("id", engram.IDFrom(c.Get("id").Text(), strconv.FormatInt(i, 10)))(c))
				}
			}
			return canon.Array(items...)
		}, "evolution"))},
		{name: "ENGRAM-3.9-CORR-18 the change replaces what was proposed against", does: evolution(where(decision, has("old_value", "as it was")))},
		{name: "ENGRAM-3.9-CORR-22 what was archived stays away", does: beliefs(where(accepted, has("status", "archived")))},
	}
}

func unchanged(next http.Handler) http.Handler { return next }

// engramHistoryMutants break rules of what the owner's acts leave behind.
func engramHistoryMutants() []engramMutant {
	own := begins("value", "corrected by")
	act := begins("new_value", "corrected by")
	earlier := begins("new_value", "once corrected by")
	later := func(v canon.Value, edit editing) canon.Value {
		if strings.Contains(string(v.Get("beliefs").Append(nil)), `"corrected by`) {
			v = edit(v)
		}
		return v
	}
	return []engramMutant{
		{name: "ENGRAM-3.4-2 what is corrected has another id", does: beliefs(where(own, func(v canon.Value) canon.Value { return has("id", engram.IDFrom(v.Get("id").Text()))(v) }))},
		{name: "ENGRAM-3.4-2 what is corrected has its old value", does: beliefs(where(own, has("value", "as it was")))},
		{name: "ENGRAM-3.5-9 ENGRAM-3.6-11 a correction leaves no change", does: evolution(where(act, drop))},
		{name: "ENGRAM-3.5-9 a change rewrites those before it", does: tellsOf(func(v canon.Value) canon.Value {
			return later(v, within(each(where(earlier, has("note", "rewritten"))), "evolution"))
		})},
		{name: "ENGRAM-3.6-10 a correction takes the place of the one before", does: tellsOf(func(v canon.Value) canon.Value {
			return later(v, within(each(where(earlier, drop)), "corrections"))
		})},
		{name: "ENGRAM-3.6-10 a correction rewrites the one before", does: tellsOf(func(v canon.Value) canon.Value {
			return later(v, within(each(where(earlier, has("note", "rewritten"))), "corrections"))
		})},
		{name: "ENGRAM-3.6-11 correction and change are of two times", does: evolution(where(act, has("changed_at", "2026-02-03T04:05:06Z")))},
		{name: "ENGRAM-3.6-11 the change is by nobody", does: evolution(where(act, has("trigger", "natural_update")))},
		{name: "ENGRAM-3.6-11 there is no correction", does: correcting(where(act, drop))},
		{name: "ENGRAM-3.6-12 what is corrected was stated", does: beliefs(where(own, has("source", "user_stated")))},
		{name: "ENGRAM-3.6-12 what is corrected is not confirmed", does: beliefs(where(own, lacks("last_confirmed")))},
		{name: "ENGRAM-3.4-13 ENGRAM-3.9-CTX-6 there are no tombstones", does: beliefs(where(is("status", "deleted"), drop))},
		{name: "ENGRAM-3.4-13 ENGRAM-3.9-CTX-6 what is deleted is archived", does: beliefs(where(is("status", "deleted"), has("status", "archived")))},
		{name: "ENGRAM-3.4-15 a tombstone has a value", does: beliefs(where(is("status", "deleted"), has("value", "what was here")))},
		{name: "ENGRAM-3.4-15 what is deleted has a history", does: tellsOf(func(v canon.Value) canon.Value {
			list := slices.Clone(v.Get("evolution").Items())
			for _, b := range v.Get("beliefs").Items() {
				if is("status", "deleted")(b) {
					list = append(list, has("id", engram.IDFrom("change", b.Get("id").Text()))(list[0]).With("belief_id", b.Get("id")))
				}
			}
			return v.With("evolution", canon.Array(list...))
		})},
		{name: "ENGRAM-3.4-17 ENGRAM-3.9-CTX-6 what is archived is left out", does: beliefs(where(is("status", "archived"), drop))},
		{name: "ENGRAM-3.4-17 ENGRAM-3.9-CTX-6 what is archived is emptied", does: beliefs(where(is("status", "archived"), has("value", "")))},
		{name: "ENGRAM-3.4-21 ENGRAM-3.9-CTX-6 what is stale is left out", does: beliefs(where(isStale, drop))},
		{name: "ENGRAM-3.4-21 ENGRAM-3.9-CTX-6 what is stale is less certain", does: beliefs(where(isStale, sets("confidence", "0.63")))},
		{name: "ENGRAM-3.9-CTX-7 ENGRAM-3.4-21 everything is certain", does: beliefs(sets("confidence", "1"))},
	}
}

func isStale(v canon.Value) bool { return v.Has("stale_after_days") }
