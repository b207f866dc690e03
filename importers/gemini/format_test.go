package gemini_test

import (
	"testing"

	"github.com/satchel-memory/satchel/importers/gemini"
	"github.com/satchel-memory/satchel/importers/importtest"
)

func TestVectors(t *testing.T) { importtest.Run(t, gemini.Format(), "testdata") }

// Every loss of the vectors is declared, and every declared one is in them.
func TestDeclared(t *testing.T) { importtest.Declared(t, gemini.Format(), "testdata") }

func FuzzRead(f *testing.F) { importtest.Fuzz(f, gemini.Format(), "x.json", "testdata") }
