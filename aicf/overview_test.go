package aicf_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/aicf"
)

// TestPlainText writes awkward values and reads them with the eyes of a person.
func TestPlainText(t *testing.T) {
	topic := "é日本😀 one\r\ntwo|three\\four\tfive"
	c := conversation(func(c *aicf.Conversation) { c.Topic, c.Platform = &topic, ptr("claude") })
	out, _, err := aicf.Encode(&aicf.Contents{Entries: []aicf.Entry{c}}, aicf.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Run("AICF-OV-1 a file is legible as it is", func(t *testing.T) {
		control := func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' }
		if !utf8.Valid(out) || bytes.ContainsFunc(out, control) {
			t.Errorf("%q", out)
		}
		for _, value := range []string{"@CONVERSATION:conv_001", "timestamp_start=2025-10-06T08:00:00Z", `topic=é日本😀 one\r\ntwo\|three\\four` + "\tfive", "platform=claude"} {
			if !bytes.Contains(out, []byte("|"+value+"\n")) {
				t.Errorf("%q is not in\n%s", value, out)
			}
		}
	})
	t.Run("AICF-ENC-2 every line ends in a line feed alone", func(t *testing.T) {
		if bytes.ContainsRune(out, '\r') || !bytes.HasSuffix(out, []byte("|\n")) || bytes.Contains(out, []byte("\n\n")) {
			t.Errorf("%q", out)
		}
	})
}

func TestOverview(t *testing.T) {
	t.Run("AICF-OV-4 AICF-EX-4 three kinds of memory are told apart", func(t *testing.T) {
		c := reading(t, "1|@INSIGHTS a|DATA|LOW|LOW|memory_type=episodic\n2|@INSIGHTS b|DATA|LOW|LOW|memory_type=semantic\n3|@INSIGHTS c|DATA|LOW|LOW|memory_type=procedural\n")
		var kinds []aicf.Word
		for _, e := range c.Entries {
			if in, ok := e.(*aicf.Insight); ok {
				kinds = append(kinds, in.Kind())
			}
		}
		if want := []aicf.Word{aicf.Episodic, aicf.Semantic, aicf.Procedural}; !slices.Equal(kinds, want) {
			t.Errorf("got %q, want %q", kinds, want)
		}
	})
	t.Run("AICF-OV-5 AICF-EX-4 four scopes of state are told apart", func(t *testing.T) {
		c := reading(t, "1|@STATE\n2|status=completed\n3|mood=calm\n4|\n5|@STATE:user\n6|user:a=1\n7|user:b=2\n8|user:c=3\n9|\n"+
			"10|@STATE:app\n11|app:a=1\n12|b=2\n13|\n14|@STATE:temp\n15|temp:a=1\n16|temp:b=2\n17|\n")
		keys := map[aicf.Word]int{}
		for _, e := range c.Entries {
			if s, ok := e.(*aicf.State); ok {
				for _, p := range s.Pairs {
					keys[p.Scope(s.Scope)]++
				}
			}
		}
		if keys[aicf.ScopeSession] != 1 || keys[aicf.ScopeUser] != 3 || keys[aicf.ScopeApp] != 2 || keys[aicf.ScopeTemp] != 2 {
			t.Errorf("got %v", keys)
		}
	})
	for _, platform := range []string{"gpt", "copilot", "cursor", "claude", "of_my_own"} {
		t.Run("AICF-OV-7 platform "+platform, func(t *testing.T) {
			if found := validated(t, "platform="+platform+"\n", "status=completed\n"); len(found) > 0 {
				t.Errorf("%v", found)
			}
		})
	}
	t.Run("AICF-TYPE-4 no key of the format is a truth value, and others stay text", func(t *testing.T) {
		found := validated(t, "topic=TRUE\n", "user:a=true\nb=1\nc=TRUE\n")
		if len(found) > 0 {
			t.Errorf("%v", found)
		}
	})
	t.Run("AICF-VALM-2 a link to nothing is told, and is no error by itself", func(t *testing.T) {
		found := validated(t, "", "a=b\n\n@LINKS c->c|related_to\n@LINKS c->nothing|related_to\n")
		if len(found) != 1 || found[0].Rule != "AICF-LINKS-7" || aicf.Fatal(found, false) || !aicf.Fatal(found, true) {
			t.Errorf("%v", found)
		}
	})
}

// validated returns what is found about a conversation with lines more, and its state.
func validated(t *testing.T, conversation, state string) []aicf.Finding {
	t.Helper()
	text := "@AICF_VERSION\nversion=3.1\n\n@CONVERSATION:c\ntimestamp_start=2025-01-06T10:00:00Z\ntimestamp_end=2025-01-06T10:05:00Z\nmessages=3\n" +
		conversation + "\n@STATE\n" + state
	var data []byte
	n := 0
	for line := range strings.Lines(text + "\n") {
		n++
		data = fmt.Appendf(data, "%d|%s", n, line)
	}
	found, err := aicf.Validate(data, aicf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestVersionsAreRead(t *testing.T) {
	const rest = "4|@CONVERSATION:c\n5|timestamp_start=2025-01-06T10:00:00Z\n6|timestamp_end=2025-01-06T10:05:00Z\n7|messages=3\n8|\n"
	for name, text := range map[string]string{
		"1.0": `{"conversations":[{"id":"c","messages":3}]}`,
		"2.0": "1|CONV|c|3|500\n",
		"3.0": "1|@AICF_VERSION\n2|version=3.0\n3|\n" + rest,
		"3.1": "1|@AICF_VERSION\n2|version=3.1\n3|\n" + rest,
	} {
		t.Run("AICF-READ-3 version "+name, func(t *testing.T) {
			c := reading(t, text)
			e, ok := c.Index().Resolve("c")
			talk, is := e.(*aicf.Conversation)
			if !ok || !is || talk.Messages == nil || *talk.Messages != 3 || c.Version.String() != name {
				t.Errorf("version %s: %v", c.Version, e)
			}
		})
	}
}
