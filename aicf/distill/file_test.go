package distill_test

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/aicf/distill"
	"github.com/satchel-memory/satchel/text/conversation"
)

var talks = []string{"backend", "personal", "german", "debugging", "launch", "thesis", "short"}

// What is written is valid to the letter, line by line, and every statement leads to a
// turn that is there.
func TestFilesAreValid(t *testing.T) {
	for _, name := range talks {
		t.Run("AICF-COMP-7 "+name, func(t *testing.T) {
			c := talk(t, name)
			contents, _, text := distilled(t, c, distill.Options{})
			findings, err := aicf.Validate([]byte(text), aicf.Options{Strict: true})
			if err != nil || aicf.Fatal(findings, true) {
				t.Errorf("%v %v", err, findings)
			}
			line := regexp.MustCompile(`^[1-9][0-9]*\|(?:|@[A-Z_]+.*|[a-z_]+=.*)$`)
			for l := range strings.Lines(text) {
				if !line.MatchString(strings.TrimSuffix(l, "\n")) {
					t.Errorf("no line of the format: %q", l)
				}
			}
			for _, e := range contents.Entries {
				var extra []aicf.Field
				switch e := e.(type) {
				case *aicf.Insight:
					extra = e.Extra
				case *aicf.Decision:
					extra = e.Extra
				default:
					continue
				}
				src, _, _ := strings.Cut(member(extra, "src"), ",")
				at := slices.IndexFunc(c.Turns, func(turn conversation.Turn) bool { return turn.ID == src })
				if at < 0 || member(extra, "by") != string(c.Turns[at].Author) || member(extra, "at") != c.Turns[at].At.Format(time.RFC3339) {
					t.Errorf("%+v leads to no turn", extra)
				}
			}
		})
	}
}

// The same conversation gives the same file.
func TestDeterministic(t *testing.T) {
	_, _, first := distilled(t, talk(t, "backend"), distill.Options{})
	for range 2 {
		if _, _, again := distilled(t, talk(t, "backend"), distill.Options{}); again != first {
			t.Fatal("another file the second time")
		}
	}
}

func TestSectionsAndLinks(t *testing.T) {
	_, report, text := distilled(t, talk(t, "backend"), distill.Options{})
	for _, want := range []string{
		"|topic=Order service rewrite\n", "|participants=user,assistant\n", "|messages=", "|status=in_progress\n", "|actions=I'm a backend engineer", "|flow=user_", "|@CONSOLIDATION:distilled_1\n",
		"|@DECISIONS Okay, let's use SQS for the order events|HIGH|HIGH|nobody on the team wants to run Kafka|by=user|at=2026-01-05T09:12:00Z|src=t13\n",
		"|@DECISIONS We decided last week to use mTLS between services.|HIGH|HIGH|no reason given|",
		"|by=assistant|at=2026-01-05T09:03:00Z|src=t4,t5\n", "|by=user|at=2026-01-05T09:06:00Z|src=t7,t6\n",
		"|@LINKS decision_006->decision_003|supersedes\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("AICF-COMP-2: no %q in\n%s", want, text)
		}
	}
	if n := strings.Count(text, "plain SQL over ORMs"); n != 1 || report.Duplicates != 1 || !strings.Contains(text, "|src=t15,t35\n") {
		t.Errorf("AICF-COMP-3: said %d times, %d duplicates told\n%s", n, report.Duplicates, text)
	}
}

// A fact of an earlier conversation is linked to, not told again.
func TestSeveralConversations(t *testing.T) {
	d := distill.New(distill.Options{})
	for _, text := range []string{"One\n### user\nI prefer tea over coffee. I live in Oslo.", "\n", "Two\n### user\nReally, I prefer tea over coffee!\n### assistant\nOK."} {
		if err := d.Add(said("talk", text)); err != nil {
			t.Fatal(err)
		}
	}
	c, report, err := d.Finish()
	if err != nil {
		t.Fatal(err)
	}
	data, _, err := aicf.Encode(c, aicf.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	if strings.Count(text, "@INSIGHTS I prefer tea over coffee") != 1 || strings.Contains(text, "@INSIGHTS Really") || !strings.Contains(text, "@LINKS insight_001->talk_2|related_to\n") {
		t.Errorf("AICF-COMP-3:\n%s", text)
	}
	if report.Conversations != 2 || report.Empty != 1 || report.Duplicates != 1 || report.Links != 1 || report.Insights != 2 {
		t.Errorf("told %+v", report)
	}
	findings, err := aicf.Validate(data, aicf.Options{Strict: true})
	if err != nil || aicf.Fatal(findings, true) {
		t.Error(findings, err)
	}
}

func TestRedaction(t *testing.T) {
	c := talk(t, "backend")
	c.Turns[0].Text = "My key is -----BEGIN RSA PRIVATE KEY-----\nI use sekrit lines. I live in Keyland.\n-----END RSA PRIVATE KEY-----\nI work at bob@example.com every day."
	_, report, text := distilled(t, c, distill.Options{})
	for _, secret := range []string{"bob@", "maria.lopez", "Keyland", "4f9a8b7c"} {
		if strings.Contains(text, secret) {
			t.Errorf("AICF-PII-1, AICF-SAFE-1: %s is in\n%s", secret, text)
		}
	}
	if !strings.Contains(text, "I work at [EMAIL-REDACTED] every day.") || report.Redacted["email"] != 2 || report.Redacted["secret"] != 2 {
		t.Errorf("AICF-PII-5: counted %v in\n%s", report.Redacted, text)
	}
	_, report, text = distilled(t, c, distill.Options{Verbatim: true})
	if !strings.Contains(text, "bob@example.com") || report.Redacted.Total() != 0 {
		t.Errorf("AICF-SAFE-1: on request it is kept; counted %v", report.Redacted)
	}
}

// What the file says of its size and its words is computed.
func TestMeasures(t *testing.T) {
	seen := map[string]string{}
	for _, name := range talks {
		c := talk(t, name)
		contents, report, text := distilled(t, c, distill.Options{})
		if report.TokensBefore != distill.Tokens(distill.Transcript(c)) || report.TokensAfter != distill.Tokens(text) {
			t.Errorf("AICF-COMP-5 %s: told %+v", name, report)
		}
		if want := 1 - float64(report.TokensAfter)/float64(report.TokensBefore); report.Ratio != want {
			t.Errorf("AICF-COMP-5 %s: ratio %v, want %v", name, report.Ratio, want)
		}
		for _, e := range contents.Entries {
			if e, ok := e.(*aicf.Consolidation); ok {
				ratio, err := strconv.ParseFloat(e.CompressionRatio, 64)
				if off := math.Abs(ratio - report.Ratio); err != nil || report.Links == 0 && off > 2/float64(report.TokensBefore) {
					t.Errorf("AICF-COMP-8 %s: compression_ratio %s of a file that saves %.3f", name, e.CompressionRatio, report.Ratio)
				}
				said := e.InformationPreserved
				if other, again := seen[said]; again {
					t.Errorf("AICF-COMP-8: %s and %s both say %s", name, other, said)
				}
				seen[said] = name
				t.Logf("%s: %d -> %d tokens, compression_ratio %s, information_preserved %s", name, report.TokensBefore, report.TokensAfter, e.CompressionRatio, said)
			}
		}
	}
}

func TestNothingToDistil(t *testing.T) {
	if _, _, err := distill.Distill(conversation.Conversation{ID: "x"}, distill.Options{}); err == nil {
		t.Error("a conversation without turns was distilled")
	}
	undated := conversation.Conversation{ID: "a->b|c\n", Title: "x\x00|y\nz", Turns: []conversation.Turn{{ID: "q\x01|1", Author: conversation.User, Text: "I live in\tOslo \\ Norway | far\x02 away."}}}
	if _, _, err := distill.Distill(undated, distill.Options{}); err == nil {
		t.Error("a conversation without a date was dated")
	}
	now := func() time.Time { return time.Date(2026, 2, 3, 4, 5, 6, 7, time.UTC) }
	_, report, text := distilled(t, undated, distill.Options{Now: now})
	if report.Undated != 1 || !strings.Contains(text, "timestamp_start=2026-02-03T04:05:06Z") || !strings.Contains(text, `I live in Oslo \\ Norway \| far away.|`) {
		t.Errorf("%+v\n%s", report, text)
	}
	if findings, err := aicf.Validate([]byte(text), aicf.Options{Strict: true}); err != nil || aicf.Fatal(findings, true) {
		t.Error(findings, err)
	}
}
