package importtest

import (
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// Carry writes records into a folder and reads it again. Each must come back with its text,
// and with all its data that no loss of its own names. IDs identify the records.
func Carry(t testing.TB, format codec.Format, opt codec.Options, records ...memory.Record) (Files, []codec.Loss) {
	t.Helper()
	files := Files{}
	losses := WriteIn(t, format, files, opt, records...)
	for name, text := range files {
		if !format.Wrote(name, []byte(text)) {
			t.Errorf("%s does not say that it was written from here:\n%s", name, text)
		}
	}
	src := files.Source()
	if len(files) > 0 && format.Detect(src) < codec.Likely {
		t.Errorf("what was written is not recognised: %v", files)
	}
	again, further, err := Check(t, format, src, opt)
	if err != nil || len(further) > 0 {
		t.Fatalf("what was written is refused: %v, %v\n%v", err, further, files)
	}
	for _, r := range records {
		i := slices.IndexFunc(again, func(a memory.Record) bool { return came(r, a, losses) })
		if i < 0 {
			if !lost(losses, r.ID, "") {
				t.Errorf("%q of %s does not come back as it was; losses %v\n%v", r.Body.Text, r.ID, losses, files)
			}
			continue
		}
		again = slices.Delete(again, i, i+1)
	}
	if len(again) > 0 {
		t.Errorf("%d records came that were not written: %q", len(again), again[0].Body.Text)
	}
	return files, losses
}

// came reports whether a is the form in which r came back.
func came(r, a memory.Record, losses []codec.Loss) bool {
	if r.Body.Text != a.Body.Text && !lost(losses, r.ID, "/body/text") {
		return false
	}
	return !slices.ContainsFunc(codec.Differences(r, a), func(pointer string) bool { return !lost(losses, r.ID, pointer) })
}

// lost reports whether a loss of a record names a member, or an object around it; the empty
// pointer is the record as a whole.
func lost(losses []codec.Loss, id memory.ID, pointer string) bool {
	return slices.ContainsFunc(losses, func(l codec.Loss) bool {
		return l.ID == id && (l.Pointer == pointer || l.Pointer != "" && strings.HasPrefix(pointer, l.Pointer+"/"))
	})
}
