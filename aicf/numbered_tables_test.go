package aicf

import (
	"reflect"
	"strings"
	"testing"
)

// Tables say the same with line numbers and without, whatever version the file declares.
func TestNumberedTables(t *testing.T) {
	const tables = "@TASKS\n@SCHEMA\nT#|TASK\n@DATA\n1|Repair\n2|Buy\n\n@CONVERSATIONS\n@SCHEMA\nC#|TIMESTAMP|TOPIC\n\n@DATA\n7|20251001T230000Z|seeds\n\n" +
		"@STATE\nstatus=completed\n"
	for name, head := range map[string]string{
		"no version": "", "1.0": "@AICF_VERSION\nversion=1.0\n\n", "2.0": "@AICF_VERSION\n2.0.0\n\n", "2.0 in a field": "@AICF_VERSION\nversion=2.0\n\n",
		"3.0": "@AICF_VERSION\nversion=3.0\n\n", "3.1": "@AICF_VERSION\nversion=3.1\n\n",
	} {
		t.Run("AICF-COMPAT-10 "+name, func(t *testing.T) {
			plain := head + tables
			withNumbers := numberLines(plain, func(int, string) bool { return true })
			want, _ := placeless(t, plain)
			got, _ := placeless(t, withNumbers)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%v\nwant\n%v", got, want)
			}
			wantOut, wantReport := migrated(t, []byte(plain))
			gotOut, gotReport := migrated(t, []byte(withNumbers))
			if gotOut != wantOut || !reflect.DeepEqual(gotReport, wantReport) {
				t.Errorf("migrated to\n%s%v\nwant\n%s%v", gotOut, gotReport, wantOut, wantReport)
			}
		})
	}
}

// A numbered table is written as it was read, and its kind is seen in a large file, too.
func TestNumberedTablesStay(t *testing.T) {
	data := []byte("1|@TASKS\n2|@SCHEMA\n3|T#|TASK\n4|@DATA\n5|1|Repair\n6|2|Buy\n")
	if got, _, err := Encode(contentsOf(t, data), WriteOptions{Preserve: true}); err != nil || string(got) != string(data) {
		t.Errorf("AICF-WRITE-8 %v, written\n%s", err, got)
	}
	if Sectioned(data) {
		t.Error("a table is read section by section, without its columns")
	}
}

// A section that is only called SCHEMA makes no table of a file.
func TestSchemaOfFields(t *testing.T) {
	for _, text := range []string{"1|@SCHEMA\n2|name=beds\n3|\n", "1|@SCHEMA\n2|\n3|@STATE\n4|status=completed\n"} {
		if d := Detect([]byte(text)); d != Spec {
			t.Errorf("AICF-REF-1 %q is %s", text, d)
		}
	}
}

// A session of another writer goes where the format has a place for it, beside a table, too.
func TestSessionBesideATable(t *testing.T) {
	out, report := migrated(t, []byte(numberLines("@AICF_VERSION\nversion=3.0\n\n@SESSION:s7\nclient=aether\nmood=good\n\n@TASKS\n@SCHEMA\nT#|TASK\n@DATA\n1|Repair\n", func(int, string) bool { return true })))
	if !strings.Contains(out, "|@SOURCE:SESSION s7\n") || !strings.Contains(out, "|mood=good\n") || strings.Contains(shownFindings(report.Findings), "AICF-SESSION") {
		t.Errorf("%v\n%s", report.Findings, out)
	}
}
