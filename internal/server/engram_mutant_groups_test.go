package server_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"testing"
	"time"

	engramsuite "github.com/satchel-memory/satchel/conformance/engram"
	"github.com/satchel-memory/satchel/engram"
)

// engramRow finds the rows that a mutant names.
var engramRow = regexp.MustCompile(`ENGRAM-[0-9.]+(?:-[A-Z]+)?-[0-9]+`)

// engramMutant is a store, or an owner's hands, that break a rule. Its name begins with
// the rows that must notice.
type engramMutant struct {
	name  string
	does  meddle
	hands func(engramsuite.Hands) engramsuite.Hands // nil: as they are
	waits bool                                      // it makes the run wait
}

// engramGroups are all mutants, by what they are about. Each group has a store of its
// own, so that none holds much.
func engramGroups(t *testing.T) map[string]func(engramsuite.Target) []engramMutant {
	t.Helper()
	key, err := engram.IssuerKey(seeded(t, 7), 1)
	if err != nil {
		t.Fatal(err)
	}
	stranger := seeded(t, 8)
	return map[string]func(engramsuite.Target) []engramMutant{
		"members":   func(engramsuite.Target) []engramMutant { return engramMemberMutants() },
		"access":    engramAccessMutants,
		"errors":    func(engramsuite.Target) []engramMutant { return engramErrorMutants() },
		"keys":      func(engramsuite.Target) []engramMutant { return engramKeyMutants(key, stranger) },
		"discovery": func(engramsuite.Target) []engramMutant { return engramDiscoveryMutants() },
		"scopes":    func(engramsuite.Target) []engramMutant { return engramScopeMutants() },
		"parts":     func(engramsuite.Target) []engramMutant { return engramPartMutants() },
		"contexts":  func(engramsuite.Target) []engramMutant { return engramContextMutants() },
		"proposals": func(target engramsuite.Target) []engramMutant {
			return slices.Concat(engramProposalMutants(target), engramPendingMutants())
		},
		"decisions": func(engramsuite.Target) []engramMutant { return engramDecisionMutants() },
		"history":   func(engramsuite.Target) []engramMutant { return engramHistoryMutants() },
		"changes":   engramDiffMutants,
	}
}

// rows returns the rows that must notice.
func (m engramMutant) rows() []string {
	return slices.Sorted(slices.Values(engramRow.FindAllString(m.name, -1)))
}

// failing puts the rows that a mutant names to it, and returns those that fail.
func (m engramMutant) failing(t *testing.T, target engramsuite.Target, store http.Handler) []string {
	t.Helper()
	listening := httptest.NewServer(m.does(store))
	defer listening.Close()
	target.URL, target.Client, target.Only = listening.URL, listening.Client(), m.rows()
	if m.hands != nil {
		target.Hands = m.hands(target.Hands)
	}
	summary, err := engramsuite.Run(t.Context(), target, nil)
	if err != nil {
		t.Error(err)
	}
	var failed []string
	for _, r := range summary.Failed {
		failed = append(failed, r.ID)
	}
	return slices.Sorted(slices.Values(failed))
}

// lived is a store in which two beliefs were corrected, in two seconds, and its server's handler.
func lived(t *testing.T) (target engramsuite.Target, store http.Handler) {
	t.Helper()
	target = told(t, func(next http.Handler) http.Handler {
		store = next
		return next
	})
	for _, c := range []engram.Category{engram.Communication, engram.Values} {
		time.Sleep(time.Until(time.Now().Truncate(time.Second).Add(time.Second))) // contexts tell seconds, and an order needs two
		id, err := target.Hands.Believe(t.Context(), engram.Belief{Category: c, Key: "seat", Text: "by the window", Confidence: 0.7, Source: engram.UserStated, Status: engram.Active})
		if err == nil {
			err = target.Hands.Correct(t.Context(), id, "on the aisle")
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return target, store
}
