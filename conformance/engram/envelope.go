package engramsuite

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/conformance"
	"github.com/satchel-memory/satchel/engram"
)

// envelopeChecks judges by every context of the run.
func envelopeChecks() []check {
	return saw(
		"ENGRAM-3.1-1", "ENGRAM-3.1-2", "ENGRAM-3.1-3",
		"ENGRAM-3.2-1", "ENGRAM-3.2-2", "ENGRAM-3.2-3", "ENGRAM-3.2-4", "ENGRAM-3.2-5", "ENGRAM-3.2-7", "ENGRAM-3.2-8", "ENGRAM-3.2-10",
		"ENGRAM-3.2-12", "ENGRAM-3.2-13", "ENGRAM-3.2-14", "ENGRAM-3.2-15", "ENGRAM-3.2-16", "ENGRAM-3.2-18", "ENGRAM-3.2-19", "ENGRAM-3.2-20", "ENGRAM-3.2-21",
		"ENGRAM-3.2-22", "ENGRAM-3.2-24",
		"ENGRAM-3.3-1", "ENGRAM-3.3-2", "ENGRAM-3.3-3", "ENGRAM-3.3-4", "ENGRAM-3.3-5", "ENGRAM-3.3-6", "ENGRAM-3.3-7", "ENGRAM-3.3-8",
		"ENGRAM-3.4-1", "ENGRAM-3.4-4", "ENGRAM-3.4-5", "ENGRAM-3.4-6", "ENGRAM-3.4-7", "ENGRAM-3.4-9", "ENGRAM-3.4-11", "ENGRAM-3.4-12",
		"ENGRAM-3.4-18", "ENGRAM-3.4-19", "ENGRAM-3.4-20", "ENGRAM-3.4-28", "ENGRAM-3.4-33",
		"ENGRAM-3.5-1", "ENGRAM-3.5-2", "ENGRAM-3.5-3", "ENGRAM-3.5-4", "ENGRAM-3.5-5", "ENGRAM-3.5-6", "ENGRAM-3.5-7", "ENGRAM-3.5-8", "ENGRAM-3.5-10",
		"ENGRAM-3.6-1", "ENGRAM-3.6-2", "ENGRAM-3.6-3", "ENGRAM-3.6-4", "ENGRAM-3.6-5", "ENGRAM-3.6-6", "ENGRAM-3.6-7", "ENGRAM-3.6-9",
		"ENGRAM-3.7-1", "ENGRAM-3.7-2", "ENGRAM-3.7-3", "ENGRAM-3.7-4", "ENGRAM-3.7-5", "ENGRAM-3.7-7", "ENGRAM-3.7-8",
	)
}

// contextChecks covers the answer for the whole context.
func contextChecks() []check {
	return []check{
		{"ENGRAM-3.9-CTX-1", func(r *run) error {
			a := r.get("")
			d, err := a.document()
			if err == nil && (d.Scope != engram.Full || !strings.HasPrefix(a.Header.Get("Content-Type"), "application/json")) {
				err = fmt.Errorf("the context is of scope %s and of type %s", strconv.Quote(string(d.Scope)), a.Header.Get("Content-Type"))
			}
			return err
		}},
		{"ENGRAM-3.9-CTX-2", func(r *run) error {
			a := r.get("")
			for _, name := range []string{
				"engram_version", "schema", "issued_at", "expires_at", "kid", "issuer", "subject", "scope", "signature", "identity", "beliefs", "evolution", "corrections",
			} {
				if !a.Value.Has(name) {
					return fmt.Errorf("there is no %s", name)
				}
			}
			return a.Is(http.StatusOK)
		}},
		{"ENGRAM-3.9-CTX-3", func(r *run) error {
			return conformance.First(
				r.call(r.Token, http.MethodGet, contextPath, "", "Accept: application/json").Is(200),
				r.call(r.Token, http.MethodGet, contextPath, "", "Accept: */*").Is(200))
		}},
		{"ENGRAM-3.9-CTX-4", func(r *run) error {
			asked := r.Now()
			d, err := r.verified("")
			switch {
			case err != nil:
				return err
			case d.ExpiresAt.Sub(asked) < time.Minute:
				return errors.New("the context expires at once")
			case asked.Sub(d.IssuedAt) > 5*time.Minute: // clocks differ that much (decision E-09)
				return fmt.Errorf("the context was issued %s before it was asked for", asked.Sub(d.IssuedAt).Round(time.Second))
			}
			return nil
		}},
	}
}
