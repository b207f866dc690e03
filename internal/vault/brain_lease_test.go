package vault_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	bundles "github.com/satchel-memory/satchel/internal/vault/bundle"
)

// TestImportIsAlive has an import wait longer than its lease, and others look
// whether it is at work still.
func TestImportIsAlive(t *testing.T) {
	racing.Skip(t)
	h := open(t)
	var late atomic.Int64
	now := func() time.Time { return start.Add(time.Duration(late.Load())) }
	v := vault.New(vault.Options{Store: h.store, Now: now, Key: h.holds, Signed: true, Tokens: true, Owner: h.key.DID(), Producer: "satchel-test"})
	var b bundle
	for i := range 800 {
		b.chunks = append(b.chunks, chunk(fmt.Sprint(i), fmt.Sprintf("fact %d", i)))
	}
	leaseOf := func() (lease time.Time) {
		imports, err := v.Imports(h.ctx, h.owner())
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
	report, err := bundles.New(v).ImportBrain(h.ctx, h.owner(), b.open(t), aimem.Import{Progress: func(int) {
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
		if n, err := v.Tidy(h.ctx, h.key.DID()); n != 0 || err != nil {
			t.Errorf("%d imports were taken for dead, %v", n, err)
		}
	}})
	if err != nil || !waited || report.Inserted != 800 {
		t.Errorf("%v, waited: %v, %d inserted", err, waited, report.Inserted)
	}
}
