package embed

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/internal/embed/embedtest"
	"github.com/satchel-memory/satchel/internal/modelhttp"
)

func clientOf(t *testing.T, s *embedtest.Server, key string, dim int) *Client {
	t.Helper()
	c, err := NewClient(s.URL, "table", key, dim)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestEmbed(t *testing.T) {
	s := embedtest.New(t)
	s.Keyed()
	c := clientOf(t, s, embedtest.Key, 0)
	got, err := c.Embed(t.Context(), []string{"My poodle", "any dog?", "purchased a volvo"})
	if err != nil {
		t.Fatal(err)
	}
	near, far := cosine(got[0], got[1]), cosine(got[0], got[2])
	if near < .6 || far > .5 || cosine(got[2], got[2]) < .9999 {
		t.Errorf("poodle and dog %.3f, poodle and car %.3f", near, far)
	}
	if _, err := c.Embed(t.Context(), make([]string, MostTexts+1)); err == nil {
		t.Error("embedded too many texts at once")
	}
	if _, err := c.Embed(t.Context(), nil); err == nil {
		t.Error("embedded nothing")
	}
}

func TestEmbedCuts(t *testing.T) {
	s := embedtest.New(t)
	if _, err := clientOf(t, s, "", 0).Embed(t.Context(), []string{"a" + strings.Repeat("ä", 5000)}); err != nil {
		t.Fatal(err)
	}
	if sent := s.Texts()[0]; len(sent) != 1999 || !utf8.ValidString(sent) {
		t.Errorf("sent %d bytes, valid: %v", len(sent), utf8.ValidString(sent))
	}
}

func TestEmbedFaults(t *testing.T) {
	for fault, want := range map[embedtest.Fault]error{
		embedtest.Shorter: ErrDimension, embedtest.Garbage: errAnswer, embedtest.Truncated: errAnswer,
		embedtest.Fewer: errAnswer, embedtest.Zero: errAnswer, embedtest.Huge: modelhttp.ErrTooLarge,
		embedtest.Silent: context.DeadlineExceeded,
	} {
		t.Run(string(fault), func(t *testing.T) {
			s := embedtest.New(t)
			s.Misbehave(fault)
			patience := time.Minute
			if fault == embedtest.Silent {
				patience = 20 * time.Millisecond
			}
			ctx, stop := context.WithTimeout(t.Context(), patience)
			defer stop()
			if _, err := clientOf(t, s, "", embedtest.Dim).Embed(ctx, []string{"one", "two"}); !errors.Is(err, want) {
				t.Errorf("failed with %v, want %v", err, want)
			}
		})
	}
	for fault, status := range map[embedtest.Fault]int{embedtest.Broken: 500, embedtest.Refusing: 401, embedtest.Elsewhere: 307} {
		t.Run(string(fault), func(t *testing.T) {
			s := embedtest.New(t)
			s.Misbehave(fault)
			_, err := clientOf(t, s, "sesame", 0).Embed(t.Context(), []string{"one"})
			refusal, ok := errors.AsType[*modelhttp.Refusal](err)
			if !ok || refusal.Status != status || strings.Contains(err.Error(), "sesame") || IsRefused(err) {
				t.Errorf("failed with %v, want status %d", err, status)
			}
		})
	}
	t.Run("too long", func(t *testing.T) {
		s := embedtest.New(t)
		s.Limit(3)
		if _, err := clientOf(t, s, "", 0).Embed(t.Context(), []string{"longer"}); !IsRefused(err) {
			t.Errorf("failed with %v", err)
		}
	})
}

func TestBackground(t *testing.T) {
	s := embedtest.New(t)
	v, err := clientOf(t, s, "", 0).Embed(t.Context(), []string{"stars shine", "bread rises", "rivers flow", "locks open"})
	if err != nil {
		t.Fatal(err)
	}
	if b := Background(v); b < .1 || b > .6 {
		t.Errorf("background %.3f", b)
	}
	if Background(v[:1]) != 0 {
		t.Error("one text has a background")
	}
}
