package claudeai_test

import (
	"testing"

	"github.com/satchel-memory/satchel/importers/claudeai"
	"github.com/satchel-memory/satchel/importers/importtest"
)

func TestVectors(t *testing.T) { importtest.Run(t, claudeai.Format(), "testdata") }

// The format declares every loss of the vectors, and the vectors show every declared loss.
func TestDeclared(t *testing.T) { importtest.Declared(t, claudeai.Format(), "testdata") }

func FuzzRead(f *testing.F) { importtest.Fuzz(f, claudeai.Format(), "x.json", "testdata") }
