package bundle_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
)

// TestImportCutOff calls an import off: it leaves nothing, is told apart from one that
// was taken back, and cannot be.
func TestImportCutOff(t *testing.T) {
	racing.Skip(t)
	h := open(t)
	var b vaulttest.Bundle
	for i := range 8 * vaulttest.Batch {
		b.Chunks = append(b.Chunks, vaulttest.Chunk(fmt.Sprint(i), fmt.Sprintf("fact %d", i)))
	}
	ctx, stop := context.WithCancel(h.Ctx)
	defer stop()
	_, err := h.ImportBrain(ctx, h.Me(), b.Open(t), aimem.Import{Progress: func(done int) {
		if done >= 4*vaulttest.Batch {
			stop()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("the import ended with %v", err)
	}
	imports, err := h.Imports(h.Ctx, h.Me())
	if err != nil || len(imports) != 1 {
		t.Fatalf("%d imports, %v", len(imports), err)
	}
	if i := imports[0]; i.State != store.CutOff || i.Created != 0 {
		t.Errorf("it is %s and added %d", i.State, i.Created)
	}
	if _, err := h.Undo(h.Ctx, h.Me(), imports[0].Number); err == nil {
		t.Error("it was taken back")
	}
}
