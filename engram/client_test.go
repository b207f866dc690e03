package engram_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/engram"
)

func TestClientFetch(t *testing.T) {
	ctx := t.Context()
	t.Run("ENGRAM-5-1 ENGRAM-5-9 ENGRAM-3.8-10 one request for the context, with the token, and one for the keys, without", func(t *testing.T) {
		s, c, _ := openShop(t, nil)
		h, err := c.Fetch(ctx)
		if err != nil || h.Trust != engram.Verified || h.Kid != "key-2026-05" {
			t.Fatalf("%+v, %v", h, err)
		}
		asked := slices.Clone(s.asked)
		if got := s.requests(); !slices.Equal(got, []string{"GET /.well-known/engram", "GET /v1/context", "GET /.well-known/engram-keys"}) {
			t.Errorf("asked for %q", got)
		}
		if asked[0].Token != "" || asked[1].Token != "tk" || asked[2].Token != "" {
			t.Error("the token goes to where it is not needed, or not to where it is")
		}
		p, err := c.Prompt(engram.PromptOptions{Base: "Be kind."})
		if err != nil || !strings.HasPrefix(p.System, "Be kind.\n\nUser: Noor\n") || !strings.Contains(p.Text, "- radio_style: short words\n") {
			t.Errorf("%q, %v", p.System, err)
		}
	})
	t.Run("ENGRAM-3.4-14 what is deleted is not kept", func(t *testing.T) {
		s, c, _ := openShop(t, nil)
		h, err := c.Fetch(ctx)
		if err != nil || slices.ContainsFunc(h.Document.Beliefs, func(b engram.Belief) bool { return b.ID == gone }) || len(h.Document.Beliefs) != 2 {
			t.Fatalf("%+v, %v", h.Document.Beliefs, err)
		}
		v := view(t)
		v.Beliefs[0].Status = engram.Deleted // and still says all that it said
		raw, err := signer(t).Issue(v, noon(t))
		if err != nil {
			t.Fatal(err)
		}
		s.say("GET /v1/context", string(raw))
		if h, err = c.Fetch(ctx); err != nil || len(h.Document.Beliefs) != 1 || len(h.Document.Evolution)+len(h.Document.Corrections) != 0 {
			t.Errorf("%+v, %v", h.Document.Memory, err)
		}
		if p, err := c.Prompt(engram.PromptOptions{}); err != nil || strings.Contains(p.Text, "short words") {
			t.Errorf("%q, %v", p.Text, err)
		}
	})
	t.Run("ENGRAM-5-2 what the store refuses is an error, and nothing is there", func(t *testing.T) {
		for status, body := range map[int]string{401: `{"error":{"code":"unauthorized","message":"who\nare you","status":401}}`, 500: "oh"} {
			s, c, _ := openShop(t, nil)
			s.says["GET /v1/context"] = engram.Response{Status: status, Body: []byte(body)}
			_, err := c.Fetch(ctx)
			refused, ok := errors.AsType[*engram.StatusError](err)
			if !ok || refused.Status != status || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v", err)
			}
			if fault, ok := errors.AsType[*engram.Fault](err); ok != (status == 401) || ok && fault.Code != engram.Unauthorized {
				t.Errorf("%v", err)
			}
			if _, err := c.Prompt(engram.PromptOptions{}); !errors.Is(err, engram.ErrNoContext) {
				t.Errorf("%v", err)
			}
		}
	})
	t.Run("ENGRAM-5-3 what has expired says so", func(t *testing.T) {
		_, c, now := openShop(t, nil)
		if _, err := c.Fetch(ctx); err != nil {
			t.Fatal(err)
		}
		*now = now.Add(12 * time.Hour)
		_, err := c.Prompt(engram.PromptOptions{})
		_, again := c.Fetch(ctx)
		for _, err := range []error{err, again} {
			if err == nil || !strings.Contains(err.Error(), "Engram export has expired — fetch a fresh one") {
				t.Errorf("%v", err)
			}
		}
	})
	t.Run("ENGRAM-3.10-4 another version is refused with exactly this", func(t *testing.T) {
		s, c, _ := openShop(t, nil)
		s.say("GET /v1/context", string(change(t, "/engram_version", `"2.3"`)))
		_, err := c.Fetch(ctx)
		fault, ok := errors.AsType[*engram.Fault](err)
		const want = `{"error":{"code":"unsupported_version","message":"Supported versions: 0.x","status":400}}`
		if !ok || !bytes.Equal(fault.Wire().Append(nil), []byte(want)) {
			t.Errorf("%v", err)
		}
	})
}

func TestClientTrust(t *testing.T) {
	ctx := t.Context()
	t.Run("ENGRAM-3.8-14 what is refused is thrown away, and said in one line", func(t *testing.T) {
		var said [][]any
		s, c, _ := openShop(t, func(o *engram.ClientOptions) {
			o.Log = func(message string, args ...any) { said = append(said, append([]any{message}, args...)) }
		})
		if _, err := c.Fetch(ctx); err != nil {
			t.Fatal(err)
		}
		s.say("GET /v1/context", string(edited(t, tree(t, string(issued(t))), "/beliefs/0/value", `"long words"`).Append(nil)))
		_, err := c.Fetch(ctx)
		if r, ok := errors.AsType[*engram.Refusal](err); !ok || r.Reason != engram.BadSignature {
			t.Errorf("%v", err)
		}
		if _, ok := c.Snapshot(); ok || len(said) != 1 || !slices.Contains(said[0], any("bad signature")) {
			t.Errorf("said %v", said)
		}
	})
	t.Run("ENGRAM-3.8-26 an issuer that was not called is refused, and not asked for keys", func(t *testing.T) {
		s, c, _ := openShop(t, nil)
		other := signer(t)
		other.URL = "https://evil.example"
		raw, err := other.Issue(view(t), noon(t))
		if err != nil {
			t.Fatal(err)
		}
		s.say("GET /v1/context", string(raw))
		_, err = c.Fetch(ctx)
		if r, ok := errors.AsType[*engram.Refusal](err); !ok || r.Reason != engram.IssuerMismatch || len(s.asked) != 2 {
			t.Errorf("%v, %q", err, s.requests())
		}
	})
	t.Run("ENGRAM-3.8-25 keys are asked for anew once, and are believed for a while", func(t *testing.T) {
		s, c, now := openShop(t, nil)
		for range 2 {
			if _, err := c.Fetch(ctx); err != nil {
				t.Fatal(err)
			}
		}
		if n := strings.Count(strings.Join(s.requests(), "\n"), "engram-keys"); n != 1 {
			t.Errorf("asked %d times for what is known", n)
		}
		rotated := signer(t)
		rotated.Kid, rotated.Key = "key-2026-05-2", otherKey(t)
		raw, err := rotated.Issue(view(t), noon(t))
		if err != nil {
			t.Fatal(err)
		}
		s.say("GET /v1/context", string(raw))
		_, err = c.Fetch(ctx)
		if r, ok := errors.AsType[*engram.Refusal](err); !ok || r.Reason != engram.UnknownKid || strings.Count(strings.Join(s.requests(), "\n"), "engram-keys") != 1 {
			t.Errorf("%v", err)
		}
		s.say("GET /.well-known/engram-keys", string(engram.EncodeKeys([]engram.Key{engram.NewKey("key-2026-05-2", otherKey(t).Public(), at(t, "2026-05-01T00:00:00Z"))})))
		if _, err := c.Fetch(ctx); err != nil {
			t.Errorf("after it is listed: %v", err)
		}
		s.requests()
		*now = now.Add(time.Hour)
		if _, err := c.Fetch(ctx); err != nil || !slices.Contains(s.requests(), "GET /.well-known/engram-keys") {
			t.Errorf("old keys are believed: %v", err)
		}
	})
	t.Run("ENGRAM-3.8-10 keys that cannot be had are no reason to throw away what is there", func(t *testing.T) {
		s, c, now := openShop(t, nil)
		if _, err := c.Fetch(ctx); err != nil {
			t.Fatal(err)
		}
		*now = now.Add(time.Hour)
		s.says["GET /.well-known/engram-keys"] = engram.Response{Status: 503}
		if _, err := c.Fetch(ctx); err == nil {
			t.Error("it is taken")
		}
		if _, ok := c.Snapshot(); !ok {
			t.Error("it is gone")
		}
	})
	t.Run("ENGRAM-3.7-22 what was issued to another runtime is refused", func(t *testing.T) {
		s, c, _ := openShop(t, func(o *engram.ClientOptions) { o.Audience = "urn:rt:a" })
		v := view(t)
		v.Scope, v.Definition = engram.Minimal, &engram.Definition{Included: []engram.Category{engram.Communication}, IssuedTo: "urn:rt:b"}
		raw, err := signer(t).Issue(v, noon(t))
		if err != nil {
			t.Fatal(err)
		}
		s.say("GET /v1/context", string(raw))
		_, err = c.Fetch(ctx)
		if r, ok := errors.AsType[*engram.Refusal](err); !ok || r.Reason != engram.WrongAudience {
			t.Errorf("%v", err)
		}
	})
	t.Run("ENGRAM-12.6-3 unsigned contexts are taken where that is said, and nowhere else", func(t *testing.T) {
		s, c, _ := openShop(t, nil)
		s.say("GET /v1/context", string(change(t, "/signature", `"unsigned-v1"`)))
		if _, err := c.Fetch(ctx); err == nil {
			t.Error("it is taken")
		}
		s, c, _ = openShop(t, func(o *engram.ClientOptions) { o.AllowUnsigned = true })
		s.say("GET /v1/context", string(change(t, "/signature", `"unsigned-v1"`)))
		if h, err := c.Fetch(ctx); err != nil || h.Trust != engram.Unverified {
			t.Errorf("%+v, %v", h, err)
		}
	})
	t.Run("ENGRAM-3.8-26 what is no address of a store", func(t *testing.T) {
		s, _, now := openShop(t, nil)
		for _, base := range []string{"", "harbour.example", "http://harbour.example", "https://u:p@harbour.example", "https://harbour.example?x"} {
			if _, err := engram.NewClient(engram.ClientOptions{Base: base, Transport: s, Now: func() time.Time { return *now }}); err == nil {
				t.Errorf("%s is one", base)
			}
		}
	})
}
