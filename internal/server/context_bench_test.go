package server_test

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	"github.com/satchel-memory/satchel/memory"
)

// BenchmarkContextOverHTTP asks for the context of 1,000 beliefs, each of which was
// corrected by its owner and has a correction that a runtime proposed: of a store in
// which nothing changes, and after each change of one belief. "x-signing" is how many
// times as long that takes at the median as to canonicalise and sign the same document,
// which at most 3 should be.
func BenchmarkContextOverHTTP(b *testing.B) {
	h, ids := corrected(b, 1000)
	b.Run("unchanged", func(b *testing.B) { h.weigh(b, func(int) {}) })
	b.Run("changed", func(b *testing.B) {
		h.weigh(b, func(n int) {
			if _, err := belief.Of(h.vault).Correct(b.Context(), h.person(), ids[n%len(ids)], fmt.Sprintf("it is known since %d", n), ""); err != nil {
				b.Fatal(err)
			}
		})
	})
}

// weigh asks for the context after each change, and signs the document each time, too.
func (h house) weigh(b *testing.B, change func(n int)) {
	key := seeded(b, 7)
	tree, err := canon.Parse(h.fetch(b), canon.Options{Bytes: 64 << 20})
	if err != nil {
		b.Fatal(err)
	}
	var asked, signed []time.Duration
	for b.Loop() {
		b.StopTimer()
		change(len(asked))
		signed = append(signed, timed(func() { key.Sign(tree.AppendCanonical(nil)) }))
		b.StartTimer()
		asked = append(asked, timed(func() { h.fetch(b) }))
	}
	slices.Sort(asked)
	slices.Sort(signed)
	p50, signing := asked[len(asked)/2], signed[len(signed)/2]
	b.ReportMetric(float64(p50.Microseconds()), "p50-µs")
	b.ReportMetric(float64(signing.Microseconds()), "signing-µs")
	b.ReportMetric(float64(p50)/float64(signing), "x-signing")
}

func timed(do func()) time.Duration {
	begin := time.Now()
	do()
	return time.Since(begin)
}

// corrected is a house with n beliefs that have a history, as one finds it some time
// after they came in.
func corrected(b *testing.B, n int) (house, []string) {
	b.Helper()
	h := buildAs(b, vault.Options{}, server.Options{Contexts: issuing(b, server.Contexts{})})
	then, ids := time.Now().AddDate(0, -1, 0).Truncate(time.Second), make([]string, n)
	d := engram.Document{Version: engram.Version, IssuedAt: then, Scope: engram.Full,
		Issuer: engram.Issuer{Name: "Elsewhere", URL: "https://elsewhere.example"}, Subject: engram.Subject{ID: engram.IDFrom("subject")},
		Memory: engram.Memory{Identity: engram.Identity{DisplayName: "Ada", Timezone: "Asia/Singapore", LastUpdated: then}}}
	for i := range ids {
		ids[i] = engram.IDFrom("belief", strconv.Itoa(i))
		was, is := fmt.Sprintf("what was believed of number %d, in some words", i), fmt.Sprintf("what is known of number %d, in other words", i)
		d.Beliefs = append(d.Beliefs, engram.Belief{ID: ids[i], Category: engram.Categories()[i%10], Key: fmt.Sprintf("key_%d", i), Text: is,
			Confidence: 0.9, Source: engram.UserStated, Status: engram.Active, CreatedAt: then.AddDate(0, -1, 0), LastConfirmed: then, Tags: []string{"some"}})
		d.Evolution = append(d.Evolution, engram.Change{ID: engram.IDFrom("change", ids[i]), Belief: ids[i], Old: was, New: is,
			ChangedAt: then, Trigger: engram.UserCorrection, Context: "it came up"})
		d.Corrections = append(d.Corrections,
			engram.Correction{ID: engram.IDFrom("made", ids[i]), Belief: ids[i], By: engram.ByUser, CorrectedAt: then, Old: was, New: is, Method: engram.Explicit},
			engram.Correction{ID: engram.IDFrom("waits", ids[i]), Belief: ids[i], By: engram.ByRuntime, CorrectedAt: then, Old: is, New: "what a runtime thinks",
				Method: engram.Implicit, Status: engram.Pending, Runtime: "notes", ObservedAt: then})
	}
	done, err := belief.Of(h.vault).ImportContext(b.Context(), h.person(), d, false)
	if err != nil || done.Added != n {
		b.Fatalf("%+v, %v", done, err)
	}
	return h, ids
}

func (h house) person() memory.Caller { return memory.Caller{Owner: h.owner, Role: memory.Owner} }

// fetch asks for the context.
func (h house) fetch(b *testing.B) []byte {
	b.Helper()
	r, err := http.NewRequestWithContext(b.Context(), "GET", "http://"+h.address+"/v1/context", nil)
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	document, err := io.ReadAll(got.Body)
	if err = cmp.Or(err, got.Body.Close()); err != nil || got.StatusCode != http.StatusOK {
		b.Fatalf("%v, status %d: %s", err, got.StatusCode, document[:min(len(document), 200)])
	}
	return document
}
