package agent

import (
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/cli"
)

// TestSmallFiles: what is remembered stays readable, however much there is of it.
func TestSmallFiles(t *testing.T) {
	h := cli.Home{Dir: t.TempDir()}
	for i := range 400 {
		if err := RememberPlatform(h, fmt.Sprintf("https://%03d.%s.example", i, strings.Repeat("p", 150)), strings.Repeat("n", 100)); err != nil {
			t.Fatal(i, err)
		}
	}
	known, err := ReadPlatforms(h)
	if last := fmt.Sprintf("https://399.%s.example", strings.Repeat("p", 150)); err != nil || len(known) < 100 || known[last] == "" {
		t.Errorf("%d platforms are known, %v", len(known), err)
	}
}
