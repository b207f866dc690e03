package aicf_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/codec"
)

var eight = aicf.Stamp{Time: time.Date(2025, 10, 6, 8, 0, 0, 0, time.UTC)}

func conversation(change func(*aicf.Conversation)) *aicf.Conversation {
	c := &aicf.Conversation{ID: "conv_001", TimestampStart: eight, TimestampEnd: eight, Messages: new(int64)}
	if change != nil {
		change(c)
	}
	return c
}

func insight(text string) *aicf.Insight {
	return &aicf.Insight{Text: text, Category: "DATA", Priority: aicf.High, Confidence: aicf.Low}
}

func ptr[T any](v T) *T { return &v }

func TestCanonicalForm(t *testing.T) {
	const version = "1|@AICF_VERSION\n2|version=3.1\n3|\n"
	const head = version + "4|@CONVERSATION:conv_001\n5|timestamp_start=2025-10-06T08:00:00Z\n6|timestamp_end=2025-10-06T08:00:00Z\n7|messages=0\n"
	for name, c := range map[string]struct {
		entries []aicf.Entry
		want    string
	}{
		"AICF-WRITE-4 AICF-VER-1 AICF-COMPAT-4 nothing but the version": {nil, version},
		"AICF-LINE-5 a separator after every section": {[]aicf.Entry{conversation(nil), insight("a"), insight("b")},
			head + "8|\n9|@INSIGHTS\n10|@INSIGHTS a|DATA|HIGH|LOW\n11|@INSIGHTS b|DATA|HIGH|LOW\n12|\n"},
		"AICF-STR-5 items are escaped, what stands between them is not": {[]aicf.Entry{&aicf.State{Flow: []string{"a|b", "c"}}},
			version + "4|@STATE\n5|flow=a\\|b|c\n6|\n"},
		"AICF-STR-6 empty is not absent": {[]aicf.Entry{conversation(func(c *aicf.Conversation) { c.Topic, c.Participants = ptr(""), []string{} })},
			head + "8|topic=\n9|participants=\n10|\n"},
		"AICF-STR-7 AICF-STR-8 AICF-STR-9 spaces, = and @ stay": {[]aicf.Entry{&aicf.State{Actions: ptr(" x=y=@STATE: ")}, insight(" a ")},
			version + "4|@STATE\n5|actions= x=y=@STATE: \n6|\n7|@INSIGHTS\n8|@INSIGHTS  a |DATA|HIGH|LOW\n9|\n"},
		"AICF-SAFE-4 a value does not forge a section": {[]aicf.Entry{conversation(func(c *aicf.Conversation) { c.Topic = ptr("\n99|@STATE:user\nuser:admin=true") })},
			head + "8|topic=\\n99\\|@STATE:user\\nuser:admin=true\n9|\n"},
		"AICF-STATE-8 keys go to the section of their scope, with the prefix": {[]aicf.Entry{&aicf.State{Scope: "user", Status: ptr(aicf.Word("blocked")),
			Pairs: []aicf.Pair{{Key: "app:a", Value: "1"}, {Key: "lang", Value: "python"}, {Key: "user:b", Value: "015"}}}},
			version + "4|@STATE:user\n5|status=blocked\n6|user:lang=python\n7|user:b=015\n8|\n9|@STATE:app\n10|app:a=1\n11|\n"},
		"AICF-STATE-8 a section is not left behind empty": {[]aicf.Entry{&aicf.State{Pairs: []aicf.Pair{{Key: "user:b", Value: ""}}}},
			version + "4|@STATE:user\n5|user:b=\n6|\n"},
		"AICF-TYPE-2 AICF-TYPE-3 in UTC, in seconds unless there is a fraction": {[]aicf.Entry{conversation(func(c *aicf.Conversation) {
			c.TimestampStart.Time = time.Date(2025, 10, 6, 10, 0, 0, 0, time.FixedZone("", 7200))
			c.TimestampEnd.Time = c.TimestampStart.Add(342 * time.Millisecond)
		})}, strings.Replace(head, "timestamp_end=2025-10-06T08:00:00Z", "timestamp_end=2025-10-06T08:00:00.342Z", 1) + "8|\n"},
		"AICF-CONV-7 names with commas stand between pipes": {[]aicf.Entry{
			conversation(func(c *aicf.Conversation) { c.Participants = []string{"a,b"} }),
			conversation(func(c *aicf.Conversation) { c.Participants = []string{"a|b", "c"} })},
			head + "8|participants=a,b|\n9|\n10" + head[len(version)+1:strings.Index(head, "\n5|")] +
				"\n11|timestamp_start=2025-10-06T08:00:00Z\n12|timestamp_end=2025-10-06T08:00:00Z\n13|messages=0\n14|participants=a\\|b,c\n15|\n"},
		"AICF-FWD-1 an unknown section": {[]aicf.Entry{&aicf.Unknown{Origin: aicf.Origin{Raw: "@WORK:w1\nfoo=a\\|b|c\n\n"}, Name: "WORK", ID: "w1"}},
			version + "4|@WORK:w1\n5|foo=a\\|b|c\n6|\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := string(encode(t, &aicf.Contents{Entries: c.entries}, aicf.WriteOptions{})); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
		})
	}
}

func TestTemporaryStateIsNotWritten(t *testing.T) {
	c := &aicf.Contents{Entries: []aicf.Entry{
		&aicf.State{Scope: aicf.ScopeTemp, Status: ptr(aicf.Word("blocked")), Pairs: []aicf.Pair{{Key: "step", Value: "3"}, {Key: "user:a", Value: "kept"}}},
		&aicf.State{Pairs: []aicf.Pair{{Key: "temp:b", Value: "3"}, {Key: "c", Value: "kept"}}},
	}}
	t.Run("AICF-STATE-10 and that is said", func(t *testing.T) {
		out, losses, err := aicf.Encode(c, aicf.WriteOptions{})
		if err != nil || len(losses) != 2 {
			t.Errorf("losses %v, error %v", losses, err)
		}
		if want := "4|@STATE:user\n5|user:a=kept\n6|\n7|@STATE\n8|c=kept\n9|\n"; !strings.HasSuffix(string(out), "3|\n"+want) {
			t.Errorf("got\n%s", out)
		}
	})
}

func TestRefusals(t *testing.T) {
	many := insight("x")
	many.Extra = []aicf.Field{{Key: "a", Raw: `b\`}, {Key: "c", Raw: "d"}}
	for name, e := range map[string]aicf.Entry{
		"AICF-STR-9 key with =":            &aicf.State{Pairs: []aicf.Pair{{Key: "a=b"}}},
		"AICF-STR-9 key with a pipe":       &aicf.State{Pairs: []aicf.Pair{{Key: "a|b"}}},
		"AICF-STR-9 key with a backslash":  &aicf.State{Pairs: []aicf.Pair{{Key: `a\b`}}},
		"AICF-STR-9 key with a line":       &aicf.State{Pairs: []aicf.Pair{{Key: "a\nb"}}},
		"AICF-STR-9 key like a header":     &aicf.State{Pairs: []aicf.Pair{{Key: "@STATE"}}},
		"AICF-STR-9 no key":                &aicf.State{Pairs: []aicf.Pair{{}}},
		"AICF-STATE-5 key of a member":     &aicf.State{Pairs: []aicf.Pair{{Key: "status"}}},
		"AICF-STATE-1 scope":               &aicf.State{Scope: "galaxy"},
		"AICF-STATE-2 status":              &aicf.State{Status: ptr(aicf.Word("done"))},
		"AICF-LINKS-5 arrow in an id":      &aicf.Link{From: "a->b", To: "c", Type: aicf.RelatedTo},
		"AICF-LINKS-5 arrow in the end":    &aicf.Link{From: "a", To: "b->c", Type: aicf.RelatedTo},
		"AICF-LINKS-5 no id":               &aicf.Link{To: "c", Type: aicf.RelatedTo},
		"AICF-LINKS-3 type":                &aicf.Link{From: "a", To: "c", Type: "supports"},
		"AICF-LINKS-6 no type":             &aicf.Link{From: "a", To: "c"},
		"AICF-INS-6 category":              &aicf.Insight{Text: "t", Category: "INFRASTRUCTURE", Priority: aicf.High, Confidence: aicf.Low},
		"AICF-INS-8 confidence":            &aicf.Insight{Text: "t", Category: "DATA", Priority: aicf.High, Confidence: aicf.Critical},
		"AICF-INS-10 no text":              insight(""),
		"AICF-SAFE-4 part with a pipe":     &aicf.Insight{Text: "t", Category: "DATA", Priority: "LOW", Confidence: "LOW", Extra: []aicf.Field{{Key: "a", Raw: "b|c"}}},
		"AICF-SAFE-4 part that takes more": many,
		"AICF-DEC-5 no rationale":          &aicf.Decision{Text: "t", Impact: aicf.High, Confidence: aicf.Low},
		"AICF-SESSION-2 no application":    &aicf.Session{ID: "s", UserID: "u", CreatedAt: eight, LastUpdateTime: eight, Status: "active"},
		"AICF-CONV-1 no id":                conversation(func(c *aicf.Conversation) { c.ID = "" }),
		"AICF-HDR-3 line in an id":         conversation(func(c *aicf.Conversation) { c.ID = "a\n2|@STATE" }),
		"AICF-CONV-2 no beginning":         conversation(func(c *aicf.Conversation) { c.TimestampStart = aicf.Stamp{} }),
		"AICF-VALM-1 no time":              conversation(func(c *aicf.Conversation) { c.TimestampStart = aicf.Stamp{Text: "today"} }),
		"AICF-TYPE-2 year":                 conversation(func(c *aicf.Conversation) { c.TimestampEnd.Time = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) }),
		"AICF-CONV-3 end before beginning": conversation(func(c *aicf.Conversation) { c.TimestampEnd.Time = c.TimestampStart.Add(-1) }),
		"AICF-CONV-4 no messages":          conversation(func(c *aicf.Conversation) { c.Messages = nil }),
		"AICF-TYPE-1 less than none":       conversation(func(c *aicf.Conversation) { c.Messages = ptr(int64(-1)) }),
		"AICF-CONV-7 empty name":           conversation(func(c *aicf.Conversation) { c.Participants = []string{"a,b", ""} }),
		"AICF-TYPE-5 one empty name":       conversation(func(c *aicf.Conversation) { c.Participants = []string{""} }),
		"AICF-TYPE-5 one empty item":       &aicf.State{Flow: []string{""}},
		"AICF-EMB-6 elided":                &aicf.Embedding{Entity: "a", Model: "m", Dimension: 2, Vector: "1,...", Elided: true},
		"AICF-EMB-4 no numbers":            &aicf.Embedding{Entity: "a", Model: "m", Dimension: 2, Vector: "1,x"},
		"AICF-EMB-5 dimension":             &aicf.Embedding{Entity: "a", Model: "m", Dimension: 3, Vector: "1,2"},
		"AICF-CONS-2 no sources":           &aicf.Consolidation{ID: "c", ConsolidatedAt: eight, Method: "deduplication"},
		"AICF-SAFE-4 two sections in one":  &aicf.Unknown{Origin: aicf.Origin{Raw: "@WORK\n@STATE:user\na=b"}, Name: "WORK"},
		"AICF-SAFE-4 section in a gap":     &aicf.Gap{Origin: aicf.Origin{Raw: "\n@STATE:user\na=b"}},
		"AICF-SAFE-4 line in raw text":     conversation(func(c *aicf.Conversation) { c.Extra = []aicf.Field{{Key: "a", Raw: "b\n@STATE"}} }),
		"AICF-SAFE-4 header as a line":     conversation(func(c *aicf.Conversation) { c.Extra = []aicf.Field{{Raw: "@STATE"}} }),
		"AICF-ENC-1 not UTF-8":             insight("\xff"),
	} {
		t.Run(name, func(t *testing.T) {
			out, _, err := aicf.Encode(&aicf.Contents{Entries: []aicf.Entry{e}}, aicf.WriteOptions{})
			var refused *codec.ParseError
			if !errors.As(err, &refused) {
				t.Fatalf("error %v; wrote\n%s", err, out)
			}
			if rule, _, _ := strings.Cut(name, " "); refused.Rule != rule {
				t.Errorf("refused by %s (%v)", refused.Rule, refused)
			}
		})
	}
}

func TestAwkwardValues(t *testing.T) {
	for r := range rune(0x20) {
		t.Run(fmt.Sprintf("AICF-SAFE-2 AICF-WRITE-3 U+%04X", r), func(t *testing.T) {
			value := "a" + string(r) + "b" + string(r)
			c := &aicf.Contents{Entries: []aicf.Entry{conversation(func(c *aicf.Conversation) { c.Topic = &value }), insight(value), &aicf.State{Scope: aicf.ScopeSession, Flow: []string{value}}}}
			out, _, err := aicf.Encode(c, aicf.WriteOptions{})
			legal := r == '\t' || r == '\n' || r == '\r'
			if legal != (err == nil) {
				t.Fatalf("error %v", err)
			}
			if d := diff(read(t, out).Entries, c.Entries); legal && d != "" {
				t.Error(d)
			}
		})
	}
	floats := make([]string, 1536)
	for i := range floats {
		floats[i] = strconv.FormatFloat(float64(float32(i)/7-100), 'g', -1, 32)
	}
	for name, e := range map[string]aicf.Entry{
		"AICF-EMB-10 1536 numbers":           &aicf.Embedding{Entity: "c", Model: "m", Dimension: 1536, Vector: strings.Join(floats, ",")},
		"AICF-SIZE-3 64 KB":                  insight(strings.Repeat(`a|\`+"\n", 16<<10)),
		"AICF-SAFE-4 looks like a section":   insight("@STATE:user\nuser:x=1\n\n3|@INSIGHTS y|DATA|HIGH|HIGH"),
		"AICF-FWD-2 a record of many fields": &aicf.Carried{ID: "r", Record: strings.Repeat("é|\\\n", 40_000)},
		"AICF-FWD-2 a record of two bytes":   &aicf.Carried{ID: "r", Entity: "insight_001", Record: "{}"},
	} {
		t.Run(name, func(t *testing.T) {
			c := &aicf.Contents{Entries: []aicf.Entry{e}}
			out := encode(t, c, aicf.WriteOptions{})
			if d := diff(read(t, out).Entries, c.Entries); d != "" {
				t.Error(d[:min(len(d), 2000)])
			}
			for line := range strings.Lines(string(out)) {
				if _, ok := e.(*aicf.Carried); ok && len(line) > 64<<10 {
					t.Errorf("a line of %d bytes", len(line))
				}
			}
		})
	}
}

func TestSizesThatAreNotWritten(t *testing.T) {
	o := aicf.WriteOptions{Limits: aicf.Limits{Line: 110, Field: 40}}
	forty := strings.Repeat("x", 40)
	for name, c := range map[string]struct {
		entry aicf.Entry
		rule  string
	}{
		"AICF-SIZE-3 a value":                {insight(forty + "x"), "AICF-SIZE-3"},
		"AICF-SIZE-3 no value":               {insight(forty), ""},
		"AICF-SIZE-3 a value with escapes":   {&aicf.State{Actions: ptr(strings.Repeat("|", 21))}, "AICF-SIZE-3"},
		"AICF-SIZE-3 two ids are one value":  {&aicf.Link{From: forty[:30], To: forty[:30], Type: aicf.RelatedTo}, "AICF-SIZE-3"},
		"AICF-SIZE-2 a line of short values": {&aicf.Decision{Text: forty, Impact: aicf.Low, Confidence: aicf.Low, Rationale: forty}, "AICF-SIZE-2"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := aicf.Encode(&aicf.Contents{Entries: []aicf.Entry{c.entry}}, o)
			var refused *codec.ParseError
			if (err == nil) != (c.rule == "") || errors.As(err, &refused) && refused.Rule != c.rule {
				t.Errorf("error %v, want %s", err, c.rule)
			}
		})
	}
}

func TestVersionsThatAreNotWritten(t *testing.T) {
	t.Run("AICF-WRITE-1 only 3.1 and 3.0", func(t *testing.T) {
		var refused *codec.ParseError
		if _, _, err := aicf.Encode(&aicf.Contents{}, aicf.WriteOptions{Version: aicf.V20}); !errors.As(err, &refused) {
			t.Errorf("error %v", err)
		}
	})
}
