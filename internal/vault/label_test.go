package vault_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

// TestLabels takes labels that name an owner clearly, and refuses all others.
func TestLabels(t *testing.T) { onEach(t, testLabels) }

func testLabels(t *testing.T, open opener) {
	h := open.shared(t)
	for name, label := range map[string]string{
		"two lines": "a\nb", "an escape": "a\x1b[2J", "a turn of direction": "ana\u202ebob", "a joiner": "an\u200da",
		"a line separator": "a\u2028b", "a paragraph separator": "a\u2029b", "not UTF-8": "an\xff", "101 bytes": strings.Repeat("x", 101),
		"a space before": " ana", "a space after": "ana ", "a hyphen": "-y", "a DID": "did:key:z6Mk", "a DID in capitals": "DID:key:z6Mk",
		"the operator's": "operator", "the operator's in capitals": "Operator", "a tab": "a\tb", "DEL": "a\x7f", "C1": "a\u0085b",
	} {
		if _, err := h.AddOwner(h.Ctx, h.Me(), vault.AccountOrder{Key: vaulttest.Seeded(t, 40), Label: label}); memory.KindOf(err) != memory.InvalidRecord {
			t.Errorf("%s: %v", name, err)
		}
	}
	for i, label := range []string{"", "", strings.Repeat("x", 100), "Ana María", "安娜", "a-b", "operators"} {
		if _, err := h.AddOwner(h.Ctx, h.Me(), vault.AccountOrder{Key: vaulttest.Seeded(t, byte(50+i)), Label: label}); err != nil {
			t.Errorf("%q: %v", label, err)
		}
	}
}

// TestLabelOfTwo gives one label to several owners at once, from several servers:
// never do two of them have it.
func TestLabelOfTwo(t *testing.T) { onEach(t, testLabelOfTwo) }

func testLabelOfTwo(t *testing.T, open opener) {
	h := open.shared(t)
	var group sync.WaitGroup
	start := make(chan struct{})
	refused := make([]error, 4)
	for i := range refused {
		s, order := h.server(), vault.AccountOrder{Key: vaulttest.Seeded(t, byte(60+i)), Label: "ada"}
		group.Go(func() {
			<-start
			_, refused[i] = s.AddOwner(h.Ctx, s.Me(), order)
		})
	}
	close(start)
	group.Wait()
	in := 0
	for i, err := range refused {
		info := h.Usage(vaulttest.Seeded(t, byte(60+i)).DID())
		switch {
		case err == nil && info.Label == "ada":
			in++
		case err == nil || !errors.Is(err, store.ErrExists) || info.Label != "" || !info.Added.IsZero():
			t.Errorf("owner %d ends with %v: %+v", i, err, info)
		}
	}
	if in > 1 {
		t.Errorf("%d owners have one label", in)
	}
	if _, err := h.AddOwner(h.Ctx, h.Me(), vault.AccountOrder{Key: vaulttest.Seeded(t, 70), Label: "ada"}); (err == nil) != (in == 0) {
		t.Errorf("after %d of the label, another ends with %v", in, err)
	}
}
