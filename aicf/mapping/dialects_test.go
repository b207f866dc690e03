package mapping_test

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/satchel-memory/satchel/aicf"
)

// What was read from older files is written as entries that have all that 3.1 demands: as
// much of it as a migration finds.
func TestWhatOlderFilesSaidIsWrittenValid(t *testing.T) {
	untyped := "@AICF_VERSION\n2.0.0\n\n@CONVERSATIONS\n@SCHEMA\nC#|TIMESTAMP|TITLE\n\n@DATA\n1|20251001T230000Z|beans\n\n@LINKS\nC:1->D:8|\n"
	texts := map[string]string{"a link without a type": untyped}
	for _, name := range []string{"D5-compiled", "D6-alpha", "D7-watcher", "D8-conversations", "D9-guide", "D10-plain", "D10-rows", "D11-array", "D11-lists", "D11-object"} {
		archive, err := txtar.ParseFile(filepath.Join("../testdata/dialects", name+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(archive.Files[0].Data)
	}
	for name, text := range texts {
		for how, apart := range map[string]bool{"apart": true, "whole": false} {
			t.Run("AICF-WRITE-1 "+name+" "+how, func(t *testing.T) {
				opt := mapOptions()
				opt.Apart = apart
				records, _, err := tryRecords(text, opt)
				if err != nil {
					t.Fatal(err)
				}
				if !apart { // one is missing, so that the file cannot be what it was
					records = records[1:]
				}
				written, _ := fileOf(t, records...)
				_, report, err := aicf.Migrate([]byte(text), aicf.Options{})
				if err != nil {
					t.Fatal(err)
				}
				known := map[string]bool{}
				for _, f := range report.Findings {
					known[f.Rule] = true
				}
				found, err := aicf.Validate([]byte(written), aicf.Options{Partial: !apart})
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range found {
					if f.Severity == aicf.Broken && !known[f.Rule] {
						t.Errorf("%s in\n%s", f, written)
					}
				}
			})
		}
	}
}
