package bundle_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	bundles "github.com/satchel-memory/satchel/internal/vault/bundle"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
)

// TestImportIsAlive has an import wait longer than its lease, and others look
// whether it is at work still.
func TestImportIsAlive(t *testing.T) {
	racing.Skip(t)
	h := open(t)
	var late atomic.Int64
	now := func() time.Time { return vaulttest.Start().Add(time.Duration(late.Load())) }
	v := vault.New(vault.Options{Beliefs: belief.Open, Store: h.Store, Now: now, Key: h.Holds, Signed: true, Tokens: true, Owner: h.Key.DID(), Producer: "satchel-test", Batch: vaulttest.Batch})
	var b vaulttest.Bundle
	for i := range 4 * vaulttest.Batch {
		b.Chunks = append(b.Chunks, vaulttest.Chunk(fmt.Sprint(i), fmt.Sprintf("fact %d", i)))
	}
	leaseOf := func() (lease time.Time) {
		imports, err := v.Imports(h.Ctx, h.Me())
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range imports {
			if i.State == store.Staging {
				lease = i.Lease
			}
		}
		return lease
	}
	waited := false
	report, err := bundles.New(v).ImportBrain(h.Ctx, h.Me(), b.Open(t), aimem.Import{Progress: func(int) {
		lease := leaseOf()
		if waited || lease.IsZero() {
			return
		}
		waited = true
		late.Add(int64(10 * time.Second))
		for end := time.Now().Add(time.Minute); leaseOf().Equal(lease) && time.Now().Before(end); {
			time.Sleep(50 * time.Millisecond)
		}
		late.Add(int64(10 * time.Second)) // the first lease is over by now
		if n, err := v.Tidy(h.Ctx, h.Key.DID()); n != 0 || err != nil {
			t.Errorf("%d imports were taken for dead, %v", n, err)
		}
	}})
	if err != nil || !waited || report.Inserted != 4*vaulttest.Batch {
		t.Errorf("%v, waited: %v, %d inserted", err, waited, report.Inserted)
	}
}
