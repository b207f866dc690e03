package codec_test

import (
	"testing"

	"github.com/satchel-memory/satchel/codec"
)

func TestPortable(t *testing.T) {
	for _, name := range []string{"a.md", ".cursor", "Ünïcödé 中文", "con memory.md", "a.b c", ".a/b.md"} {
		if !codec.Portable(name) {
			t.Errorf("%q is refused", name)
		}
	}
	for _, name := range []string{"", ".", "..", "a.", "a ", "/a", "a/", "a/../b", "a./b", "aux/b", `a\b`, "What?", "C:x", "a\x00", "a\n", "a\x7f", "a\xff", "NUL", "con.md", "<a>", `"`, "a|b", "*"} {
		if codec.Portable(name) {
			t.Errorf("%q is allowed", name)
		}
	}
}

func TestReserved(t *testing.T) {
	for name, want := range map[string]string{
		"con": "con", "Nul.txt": "Nul", "aux .a.md": "aux", "COM1": "COM1", "lpt².md": "lpt²", "CONOUT$": "CONOUT$",
		"": "", "con memory": "", "acon": "", "com": "", "com10": "", "com¹¹": "", ".nul": "", " nul": "", "a.con": "",
	} {
		if got := codec.Reserved(name); got != want {
			t.Errorf("of %q %q is reserved, want %q", name, got, want)
		}
	}
}
