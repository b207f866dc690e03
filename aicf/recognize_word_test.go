package aicf

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/codec"
)

// A first line of any word after an @, with a colon, is the header of a section. With a blank
// behind the colon it may be a mention: then the file needs a field, a cell or a further header.
func TestRecognizeAnyWord(t *testing.T) {
	for text, want := range map[string]bool{
		"@ZORK: something\nfoo=bar\n": true, "@ZORK:something\nfoo\n": true, "@SHIP_LOG:\nfoo=bar\n": true, "1|@ZORK: something\n": true,
		"@ANNA call back\n": false, "@zork: something\n": false, "@README.md: see there\n": false, "@ZORK: call back\n": false, "@ZORK: something\n@MAST: else\n": true, "see\n@ZORK: something\n": false,
	} {
		src := codec.Source{Name: "notes.txt", File: strings.NewReader(text), Size: int64(len(text))}
		if got := Recognize(src) > codec.No; got != want {
			t.Errorf("AICF-REF-1 %q: %v", text, got)
		}
	}
}
