package umptest_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
	"github.com/satchel-memory/satchel/ump/umptest"
)

const owner = memory.DID("did:key:z6MkvDqGT54cXesYGvABpF1UapVNwjCqRcafi4Px6Thv5T3Z")

var (
	person = memory.Caller{Owner: owner, Role: memory.Owner}
	agent  = memory.Caller{Owner: owner, Role: memory.Agent, Agent: "planner"}
)

// peer holds a token for a project.
func peer(project string, verbs ...memory.Verb) memory.Caller {
	return memory.Caller{Owner: owner, Role: memory.Peer, Session: "token:t", Grant: &memory.Grant{ID: "t", Verbs: verbs, Scope: memory.Scope{Project: project}}}
}

// remember stores a text and returns its id.
func remember(t *testing.T, v *umptest.Vault, c memory.Caller, text, project string, seen memory.Visibility) memory.ID {
	t.Helper()
	done, err := v.Remember(t.Context(), c, draft(text, project, seen))
	if err != nil {
		t.Fatal(err)
	}
	return done.ID
}

func draft(text, project string, seen memory.Visibility) memory.Draft {
	return memory.Draft{Record: memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: text}, Scope: memory.Scope{Owner: owner, Project: project, Visibility: seen}}}
}

func kind(t *testing.T, what string, err error, want memory.ErrorKind) {
	t.Helper()
	if got := memory.KindOf(err); got != want {
		t.Errorf("%s: %q (%v), want %q", what, got, err, want)
	}
}

func TestGrant(t *testing.T) {
	v := umptest.New()
	v.Level = "L3"
	shared := remember(t, v, person, "the gate is green", "garden", memory.Shared)
	private := remember(t, v, person, "the gate is secret", "garden", memory.Private)
	elsewhere := remember(t, v, person, "the gate is far", "house", memory.Shared)
	get := func(c memory.Caller, id memory.ID) error { _, err := v.Get(t.Context(), c, id, ""); return err }
	forget := func(c memory.Caller, id memory.ID, hard bool) error {
		_, err := v.Forget(t.Context(), c, memory.ForgetRequest{ID: id, Hard: hard})
		return err
	}
	t.Run("a peer reads what is shared within the token's scope", func(t *testing.T) {
		reader := peer("garden", memory.ReadVerb)
		hits, err := v.Recall(t.Context(), reader, memory.Query{Text: "gate"})
		if err != nil || len(hits) != 1 || hits[0].Record.ID != shared {
			t.Errorf("%v, %v", hits, err)
		}
		_, err = v.Recall(t.Context(), reader, memory.Query{Text: "gate", Scope: memory.Scope{Project: "house"}})
		kind(t, "another project", err, memory.ForbiddenScope)
		kind(t, "shared", get(reader, shared), "")
		kind(t, "private", get(reader, private), memory.NotFound)
		kind(t, "elsewhere", get(reader, elsewhere), memory.ForbiddenScope)
		reader.Grant.Scope.Visibility = memory.Private
		kind(t, "private, as granted", get(reader, private), "")
	})
	t.Run("a verb that is not granted is forbidden", func(t *testing.T) {
		reader, writer := peer("garden", memory.ReadVerb), peer("garden", memory.WriteVerb)
		_, err := v.Remember(t.Context(), reader, draft("new", "garden", ""))
		kind(t, "remember", err, memory.ForbiddenScope)
		_, err = v.Recall(t.Context(), writer, memory.Query{Text: "gate"})
		kind(t, "recall", err, memory.ForbiddenScope)
		kind(t, "get", get(writer, shared), memory.ForbiddenScope)
		kind(t, "forget", forget(reader, shared, false), memory.ForbiddenScope)
		kind(t, "feedback", v.Feedback(t.Context(), reader, shared, "followed", ""), memory.ForbiddenScope)
		_, err = v.Export(t.Context(), reader, nil)
		kind(t, "export", err, memory.ForbiddenScope)
		_, err = v.Rehydrate(t.Context(), writer, memory.Query{Text: "gate"})
		kind(t, "rehydrate", err, memory.ForbiddenScope)
		_, err = v.Head(t.Context(), writer)
		kind(t, "head", err, memory.ForbiddenScope)
		_, _, err = v.Changes(t.Context(), writer, memory.Subscription{})
		kind(t, "changes", err, memory.ForbiddenScope)
	})
	t.Run("a peer writes within the scope, and reads it again", func(t *testing.T) {
		both := peer("garden", memory.ReadVerb, memory.WriteVerb)
		done, err := v.Remember(t.Context(), both, draft("the hedge is high", "", ""))
		kind(t, "remember", err, "")
		kind(t, "get", get(both, done.ID), "")
		_, err = v.Remember(t.Context(), both, draft("x", "house", ""))
		kind(t, "another project", err, memory.ForbiddenScope)
		_, err = v.Remember(t.Context(), both, draft("x", "garden", memory.Public))
		kind(t, "public", err, memory.ForbiddenScope)
		_, err = v.Revise(t.Context(), both, memory.Revision{ID: done.ID, Patch: []byte(`{"scope":{"visibility":"shared"}}`)})
		kind(t, "widen", err, memory.ForbiddenScope)
		next, err := v.Revise(t.Context(), both, memory.Revision{ID: done.ID, Patch: []byte(`{"body":{"text":"the hedge is low"}}`)})
		kind(t, "revise", err, "")
		kind(t, "forget", forget(both, next.ID, false), "")
		kind(t, "erase", forget(both, next.ID, true), memory.ForbiddenScope)
	})
	t.Run("deriving is a verb of its own", func(t *testing.T) {
		derived := draft("green is a colour", "garden", "")
		derived.Record.Relations = []memory.Relation{{Type: memory.DerivedFrom, Target: string(shared)}}
		_, err := v.Remember(t.Context(), peer("garden", memory.WriteVerb), derived)
		kind(t, "without it", err, memory.ForbiddenScope)
		_, err = v.Remember(t.Context(), peer("garden", memory.WriteVerb, memory.DeriveVerb), derived)
		kind(t, "with it", err, "")
	})
	t.Run("exporting is a verb of its own", func(t *testing.T) {
		var got []memory.ID
		_, err := v.Export(t.Context(), peer("garden", memory.ExportVerb), func(r memory.Record) error { got = append(got, r.ID); return nil })
		if kind(t, "export", err, ""); !slices.Contains(got, shared) || slices.Contains(got, private) || slices.Contains(got, elsewhere) {
			t.Errorf("exported %v", got)
		}
	})
	t.Run("a stranger reads what is public", func(t *testing.T) {
		public := remember(t, v, person, "the gate is known", "", memory.Public)
		kind(t, "public", get(memory.Caller{}, public), "")
		kind(t, "shared", get(memory.Caller{}, shared), memory.NotFound)
		_, err := v.Remember(t.Context(), memory.Caller{}, memory.Draft{})
		kind(t, "remember", err, memory.ForbiddenScope)
	})
}

func TestFeedback(t *testing.T) {
	v := umptest.New()
	id := remember(t, v, agent, "the gate is green", "", "")
	kind(t, "at level 2", v.Feedback(t.Context(), agent, id, "followed", ""), memory.Unsupported)
	v.Level = "L3"
	kind(t, "at level 3", v.Feedback(t.Context(), agent, id, "followed", ""), "")
	kind(t, "once more", v.Feedback(t.Context(), peer("", memory.DeriveVerb), id, "ignored", ""), memory.NotFound)
	kind(t, "of nothing", v.Feedback(t.Context(), agent, "urn:ump:nothing", "followed", ""), memory.NotFound)
	if got := v.Lessons(id); !slices.Equal(got, []string{"followed"}) {
		t.Errorf("it learnt %v", got)
	}
}

// told are the events of a subscription, in words.
func told(t *testing.T, v *umptest.Vault, c memory.Caller, s memory.Subscription) ([]string, int64) {
	t.Helper()
	events, next, err := v.Changes(t.Context(), c, s)
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, e := range events {
		words = append(words, fmt.Sprint(e.Sequence, " ", e.Type, " ", e.Record != nil))
	}
	return words, next
}

func TestChanges(t *testing.T) {
	v := umptest.New()
	v.Level = "L3"
	a := remember(t, v, agent, "the gate is green", "garden", memory.Shared)
	remember(t, v, agent, "the gate is green", "garden", memory.Shared)
	next, err := v.Revise(t.Context(), agent, memory.Revision{ID: a, Patch: []byte(`{"body":{"text":"the gate is white"}}`)})
	kind(t, "revise", err, "")
	for _, hard := range []bool{false, true} {
		_, err = v.Forget(t.Context(), person, memory.ForgetRequest{ID: next.ID, Hard: hard})
		kind(t, "forget", err, "")
	}
	remember(t, v, agent, "the door is brown", "house", memory.Private)
	all := []string{"1 created true", "2 merged true", "3 revised false", "4 tombstoned false", "5 erased false", "6 created true"}
	for name, row := range map[string]struct {
		caller memory.Caller
		query  memory.Subscription
		want   []string
		next   int64
	}{
		"everything":               {agent, memory.Subscription{}, all, 6},
		"from where it was":        {agent, memory.Subscription{After: 4}, all[4:], 6},
		"a few at once":            {agent, memory.Subscription{After: 1, Max: 2}, all[1:3], 3},
		"nothing new":              {agent, memory.Subscription{After: 6}, nil, 6},
		"a project":                {agent, memory.Subscription{Project: "house"}, all[5:], 6},
		"another agent":            {agent, memory.Subscription{Agent: "x"}, nil, 6},
		"a peer's part":            {peer("garden", memory.ReadVerb), memory.Subscription{}, all[:5], 6},
		"a peer, nothing to see":   {peer("house", memory.ReadVerb), memory.Subscription{After: 3}, nil, 6},
		"another owner's":          {memory.Caller{Owner: "o", Role: memory.Owner}, memory.Subscription{}, nil, 0},
		"a stranger, nothing open": {memory.Caller{Owner: owner}, memory.Subscription{}, nil, 6},
	} {
		if got, next := told(t, v, row.caller, row.query); !slices.Equal(got, row.want) || next != row.next {
			t.Errorf("%s: %q, %d; want %q, %d", name, got, next, row.want, row.next)
		}
	}
	if head, err := v.Head(t.Context(), agent); head != 6 || err != nil {
		t.Errorf("head is %d, %v", head, err)
	}
	v.Level = ""
	_, err = v.Head(t.Context(), agent)
	kind(t, "head at level 2", err, memory.Unsupported)
}

func TestAwait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := umptest.New()
		v.Level = "L3"
		done := make(chan error, 1)
		go func() { done <- v.Await(t.Context(), agent, 0) }()
		synctest.Wait()
		v.Remember(t.Context(), memory.Caller{Owner: "o", Role: memory.Owner}, memory.Draft{Record: memory.Record{Body: memory.Body{Text: "x"}, Scope: memory.Scope{Owner: "o"}}})
		synctest.Wait()
		if len(done) > 0 {
			t.Fatal("another owner's event wakes")
		}
		remember(t, v, agent, "the gate is green", "", "")
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := v.Await(ctx, agent, 2); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("with nothing new it returns %v", err)
		}
	})
}

func TestLevel(t *testing.T) {
	v := umptest.New()
	for set, want := range map[string]string{"": "L2", "L1": "L1", "L3": "L3"} {
		v.Level = set
		if got, err := v.Capabilities(t.Context(), agent); err != nil || got.Conformance != want {
			t.Errorf("level %q is offered as %q, %v", set, got.Conformance, err)
		}
	}
}

func TestBefore(t *testing.T) {
	v := umptest.New()
	v.Level = "L3"
	refused := errors.New("refused")
	var asked []string
	v.Before = func(_ context.Context, operation string, _ memory.Caller) error {
		asked = append(asked, operation)
		return refused
	}
	_, head := v.Head(t.Context(), agent)
	_, _, changes := v.Changes(t.Context(), agent, memory.Subscription{})
	_, frame := v.Rehydrate(t.Context(), agent, memory.Query{})
	for i, err := range []error{head, changes, frame, v.Await(t.Context(), agent, 0), v.Feedback(t.Context(), agent, "", "", "")} {
		if err != refused {
			t.Errorf("operation %d returns %v", i, err)
		}
	}
	if got := strings.Join(asked, " "); got != "head changes rehydrate await feedback" {
		t.Errorf("asked about %s", got)
	}
}

var _ ump.Backend = (*umptest.Vault)(nil)
