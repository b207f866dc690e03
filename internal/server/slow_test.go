package server_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// crowd lets so many owners in, each with a memory of some megabytes.
func crowd(t *testing.T, h house, n int) (all []tenant) {
	t.Helper()
	for i := range n {
		o := tenant{name: fmt.Sprint("owner ", i), key: seeded(t, byte(40+i))}
		if _, err := h.vault.AddOwner(t.Context(), memory.Caller{Owner: h.owner, Role: memory.Owner}, vault.AccountOrder{Key: o.key, Label: o.name}); err != nil {
			t.Fatal(err)
		}
		o.person = o.token(t, ump.Claims{ID: "t1", Subject: string(o.key.DID()), Verbs: memory.Verbs()})
		for k := range 100 {
			d := memory.Draft{Record: memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: fmt.Sprintf("quince %d %s", k, strings.Repeat("x", 60000))}}}
			if _, err := h.vault.Remember(t.Context(), memory.Caller{Owner: o.key.DID(), Role: memory.Owner}, d); err != nil {
				t.Fatal(err)
			}
		}
		all = append(all, o)
	}
	return all
}

// trickle downloads an export, a few bytes at a time, until the test ends or the server ends
// it, and reports the end.
func trickle(t *testing.T, h house, o tenant) <-chan error {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, "GET", "http://"+h.address+"/ump/export", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+o.person)
	answer, err := slowReader(t).Do(r)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatal(answer, err)
	}
	ended := make(chan error, 1)
	go func() {
		defer answer.Body.Close()
		for err == nil {
			_, err = io.ReadFull(answer.Body, make([]byte, 2<<10))
			time.Sleep(100 * time.Millisecond)
		}
		ended <- err
	}()
	t.Cleanup(stop)
	return ended
}

// TestSlowReadersKeepNobodyOut: three owners read their exports slowly; a fourth has an
// export nevertheless. Of one owner nothing more is begun meanwhile, by whatever way.
func TestSlowReadersKeepNobodyOut(t *testing.T) {
	t.Parallel()
	h := buildAs(t, vault.Options{Producer: "home-test"}, server.Options{WriteTimeout: 3 * time.Second, Bundles: server.Bundles{Producer: "home-test", Folder: t.TempDir()}})
	all := crowd(t, h, 4)
	var slow []<-chan error
	for _, o := range all[:3] {
		slow = append(slow, trickle(t, h, o))
	}
	for _, path := range []string{"/ump/export", "/v1/brain/export"} {
		if got := h.do(t, "GET", path, "", bearing(all[0].person)); got.StatusCode != http.StatusTooManyRequests || got.Header.Get("Retry-After") == "" {
			t.Errorf("a second export of one owner from %s: %d", path, got.StatusCode)
		}
	}
	if got := h.do(t, "GET", "/ump/export", ""); got.StatusCode != http.StatusOK {
		t.Errorf("the server's owner: %d %s", got.StatusCode, got.body)
	}
	began := time.Now()
	if got := h.do(t, "GET", "/ump/export", "", bearing(all[3].person)); got.StatusCode != http.StatusOK || len(got.body) < 6_000_000 {
		t.Errorf("a fourth owner: %d, %d bytes %.200s", got.StatusCode, len(got.body), got.body)
	}
	t.Logf("the fourth has it after %v", time.Since(began))
	ended := 0
	for _, s := range slow {
		select {
		case err := <-s:
			if err == io.EOF {
				t.Error("an export that was cut off looks whole")
			}
			ended++
		default:
		}
	}
	if ended > 1 {
		t.Errorf("%d slow readers made room for one", ended)
	}
}
