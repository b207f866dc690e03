package mapping_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// quick fails a test that takes as long as where each part is held against all others.
func quick(t *testing.T, read func()) {
	t.Helper()
	begun := time.Now()
	read()
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
}

// TestManyTies takes most of a minute where each relation is compared with all before it.
func TestManyTies(t *testing.T) {
	t.Run("AICF-SIZE-4 sources of a consolidation", func(t *testing.T) {
		var sources strings.Builder
		for i := range 100_000 {
			fmt.Fprintf(&sources, "|item_%d", i)
		}
		text := "1|@CONSOLIDATION:c1\n2|semantic_theme=roses\n3|source_items=" + sources.String()[1:] + "\n4|consolidated_at=2025-01-01T00:00:00Z\n5|\n"
		quick(t, func() {
			if _, _, err := tryRecords(text, mapOptions()); err == nil || !strings.Contains(err.Error(), "more relations than may be read") {
				t.Error(err)
			}
		})
	})
}

// TestManyKeys takes minutes where each key is looked for among all others.
func TestManyKeys(t *testing.T) {
	t.Run("AICF-STATE-6 keys of a state for the user", func(t *testing.T) {
		const many = 20_000
		var text strings.Builder
		text.WriteString("1|@STATE\n2|scope=session\n")
		for i := range many {
			fmt.Fprintf(&text, "%d|user:key_%d=v\n", i+3, i)
		}
		quick(t, func() {
			if all, _ := recordsIn(t, text.String()); len(all) < many {
				t.Errorf("%d records", len(all))
			}
		})
	})
}
