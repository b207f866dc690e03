package chatgpt_test

import (
	"testing"

	"github.com/satchel-memory/satchel/importers/chatgpt"
	"github.com/satchel-memory/satchel/importers/importtest"
)

func TestVectors(t *testing.T) { importtest.Run(t, chatgpt.Format(), "testdata") }

// The format declares every loss of the vectors, and the vectors show every declared loss.
func TestDeclared(t *testing.T) { importtest.Declared(t, chatgpt.Format(), "testdata") }

func FuzzRead(f *testing.F) { importtest.Fuzz(f, chatgpt.Format(), "x.json", "testdata") }
