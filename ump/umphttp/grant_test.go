package umphttp_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
	"github.com/satchel-memory/satchel/ump/umphttp"
	"github.com/satchel-memory/satchel/ump/umptest"
)

func TestExportByToken(t *testing.T) {
	var asked []memory.Caller
	v := filled(t)
	v.Before = func(_ context.Context, operation string, c memory.Caller) error {
		if operation == "export" {
			asked = append(asked, c)
		}
		return nil
	}
	server := serve(t, v, umphttp.Options{})
	for token, want := range map[string]int{"owner": 200, "agent": 200, "exporter": 200, "reader": 403} {
		t.Run("UMP-5.2-5 export with the token of "+token, func(t *testing.T) {
			asked = nil
			got := do(t, server, "GET", "/ump/export", "", "Authorization: Bearer "+token)
			if got.StatusCode != want {
				t.Fatalf("%d %s", got.StatusCode, got.body)
			}
			if want != 200 {
				if got.code(t) != memory.ForbiddenScope || len(asked) > 0 {
					t.Errorf("%s, the service is asked by %+v", got.body, asked)
				}
				return
			}
			r := httptest.NewRequest("GET", "/", nil)
			r.Header.Set("Authorization", "Bearer "+token)
			if c, err := who(r); err != nil || len(asked) != 1 || asked[0].Role != c.Role || (asked[0].Grant == nil) != (c.Grant == nil) {
				t.Errorf("exports for %+v", asked)
			}
		})
	}
	t.Run("UMP-5.2-9 an export ends with its token", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			caller := peer("short", memory.Grant{Verbs: []memory.Verb{memory.ExportVerb}, Expires: time.Now().Add(time.Second)})
			slow := many(t, 10)
			slow.Before = func(_ context.Context, operation string, _ memory.Caller) error {
				if operation == "export record" {
					time.Sleep(300 * time.Millisecond)
				}
				return nil
			}
			var reported error
			h := umphttp.New(exports{slow}, umphttp.Options{
				Authenticate: func(*http.Request) (memory.Caller, error) { return caller, nil },
				Report:       func(_ *http.Request, err error) { reported = err },
			})
			defer func() {
				if fault := recover(); fault != http.ErrAbortHandler || !errors.Is(reported, ump.ErrTokenExpired) {
					t.Errorf("%v, %v", fault, reported)
				}
			}()
			h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/ump/export?format=ndjson", nil))
		})
	})
}

// exports is a vault that exports to whoever asks.
type exports struct{ *umptest.Vault }

// Export exports as to the owner.
func (e exports) Export(ctx context.Context, _ memory.Caller, yield func(memory.Record) error) ([]codec.Loss, error) {
	return e.Vault.Export(ctx, memory.Caller{Owner: owner, Role: memory.Owner}, yield)
}
