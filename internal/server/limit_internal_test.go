package server

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

func TestBuckets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBuckets(2, 3)
		take := func(payer string, want bool) time.Duration {
			t.Helper()
			wait, ok := b.take(payer)
			if ok != want {
				t.Fatalf("%s: %v after %v", payer, ok, time.Now())
			}
			return wait
		}
		for range 3 {
			take("a", true)
		}
		if wait := take("a", false); wait != 500*time.Millisecond {
			t.Errorf("wait %v", wait)
		}
		take("b", true) // another's allowance
		time.Sleep(499 * time.Millisecond)
		take("a", false)
		time.Sleep(time.Millisecond)
		take("a", true)
		take("a", false)
		time.Sleep(time.Hour) // saves no more than the burst
		for range 3 {
			take("a", true)
		}
		take("a", false)
	})
}

func TestManyPayers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBuckets(1, 1)
		for i := range maxBuckets + 5 {
			b.take(fmt.Sprint(i))
		}
		if len(b.by) > maxBuckets+1 {
			t.Errorf("%d buckets", len(b.by))
		}
		if _, ok := b.take("newcomer"); ok {
			t.Error("newcomers beyond the most do not share a bucket")
		}
		time.Sleep(2 * time.Second)
		if _, ok := b.take("newcomer"); !ok || len(b.by) != 1 {
			t.Errorf("%v, %d buckets after all are full again", ok, len(b.by))
		}
	})
}
