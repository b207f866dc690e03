package deepseek_test

import (
	"errors"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/importers/deepseek"
	"github.com/satchel-memory/satchel/importers/importtest"
)

func TestVectors(t *testing.T) { importtest.Run(t, deepseek.Format(), "testdata") }

// The format declares every loss of the vectors, and the vectors show every declared loss.
func TestDeclared(t *testing.T) { importtest.Declared(t, deepseek.Format(), "testdata") }

func FuzzRead(f *testing.F) { importtest.Fuzz(f, deepseek.Format(), "x.json", "testdata") }

// An export of ChatGPT has the same tree, and is none of DeepSeek.
func TestDetect(t *testing.T) {
	for text, want := range map[string]codec.Confidence{
		`[{"id":"a","title":"b","inserted_at":"2025-03-30T04:49:36+08:00","mapping":{"root":{}}}]`: codec.Likely,
		`[{"id":"a","title":"b","create_time":1,"mapping":{"root":{}}}]`:                           codec.No,
		`[]`: codec.No,
	} {
		src := importtest.File("conversations.json", text)
		if got := deepseek.Format().Detect(src); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// DEEPSEEK-4: without an owner, or a date for a record, nothing is read.
func TestDrafts(t *testing.T) {
	src := importtest.File("x", `[{"id":"a","inserted_at":null,"mapping":{"1":{"message":{"fragments":[{"type":"REQUEST","content":"Hi"}]}}}}]`)
	src.Modified = time.Time{}
	noOwner, noDate := importtest.Options(), importtest.Options()
	noOwner.Owner, noDate.Now = "", nil
	for name, opt := range map[string]codec.Options{"no owner": noOwner, "no date": noDate} {
		_, _, err := importtest.Read(deepseek.Format(), src, opt)
		if p, ok := errors.AsType[*codec.ParseError](err); !ok || p.Rule != "DEEPSEEK-4" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
