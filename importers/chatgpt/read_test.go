package chatgpt_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/importers/chatgpt"
	"github.com/satchel-memory/satchel/text/conversation"
)

func file(data string) codec.Source {
	return codec.Source{Name: "conversations.json", File: strings.NewReader(data), Size: int64(len(data))}
}

func all(t *testing.T, src codec.Source) ([]conversation.Conversation, []codec.Loss, error) {
	t.Helper()
	r, err := chatgpt.Shape().Open(src, codec.Options{})
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	var found []conversation.Conversation
	for {
		c, err := r.Next()
		if errors.Is(err, io.EOF) {
			return found, r.Losses(), nil
		}
		if err != nil {
			return found, r.Losses(), err
		}
		found = append(found, c)
	}
}

func fixture(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("testdata/export/conversations.json")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func at(seconds int64, micros int64) time.Time { return time.Unix(seconds, micros*1000).UTC() }

func TestRead(t *testing.T) {
	got, losses, err := all(t, file(fixture(t)))
	if err != nil {
		t.Fatal(err)
	}
	want := []conversation.Conversation{
		{ID: "c-1", Title: "Trip", Source: "chatgpt", Started: at(1735725600, 250_000), Ended: at(1735726000, 0), Participants: []string{"user", "tool", "assistant"},
			Turns: []conversation.Turn{
				{ID: "n2", Author: conversation.User, At: at(1735725601, 500_000), Text: "Where is this?"},
				{ID: "n3", Parent: "n2", Author: conversation.Tool, Name: "python", Model: "gpt-x", At: at(1735725603, 0), Text: "```python\nlook()\n```"},
				{ID: "n4", Parent: "n3", Author: conversation.Tool, Name: "python", At: at(1735725604, 0), Text: "Lisbon"},
				{ID: "n6", Parent: "n4", Author: conversation.Assistant, Model: "gpt-x", At: at(1735725605, 0), Text: "It is\nLisbon."},
			}},
		{ID: "c-2", Title: "No dates", Source: "chatgpt", Participants: []string{"user", "assistant"}, Turns: []conversation.Turn{
			{ID: "a", Author: conversation.User, Text: "Hello"}, {ID: "b", Parent: "a", Author: conversation.Assistant, Text: "Hi"},
		}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	wantLosses := []codec.Loss{
		{Pointer: "/0/mapping", Reason: "1 thoughts of the model"},
		{Pointer: "/0/mapping", Reason: "2 parts of messages that are no text"},
		{Pointer: "/0/mapping", Reason: "1 messages on branches that were left"},
	}
	if diff := cmp.Diff(wantLosses, losses); diff != "" {
		t.Error(diff)
	}
}

// The same export is read from a folder, from a subfolder, and in parts.
func TestPlaces(t *testing.T) {
	data := fixture(t)
	for name, test := range map[string]struct {
		src  codec.Source
		want int
	}{
		"folder": {codec.Source{Tree: fstest.MapFS{"conversations.json": {Data: []byte(data)}, "user.json": {}}}, 2},
		"below":  {codec.Source{Tree: fstest.MapFS{"x/conversations.json": {Data: []byte(data)}}}, 2},
		"parts":  {codec.Source{Tree: fstest.MapFS{"conversations-000.json": {Data: []byte(data)}, "conversations-001.json": {Data: []byte(data)}}}, 4},
	} {
		t.Run(name, func(t *testing.T) {
			if chatgpt.Shape().Detect(test.src) != codec.Likely {
				t.Error("not detected")
			}
			if got, _, err := all(t, test.src); err != nil || len(got) != test.want {
				t.Errorf("got %d conversations, %v", len(got), err)
			}
		})
	}
}

func TestRefuses(t *testing.T) {
	for name, test := range map[string]struct{ in, want string }{
		"CHATGPT-1 no JSON":    {`[{"mapping":`, "[CHATGPT-1]"},
		"CHATGPT-2 no mapping": {`[{"title":"x"}]`, "[CHATGPT-2]"},
		"CHATGPT-5 a circle":   {`[{"mapping":{"a":{"parent":"b"},"b":{"parent":"a"}},"current_node":"a"}]`, "[CHATGPT-5]"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := all(t, file(test.in))
			if _, ok := errors.AsType[*codec.ParseError](err); !ok || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want a ParseError with %q", err, test.want)
			}
		})
	}
	if _, _, err := all(t, codec.Source{Tree: fstest.MapFS{}}); err == nil {
		t.Error("a folder without conversations was opened")
	}
}

// A conversation that exceeds a limit is refused, and so are too many in a file.
func TestLimits(t *testing.T) {
	data := fixture(t)
	for name, limits := range map[string]codec.Limits{"conversation": {Record: 200}, "file": {Document: 1000}, "depth": {Depth: 3}} {
		r, err := chatgpt.Shape().Open(codec.Source{Tree: fstest.MapFS{"conversations.json": {Data: []byte(data)}}}, codec.Options{Limits: limits})
		if err != nil {
			t.Fatal(err)
		}
		for err == nil {
			_, err = r.Next()
		}
		if errors.Is(err, io.EOF) {
			t.Errorf("%s: read to the end", name)
		}
	}
}

// TestShared reads the files beside the specifications, if they are present.
func TestShared(t *testing.T) {
	dir := os.Getenv("SATCHEL_SHARED")
	if dir == "" {
		t.Skip("skipped: SATCHEL_SHARED names no folder")
	}
	got, _, err := all(t, codec.Source{Tree: os.DirFS(filepath.Join(dir, "data/formats/chatgpt"))})
	if err != nil || len(got) < 2 {
		t.Fatalf("got %d conversations, %v", len(got), err)
	}
	var said []string
	for _, turn := range got[0].Turns {
		said = append(said, string(turn.Author)+": "+turn.Text)
	}
	want := []string{"user: Remember that I use pnpm, never npm.", "tool: User uses pnpm and never npm.", "tool: Model set context updated.", "assistant: Got it."}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Error(diff)
	}
}
