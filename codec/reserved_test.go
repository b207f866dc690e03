package codec_test

import (
	"testing"

	"github.com/satchel-memory/satchel/codec"
)

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
