package aicffile

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/satchel-memory/satchel/aicf"
)

func TestSplit(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "made", "here")
	count, topic := int64(2), "splitting"
	stamp := aicf.Stamp{}
	c := &aicf.Contents{Entries: []aicf.Entry{
		&aicf.Conversation{ID: "c1", TimestampStart: stamp, TimestampEnd: stamp, Messages: &count, Topic: &topic},
		insight("in the conversation"),
		&aicf.Decision{Text: "d", Impact: aicf.High, Confidence: aicf.Low, Rationale: "r"},
		&aicf.Link{From: "insight_001", To: "decision_001", Type: aicf.RelatedTo},
	}}
	conversation := c.Entries[0].(*aicf.Conversation)
	conversation.TimestampStart.Time = when
	conversation.TimestampEnd.Time = when
	losses, err := WriteSplit(folder, c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Run("AICF-REF-4 each kind has its file, which is valid by itself", func(t *testing.T) {
		for _, name := range []string{"conversations.aicf", "technical-context.aicf", "decisions.aicf", "index.aicf"} {
			data, err := os.ReadFile(filepath.Join(folder, name))
			if err != nil {
				t.Fatal(err)
			}
			findings, err := aicf.Validate(data, aicf.Options{Partial: true})
			if err != nil || aicf.Fatal(findings, false) {
				t.Errorf("%s: %v %v", name, findings, err)
			}
		}
		if len(losses) != 2 {
			t.Errorf("losses: %v", losses)
		}
	})
	t.Run("AICF-REF-4 the folder reads as one", func(t *testing.T) {
		back, err := ReadSplit(folder, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var kinds [4]int
		for _, e := range back.Entries {
			switch e := e.(type) {
			case *aicf.Conversation:
				kinds[0]++
			case *aicf.Insight:
				kinds[1]++
			case *aicf.Decision:
				kinds[2]++
			case *aicf.Link:
				kinds[3]++
				if _, ok := back.Index().Resolve(e.To); !ok {
					t.Errorf("%s leads nowhere", e.To)
				}
			}
		}
		if kinds != [4]int{1, 1, 1, 1} {
			t.Errorf("got %v", kinds)
		}
	})
	t.Run("AICF-SAFE-5 nothing leads out of a folder", func(t *testing.T) {
		outside := filepath.Join(t.TempDir(), "outside.aicf")
		if _, err := Append(outside, Options{}, insight("not yours")); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(folder, "decisions.aicf")); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(outside, filepath.Join(folder, "decisions.aicf")); err != nil {
			t.Skip("links cannot be made here")
		}
		if _, err := ReadSplit(folder, Options{}); err == nil {
			t.Error("a link out of the folder was followed")
		}
	})
}
