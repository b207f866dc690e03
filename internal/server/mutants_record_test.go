package server_test

import (
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/satchel-memory/satchel/canon"
)

// recordMutants break rules of records as they are served, and as they come back.
func recordMutants() []mutant {
	return []mutant{
		{"UMP-2.2-2 the owner is a name", records(merged(`{"scope":{"owner":"somebody"}}`))},
		{"UMP-2.8-6 the order of members counts", returned(func(v canon.Value) bool { return v.Members()[0].Name == "integrity" })},
		{"UMP-3.1-8 to ask for capabilities makes records more salient", salientAfterAsking()},
		{"UMP-4.3-3 UMP-6.3-2 a record loses its project", records(without("scope", "project"))},
		{"UMP-6.1-5 a null is left out", records(func(v canon.Value) canon.Value {
			if v.Get("time").Get("valid_to").Type() == canon.TypeNull {
				v = without("time", "valid_to")(v)
			}
			return v
		})},
		{"UMP-6.2-1 a server of level 1 makes long ids", capable(`{"conformance":"L1"}`)},
		{"UMP-6.3-1 UMP-6.3-3 UMP-4.3-3 a text has a line more", records(func(v canon.Value) canon.Value {
			return v.With("body", v.Get("body").With("text", canon.String(v.Get("body").Get("text").Text()+"\nAnd so on.")))
		})},
		{"UMP-6.3-2 UMP-6.3-3 a record loses its relations", records(without("relations"))},
		{"UMP-6.3-3 a text has lines of one system", records(func(v canon.Value) canon.Value {
			text := strings.ReplaceAll(v.Get("body").Get("text").Text(), "\r\n", "\n")
			return v.With("body", v.Get("body").With("text", canon.String(text)))
		})},
		{"UMP-6.3-3 UMP-6.3-5 a record that comes back is refused", returned(func(canon.Value) bool { return true })},
		{"UMP-6.3-4 a session of digits is a number", records(func(v canon.Value) canon.Value {
			if v.Get("scope").Get("session").Text() == "123" {
				v = v.With("scope", v.Get("scope").With("session", canon.Int(123)))
			}
			return v
		})},
		{"UMP-6.3-5 what is served is not what was signed", records(merged(`{"lifecycle":{"salience":0.25}}`))},
		{"UMP-6.3-5 a record that comes back is another", answers("/ump/remember", func(asked canon.Value, _ *http.Request, got *reply) {
			if got.ok() && asked.Get("record").Has("integrity") {
				got.set(merged(`{"id":"urn:ump:abc"}`)(got.json()))
			}
		})},
		{"UMP-7-3 UMP-7-4 UMP-7-5 UMP-4.2-1 level 1 is not reached: recall answers 203", statused("/ump/recall", 203)},
		{"UMP-7-4 UMP-7-5 UMP-4.2-4 level 2 is not reached: revise answers 203", statused("/ump/revise", 203)},
		{"UMP-7-5 UMP-6.1-4 level 3 is not reached: the signer is another", records(merged(`{"integrity":{"signer":"did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK"}}`))},
		{"UMP-7-1 the export has less than get", document(func(all []canon.Value) []canon.Value {
			for i := range all {
				all[i] = all[i].Without("provenance")
			}
			return all
		})},
	}
}

// statused gives the successes of a route another status.
func statused(path string, status int) meddle {
	return answers(path, func(_ canon.Value, _ *http.Request, got *reply) {
		if got.ok() {
			got.status = status
		}
	})
}

// returned refuses signed records of which that holds.
func returned(holds func(canon.Value) bool) meddle {
	return answers("/ump/remember", func(asked canon.Value, _ *http.Request, got *reply) {
		if v := asked.Get("record"); v.Has("integrity") && holds(v) {
			got.status, got.body = http.StatusBadRequest, []byte(`{"error":{"code":"signature_invalid","message":"the signature is not of the record"}}`)
		}
	})
}

// salientAfterAsking makes records more salient the more often capabilities was asked.
func salientAfterAsking() meddle {
	var times atomic.Int64
	return func(next http.Handler) http.Handler {
		counted := header("/ump/capabilities", func(*http.Request) { times.Add(1) })(next)
		return records(func(v canon.Value) canon.Value {
			return v.With("lifecycle", v.Get("lifecycle").With("salience", canon.Number(float64(times.Load())/100)))
		})(counted)
	}
}
