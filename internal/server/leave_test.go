package server_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/visit"
	"github.com/satchel-memory/satchel/memory"
)

// TestErasedMeanwhile holds answers up after their first bytes, erases everything, in
// the same process or by way of another store, and lets them go on: nothing of the
// owner's arrives.
func TestErasedMeanwhile(t *testing.T) {
	racing.Skip(t)
	t.Parallel()
	p := placeOf(t)
	here := buildIn(t, p, vault.Options{}, server.Options{})
	here.running = startOn(t, smallBuffers{listen(t)}, here.owner, server.Options{Backend: server.Over(here.vault), Rate: 1000, Burst: 1000})
	there := buildIn(t, p, vault.Options{}, server.Options{})
	me := memory.Caller{Owner: here.owner, Role: memory.Owner}
	slow := slowReader(t)
	for n, eraser := range []house{here, there, here} {
		for i := range 20 {
			d := memory.Draft{Record: memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: fmt.Sprintf("quince %d %d %s", n, i, strings.Repeat("x", 60000))}}}
			if _, err := here.vault.Remember(t.Context(), me, d); err != nil {
				t.Fatal(err)
			}
		}
		r, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+here.address+"/ump/export", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		answer, err := slow.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := eraser.vault.EraseOwner(t.Context(), me); err != nil {
			t.Fatal(err)
		}
		t.Run(fmt.Sprintf("AIMEM-5.2-4 an export that was held up is cut, %d", n), func(t *testing.T) {
			body, err := io.ReadAll(answer.Body)
			if err == nil {
				t.Errorf("the answer came to its end, with %d bytes", len(body))
			}
		})
		_ = answer.Body.Close()
		t.Run(fmt.Sprintf("the next request is answered, %d", n), func(t *testing.T) {
			if got := here.do(t, "GET", "/ump/export", ""); got.StatusCode != http.StatusOK || strings.TrimSpace(string(got.body)) != "[]" {
				t.Errorf("%v: %.100s", got.Status, got.body)
			}
		})
	}
}

// TestPagesErasedMeanwhile: a page of an owner who is not the server's own is cut, too.
func TestPagesErasedMeanwhile(t *testing.T) {
	racing.Skip(t)
	t.Parallel()
	h := paged(t)
	ada := memory.Caller{Owner: settle(t, h)[1].key.DID(), Role: memory.Owner}
	for i := range 100 {
		d := memory.Draft{Record: memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: fmt.Sprintf("quince %d %s", i, strings.Repeat("x", 60000))}}}
		if _, err := h.vault.Remember(t.Context(), ada, d); err != nil {
			t.Fatal(err)
		}
	}
	e, err := visit.New(h.vault).Invite(t.Context(), ada, visit.ForInvitation)
	if err != nil {
		t.Fatal(err)
	}
	in := h.look(t, "POST", "/me/enter", "secret="+url.QueryEscape(e.Secret)).Cookies()[0]
	cookie := in.Name + "=" + in.Value
	r, err := http.NewRequestWithContext(t.Context(), "POST", "http://"+h.address+"/me/export", strings.NewReader("format=ump&token="+h.formTokenOf(t, "Cookie: "+cookie)))
	if err != nil {
		t.Fatal(err)
	}
	r.Host = pageHost + h.address[strings.Index(h.address, ":"):]
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Cookie", cookie)
	answer, err := slowReader(t).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Fatal(answer.Status)
	}
	if _, err := h.vault.EraseOwner(t.Context(), ada); err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(answer.Body); err == nil {
		t.Errorf("the answer came to its end, with %d bytes", len(body))
	}
}

// slowReader is a client whose connections hold 64 kB that it has not read, so that most of
// a long answer waits at the server.
func slowReader(t *testing.T) *http.Client {
	transport := &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return c, c.(*net.TCPConn).SetReadBuffer(64 << 10)
	}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}
