package meaning_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/embed/embedtest"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/vault/meaning"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

// TestFindsByMeaning asks for what is remembered in other words. Both stores answer alike,
// to the last digit.
func TestFindsByMeaning(t *testing.T) {
	answers := map[string]string{}
	vaulttest.OnEach(t, func(t *testing.T, how vaulttest.Opener) {
		h := open(t, how)
		h.tellFacts()
		for question := range facts() {
			h.finds(h.Me(), question, "")
		}
		if n := h.server.Calls(); n != 0 {
			t.Fatalf("the server was asked %d times before anybody chose it", n)
		}
		h.use(meaning.Settings{})
		for question, want := range facts() {
			h.finds(h.Me(), question, want)
			h.finds(h.Agent(), question, want)
			hits, err := h.Recall(h.Ctx, h.Me(), memory.Query{Text: question})
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, hit := range hits {
				got += fmt.Sprintln(hit.Record.ID, hit.Score, hit.Signals)
			}
			if other := answers[question]; other != "" && other != got {
				t.Errorf("%s: the stores differ:\n%s%s", question, got, other)
			}
			answers[question] = got
		}
		h.finds(h.Me(), "zeppelin", "")
		late := h.Tell("The cardiologist calls")
		h.finds(h.Me(), "Anything medical?", "")
		if r := h.catchUp(); r != (meaning.Report{Embedded: 1}) {
			t.Errorf("caught up with %+v", r)
		}
		h.finds(h.Me(), "Anything medical?", "The cardiologist calls")
		if _, err := h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: late, Hard: true, Reason: "user_revoked"}); err != nil {
			t.Fatal(err)
		}
		h.finds(h.Me(), "Anything medical?", "")
		if r := h.catchUp(); r != (meaning.Report{}) {
			t.Errorf("caught up with %+v after an erasure", r)
		}
	})
}

// TestWordsAlone: whatever the server does, recall answers by words, and says so.
func TestWordsAlone(t *testing.T) {
	racing.Skip(t)
	h := open(t, vaulttest.Open)
	h.tellFacts()
	h.use(meaning.Settings{})
	for _, fault := range []embedtest.Fault{
		embedtest.Broken, embedtest.Refusing, embedtest.Shorter, embedtest.Garbage,
		embedtest.Truncated, embedtest.Huge, embedtest.Elsewhere, embedtest.Fewer, embedtest.Zero,
	} {
		h.server.Misbehave(fault)
		texts, notice := h.ask(h.Me(), "When is cello practice?")
		if len(texts) == 0 || texts[0] != "Cello practice on Mondays" || !strings.HasSuffix(notice, "found by words alone") || strings.Contains(notice, embedtest.Key) {
			t.Errorf("%s: found %q; notice %q", fault, texts, notice)
		}
		asked := h.server.Calls()
		h.server.Misbehave("")
		if _, notice = h.ask(h.Me(), "Which animal lives with us?"); notice == "" || h.server.Calls() != asked {
			t.Errorf("%s: the server was asked again at once; notice %q", fault, notice)
		}
		if frame, err := h.Rehydrate(h.Ctx, h.Me(), memory.Query{Text: "cello"}); err != nil || len(frame.Warnings) != 1 {
			t.Errorf("%s: the frame warns of %v, %v", fault, frame.Warnings, err)
		}
		h.Pass(time.Minute)
		h.finds(h.Me(), "Which animal lives with us?", "A poodle named Rex")
	}
}

// TestDeadline: a server that never answers delays nobody for long.
func TestDeadline(t *testing.T) {
	h := open(t, vaulttest.Open)
	h.tellFacts()
	h.use(meaning.Settings{})
	h.meaning = h.Means(meaning.Options{Dial: dial})
	h.server.Misbehave(embedtest.Silent)
	ctx, stop := context.WithTimeout(h.Ctx, time.Minute)
	defer stop()
	hits, warnings, err := h.RecallNoting(ctx, h.Me(), memory.Query{Text: "When is cello practice?"})
	if err != nil || len(hits) == 0 || len(warnings) != 1 || warnings[0].Message != "the server of embed did not answer in time; found by words alone" {
		t.Errorf("found %v; warnings %v; %v", hits, warnings, err)
	}
}

// TestSent: only what the owner lets go reaches the server.
func TestSent(t *testing.T) {
	vaulttest.OnEach(t, func(t *testing.T, how vaulttest.Opener) {
		h := open(t, how)
		h.Tell("plain hound")
		h.Tell("kept hound", `"consent":{"exportable":false}`)
		h.Tell("redacted hound", `"consent":{"redact":["body.structured.token"]}`)
		h.Tell("fleeting hound", `"consent":{"retention":"P30D"}`)
		h.Tell("my password is [SECRET-REDACTED] hound")
		gone := h.Tell("forgotten hound")
		if _, err := h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: gone, Reason: "outdated"}); err != nil {
			t.Fatal(err)
		}
		h.use(meaning.Settings{})
		sent := func(text string) bool { return strings.Contains(strings.Join(h.server.Texts(), "\n"), text) }
		for text, want := range map[string]bool{"plain": true, "kept": false, "redacted": false, "fleeting": false, "SECRET": false, "forgotten": false} {
			if sent(text) != want {
				t.Errorf("%s: sent is %v", text, !want)
			}
		}
		if r, err := h.meaning.Backfill(h.Ctx, h.Me(), func(meaning.Report) {}); err != nil || r != (meaning.Report{Before: 1, Withheld: 4}) {
			t.Errorf("backfill: %+v, %v", r, err)
		}
		h.use(meaning.Settings{All: true})
		for text, want := range map[string]bool{"kept": true, "redacted": true, "fleeting": true, "SECRET": true, "forgotten": false} {
			if sent(text) != want {
				t.Errorf("with all, %s: sent is %v", text, !want)
			}
		}
		h.ask(h.Me(), "what opens with ghp_0123456789abcdefghijABCDEFGHIJ456789")
		if sent("ghp_0123456789") {
			t.Error("a secret in a question was sent")
		}
		calls := h.server.Calls()
		h.ask(memory.Caller{Owner: h.Key.DID()}, "plain animal")
		if h.server.Calls() != calls {
			t.Error("a stranger's question was sent")
		}
		if err := h.meaning.Off(h.Ctx, h.Me(), false); err != nil {
			t.Fatal(err)
		}
		calls = h.server.Calls()
		h.finds(h.Me(), "Which animal?", "")
		if h.catchUp(); h.server.Calls() != calls || vectorsOf(h) != 0 {
			t.Errorf("after off the server was asked, or %d vectors are left", vectorsOf(h))
		}
		if err := h.meaning.Off(h.Ctx, h.Me(), false); memory.KindOf(err) != memory.NotFound {
			t.Errorf("off a second time: %v", err)
		}
	})
}

// TestApart: a peer finds by meaning what is shared, and learns nothing of the rest.
func TestApart(t *testing.T) {
	vaulttest.OnEach(t, func(t *testing.T, how vaulttest.Opener) {
		h := open(t, how)
		h.Tell("A trout in the pond", `"scope":{"visibility":"shared"}`)
		h.use(meaning.Settings{All: true})
		peer := h.Peer()
		answer := func() string {
			hits, err := h.Recall(h.Ctx, peer, memory.Query{Text: "any animal and fish"})
			if err != nil {
				t.Fatal(err)
			}
			out := ""
			for _, hit := range hits {
				out += fmt.Sprintln(hit.Record.Body.Text, hit.Score, hit.Signals, hit.Why)
			}
			return out
		}
		alone := answer()
		if !strings.Contains(alone, "trout") {
			t.Fatalf("found %q", alone)
		}
		for i := range 40 {
			h.Tell(fmt.Sprintf("fish animal number%d", i))
		}
		h.Tell("animal fish", `"scope":{"visibility":"shared"}`, `"consent":{"redact":["body.text"]}`)
		h.catchUp()
		if got := answer(); got != alone {
			t.Errorf("with hidden memories: %swithout: %s", got, alone)
		}
		h.server.Misbehave(embedtest.Broken)
		if _, notice := h.ask(peer, "any animal"); notice != "" {
			t.Errorf("a peer is told %q", notice)
		}
	})
}

// TestOwners: an owner's vectors answer nobody else, and nothing of an owner without a
// server is sent.
func TestOwners(t *testing.T) {
	vaulttest.OnEach(t, func(t *testing.T, how vaulttest.Opener) {
		h := open(t, how)
		other := vaulttest.Seeded(t, 9)
		h.More = append(h.More, other)
		h.Tell("A poodle named Rex")
		h.use(meaning.Settings{})
		them := memory.Caller{Owner: other.DID(), Role: memory.Owner}
		if _, err := h.Call("remember", them, `{"record":{"body":{"text":"Meeting about hounds"}}}`); err != nil {
			t.Fatal(err)
		}
		calls := h.server.Calls()
		if texts, _ := h.ask(them, "Which animal?"); len(texts) != 0 || h.server.Calls() != calls {
			t.Errorf("found %q, and the server was asked: %v", texts, h.server.Calls() != calls)
		}
		if _, err := h.meaning.CatchUp(h.Ctx, other.DID()); err != nil || h.server.Calls() != calls {
			t.Errorf("an owner without a server: %v", err)
		}
		if _, err := h.meaning.Use(h.Ctx, them, meaning.Settings{URL: h.server.URL, Model: "table"}); err != nil {
			t.Fatal(err)
		}
		if _, err := h.meaning.CatchUp(h.Ctx, other.DID()); err != nil {
			t.Fatal(err)
		}
		if texts, _ := h.ask(them, "Is there a dog?"); len(texts) != 0 && texts[0] != "Meeting about hounds" {
			t.Errorf("found %q", texts)
		}
		h.finds(h.Me(), "Which animal?", "A poodle named Rex")
	})
}

// TestMay: only the owner in person turns the search on and off.
func TestMay(t *testing.T) {
	h := open(t, vaulttest.Open)
	s := meaning.Settings{URL: h.server.URL, Model: "table"}
	for _, c := range []memory.Caller{h.Agent(), h.Peer(), {Owner: h.Key.DID()}} {
		if _, err := h.meaning.Use(h.Ctx, c, s); memory.KindOf(err) != memory.ForbiddenScope {
			t.Errorf("use: %v", err)
		}
		if err := h.meaning.Off(h.Ctx, c, true); memory.KindOf(err) != memory.ForbiddenScope {
			t.Errorf("off: %v", err)
		}
		if _, err := h.meaning.Backfill(h.Ctx, c, func(meaning.Report) {}); memory.KindOf(err) != memory.ForbiddenScope {
			t.Errorf("backfill: %v", err)
		}
	}
	if _, err := h.meaning.Use(h.Ctx, h.Me(), meaning.Settings{URL: h.server.URL}); memory.KindOf(err) != memory.InvalidRecord {
		t.Errorf("no model: %v", err)
	}
	h.server.Misbehave(embedtest.Broken)
	if _, err := h.meaning.Use(h.Ctx, h.Me(), s); err == nil {
		t.Error("used a broken server")
	}
	if _, on, err := h.meaning.Status(h.Ctx, h.Me()); on || err != nil {
		t.Errorf("it is on: %v, %v", on, err)
	}
}

// TestKept: off can keep the vectors, and the same model finds them again.
func TestKept(t *testing.T) {
	h := open(t, vaulttest.Open)
	h.tellFacts()
	h.use(meaning.Settings{})
	if err := h.meaning.Off(h.Ctx, h.Me(), true); err != nil || vectorsOf(h) != 16 {
		t.Fatalf("%d vectors are left, %v", vectorsOf(h), err)
	}
	sent := len(h.server.Texts())
	h.use(meaning.Settings{})
	if n := len(h.server.Texts()) - sent; n != 12 { // the sentences of the probe
		t.Errorf("sent %d texts", n)
	}
	status, on, err := h.meaning.Status(h.Ctx, h.Me())
	if err != nil || !on || status.Records != 16 || status.Vectors != 16 || status.Dim != embedtest.Dim || status.Floor <= 0 || status.Floor > .7 {
		t.Errorf("status %+v, %v, %v", status, on, err)
	}
	next, _ := h.MustRekey(vaulttest.Seeded(t, 21))
	again := &house{House: next, server: h.server}
	again.meaning = again.Means(meaning.Options{Dial: dial, Patience: time.Minute})
	again.finds(again.Me(), "Which animal lives with us?", "A poodle named Rex")
	sent = len(h.server.Texts())
	if r := again.catchUp(); r.Embedded != 0 || len(h.server.Texts()) != sent {
		t.Errorf("after a change of keys: %+v", r)
	}
}
