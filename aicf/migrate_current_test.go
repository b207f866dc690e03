package aicf

import (
	"strings"
	"testing"
)

// A file that declares 3.1 and has what other writers put into it is migrated as one of 3.0
// is; whatever is valid stays byte for byte.
func TestMigrateMendsACurrentFile(t *testing.T) {
	const (
		before = "1|@AICF_VERSION\n2|version=3.1\n3|\n4|@CONVERSATION:c1\n5|timestamp_start=2025-10-06T08:00:00.0Z\n6|timestamp_end=2025-10-06T09:00:00Z\n"
		after  = "8|\n9|@STATE\n10|status=completed\n11|\n"
		valid  = before + "7|messages=1\n" + after
	)
	for _, test := range []struct {
		name, text string
		want, gone []string
	}{
		{"a valid file stays", valid, []string{valid}, []string{"SOURCE"}},
		{"AICF-SESSION-2 a foreign session", valid + "12|@SESSION:s7\n13|client=aether\n14|mood=good\n15|\n",
			[]string{valid, "|@SOURCE:SESSION s7\n", "|client=aether\n", "|mood=good\n"}, []string{"@SESSION:"}},
		{"AICF-CONV-4 a number that is none", before + "7|messages=reference\n" + after,
			[]string{"|messages=0\n", "|x_messages=reference\n", "|x_assumed=messages\n", "|@STATE\n"}, []string{"|messages=reference"}},
		{"AICF-HDR-2 a header that is none", valid + "12|@FINDINGS next to the gate\n13|what=A loose post\n14|\n",
			[]string{valid, "|@SOURCE:FINDINGS next to the gate\n", "|what=A loose post\n"}, []string{"|@FINDINGS"}},
		{"AICF-INS-10 an insight of two parts", valid + "12|@INSIGHTS the post is loose|GENERAL\n13|\n",
			[]string{valid, "the post is loose|GENERAL|MEDIUM|MEDIUM|x_assumed="}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, report, err := Migrate([]byte(test.text), Options{})
			if err != nil {
				t.Fatal(err)
			}
			out, _, err := Encode(c, WriteOptions{Preserve: true})
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range test.want {
				if !strings.Contains(string(out), want) {
					t.Errorf("%q is not in\n%s", want, out)
				}
			}
			for _, gone := range test.gone {
				if strings.Contains(string(out), gone) {
					t.Errorf("%q is in\n%s", gone, out)
				}
			}
			if found, err := Validate(out, Options{}); err != nil || Fatal(found, false) || Fatal(report.Findings, false) {
				t.Errorf("AICF-COMPAT-4 %v %v, reported %v in\n%s", err, found, report.Findings, out)
			}
		})
	}
}

// What a migration cannot mend is among its findings, as a validation of the result says.
func TestMigrateSaysWhatStaysBroken(t *testing.T) {
	data := []byte("1|@AICF_VERSION\n2|version=3.1\n3|\n4|@STATE\n7|status=completed\n6|\n")
	c, report, err := Migrate(data, Options{Partial: true})
	if err != nil {
		t.Fatal(err)
	}
	out, _, err := Encode(c, WriteOptions{Preserve: true})
	if err != nil {
		t.Fatal(err)
	}
	found, err := Validate(out, Options{Partial: true})
	if err != nil || Fatal(found, false) != Fatal(report.Findings, false) || !strings.Contains(shownFindings(report.Findings), codeLineNumber) {
		t.Errorf("%v: reported\n%v\nvalidated\n%v", err, report.Findings, found)
	}
}
