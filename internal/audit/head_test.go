package audit_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/satchel-memory/satchel/internal/audit"
)

func TestHeadText(t *testing.T) {
	l := logOf(t, 1)
	f := filled(t, l, 3)
	h := head(t, f)
	if h.String() != string(f.head) {
		t.Errorf("got\n%s\nwant\n%s", h, f.head)
	}
	if err := h.Check(l.Owner); err != nil {
		t.Error(err)
	}
	if err := h.Check(logOf(t, 2).Owner); !errors.Is(err, audit.ErrForeign) {
		t.Errorf("another owner: %v", err)
	}
	h.Size++
	if err := h.Check(l.Owner); !errors.Is(err, audit.ErrForged) {
		t.Errorf("changed: %v", err)
	}
}

// TestHeadIsANote: programs that know signed notes can check it.
func TestHeadIsANote(t *testing.T) {
	l := logOf(t, 1)
	text, err := note.NewEd25519VerifierKey(string(l.Owner), l.Key.Public())
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := note.NewVerifier(text)
	if err != nil {
		t.Fatal(err)
	}
	n, err := note.Open(filled(t, l, 3).head, note.VerifierList(verifier))
	if err != nil || len(n.Sigs) != 1 {
		t.Errorf("got %+v, %v", n, err)
	}
}

func TestParseHeadRefuses(t *testing.T) {
	good := string(filled(t, logOf(t, 1), 3).head)
	line := strings.Split(good, "\n")
	for name, text := range map[string]string{
		"nothing":            "",
		"a word":             "x",
		"no signature":       strings.Join(line[:5], "\n") + "\n",
		"two signatures":     good + line[5] + "\n",
		"another signer":     good + strings.Replace(line[5], "did:", "dod:", 1) + "\n",
		"a line more":        strings.Replace(good, "\n\n", "\nx\n\n", 1),
		"a line fewer":       strings.Replace(good, line[3]+"\n", "", 1),
		"negative":           strings.Replace(good, "\n3\n", "\n-3\n", 1),
		"a zero before":      strings.Replace(good, "\n3\n", "\n03\n", 1),
		"a plus":             strings.Replace(good, "\n3\n", "\n+3\n", 1),
		"too large a number": strings.Replace(good, "\n3\n", "\n99999999999999999999\n", 1),
		"another origin":     strings.Replace(good, "satchel", "Satchel", 1),
		"a root cut":         strings.Replace(good, line[2], line[2][:20], 1),
		"a time in a zone":   strings.Replace(good, line[3], "2026-03-01T13:00:02+01:00", 1),
		"no time":            strings.Replace(good, line[3], "noon", 1),
		"CRLF":               strings.ReplaceAll(good, "\n", "\r\n"),
		"a blank behind":     good + " ",
		"no end of line":     strings.TrimSuffix(good, "\n"),
		"a signature cut":    strings.Replace(good, line[5], line[5][:len(line[5])-8], 1),
		"long":               good + strings.Repeat("x", 5000),
	} {
		if h, err := audit.ParseHead([]byte(text)); !errors.Is(err, audit.ErrBroken) || text == good {
			t.Errorf("%s: %+v, %v", name, h, err)
		}
	}
}

func FuzzParseHead(f *testing.F) {
	seed, err := os.ReadFile("testdata/log.txt")
	if err != nil {
		f.Fatal(err)
	}
	_, text, _ := strings.Cut(string(seed), "\n\n")
	f.Add([]byte(text))
	f.Add([]byte(strings.Replace(text, "\n2\n", "\n02\n", 1)))
	f.Fuzz(func(t *testing.T, text []byte) {
		h, err := audit.ParseHead(text)
		if err == nil && h.String() != string(text) {
			t.Errorf("read\n%q\nwrote\n%q", text, h.String())
		}
	})
}
