package vault_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
)

// TestImportCutOff calls an import off: it leaves nothing, is told apart from one that
// was taken back, and cannot be.
func TestImportCutOff(t *testing.T) {
	racing.Skip(t)
	h := open(t)
	var b bundle
	for i := range 2000 {
		b.chunks = append(b.chunks, chunk(fmt.Sprint(i), fmt.Sprintf("fact %d", i)))
	}
	ctx, stop := context.WithCancel(h.ctx)
	defer stop()
	_, err := h.ImportBrain(ctx, h.owner(), b.open(t), aimem.Import{Progress: func(done int) {
		if done >= 1000 {
			stop()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("the import ended with %v", err)
	}
	imports, err := h.Imports(h.ctx, h.owner())
	if err != nil || len(imports) != 1 {
		t.Fatalf("%d imports, %v", len(imports), err)
	}
	if i := imports[0]; i.State != store.CutOff || i.Created != 0 {
		t.Errorf("it is %s and added %d", i.State, i.Created)
	}
	if _, err := h.Undo(h.ctx, h.owner(), imports[0].Number); err == nil {
		t.Error("it was taken back")
	}
}
