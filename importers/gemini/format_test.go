package gemini_test

import (
	"testing"

	"github.com/satchel-memory/satchel/importers/gemini"
	"github.com/satchel-memory/satchel/importers/importtest"
)

func TestVectors(t *testing.T) { importtest.Run(t, gemini.Format(), "testdata") }

// The format declares every loss of the vectors, and the vectors show every declared loss.
func TestDeclared(t *testing.T) { importtest.Declared(t, gemini.Format(), "testdata") }

func FuzzRead(f *testing.F) { importtest.Fuzz(f, gemini.Format(), "x.json", "testdata") }
