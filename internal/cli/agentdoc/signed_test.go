package agentdoc

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/cli"
)

// TestSmallFiles: what is remembered stays readable, however much there is of it.
func TestSmallFiles(t *testing.T) {
	h := cli.Home{Dir: t.TempDir()}
	signed := make(signatures, mostSignatures)
	for i := range signed {
		signed[i] = strings.Repeat("s", 88)
	}
	if err := cli.WriteJSON(signaturesFile(h), signed); err != nil {
		t.Error(err)
	}
	if again, err := readSignatures(h); err != nil || len(again) != mostSignatures {
		t.Errorf("%d signatures are known, %v", len(again), err)
	}
}
