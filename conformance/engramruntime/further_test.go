package engramruntime

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/engram"
)

// writer proposes corrections and asks for changes, and has at most one thing wrong.
type writer struct {
	without  string // a member of proposals that it leaves out
	twice    bool   // it sends proposals twice
	bare     bool   // it sends the token without Bearer
	trusting bool   // it looks at no status
	timeless bool   // it asks without since
	keeps    bool   // it keeps what is deleted
}

func (m writer) send(ctx context.Context, method, address string, c Call, body []byte) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if r.Header.Set("Authorization", "Bearer "+c.Token); m.bare {
		r.Header.Set("Authorization", c.Token)
	}
	said, status, err := runtime{}.send(r)
	if err == nil && status >= 300 && !m.trusting {
		err = errors.New("the store refuses")
	}
	return said, err
}

func (m writer) correct(ctx context.Context, c Call) (Said, error) {
	p := engram.Proposal{Belief: c.Belief, New: c.Value, Runtime: "test", ObservedAt: time.Now()}
	body := p.Wire().Without(m.without).Append(nil)
	if m.twice {
		_, _ = m.send(ctx, http.MethodPost, c.URL+correctPath, c, body)
	}
	_, err := m.send(ctx, http.MethodPost, c.URL+correctPath, c, body)
	return Said{Done: err == nil}, nil
}

func (m writer) sync(ctx context.Context, c Call) (Said, error) {
	had, err := m.send(ctx, http.MethodGet, c.URL+contextPath, c, nil)
	query := "?since=" + engram.FormatInstant(c.Since)
	if m.timeless {
		query = ""
	}
	said, refused := m.send(ctx, http.MethodGet, c.URL+diffPath+query, c, nil)
	if err = errors.Join(err, refused); err != nil && !m.bare { // the context is not had without Bearer
		return Said{}, nil
	}
	s := Said{Done: true, Out: string(said)}
	if m.keeps {
		s.Out += string(had)
	}
	return s, nil
}

// TestFurther tries what Writer and Full do besides.
func TestFurther(t *testing.T) {
	for _, test := range []struct {
		name string
		writer
		tier engram.Tier
	}{
		{"everything is right", writer{}, engram.FullTier},
		{"ENGRAM-6-3 proposes twice", writer{twice: true}, engram.ReaderTier},
		{"ENGRAM-6-3 names no belief", writer{without: "belief_id"}, engram.ReaderTier},
		{"ENGRAM-6-3 does not say what is right", writer{without: "new_value"}, engram.ReaderTier},
		{"ENGRAM-6-3 does not say who it is", writer{without: "runtime_id"}, engram.ReaderTier},
		{"ENGRAM-6-3 does not say when", writer{without: "timestamp"}, engram.ReaderTier},
		{"ENGRAM-6-3 ENGRAM-6-4 sends no Bearer", writer{bare: true}, engram.ReaderTier},
		{"ENGRAM-6-3 ENGRAM-6-4 looks at no status", writer{trusting: true}, engram.ReaderTier},
		{"ENGRAM-6-4 asks without since", writer{timeless: true}, engram.WriterTier},
		{"ENGRAM-3.9-DIFF-9 keeps what is deleted", writer{keeps: true}, engram.FullTier},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			target := target(runtime{})
			target.Correct, target.Sync, target.Only = test.correct, test.sync, []string{"ENGRAM-6", "ENGRAM-3.9-DIFF"}
			s, got := failing(t, target)
			want := rowShape.FindAllString(test.name, -1)
			if slices.Sort(want); !slices.Equal(got, want) || s.Tier != test.tier || s.Level != Full {
				t.Errorf("%s fail, tier %q, level %q: %+v", strings.Join(got, " "), s.Tier, s.Level, s.Failed)
			}
		})
	}
}
