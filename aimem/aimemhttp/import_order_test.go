package aimemhttp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/aimem/aimemhttp"
)

// TestSignatureHasItsTurn: what came as a signature is looked at after format and
// checksum (decision AD-3), and not at all where nobody looks at signatures.
func TestSignatureHasItsTurn(t *testing.T) {
	good, stale := bundle(1), strings.Replace(bundle(1), "sha256:", "sha256:0", 1)
	junk, twice := []string{"AIMEM-Signature: !!!"}, []string{"AIMEM-Signature: 0oQ=", "AIMEM-Signature: 0oQ="}
	for _, c := range []struct {
		name   string
		policy aimem.Policy
		body   string
		header []string
		want   string
	}{
		{"AIMEM-2.8-8 a wrong checksum comes before junk", "", stale, junk, "409 checksum_mismatch"},
		{"AIMEM-2.8-8 a wrong checksum comes before two signatures", "", stale, twice, "409 checksum_mismatch"},
		{"AIMEM-2.1-2 another format comes before junk", "", strings.Replace(good, "aimem-bundle", "other-bundle", 1), junk, "422 bad_format"},
		{"AIMEM-2-1 what is no JSON comes before junk", "", "{", junk, "422 not_json"},
		{"AIMEM-5.3-9 junk is refused", "", good, junk, "422 signature_invalid"},
		{"AIMEM-5.3-9 two signatures are refused", "", good, twice, "422 signature_invalid"},
		{"AIMEM-5.3-9 junk comes before a wrong record", "", bundle(1, `chunks=[5]`), junk, "422 signature_invalid"},
		{"AIMEM-5.3-8 junk that nobody looks at", aimem.SkipSignature, good, junk, "200 skipped"},
		{"AIMEM-5.3-8 two signatures that nobody looks at", aimem.SkipSignature, good, twice, "200 skipped"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, &service{}, aimemhttp.Options{Policy: c.policy})
			a := s.do(t, "POST", "/v1/brain/import", c.body, c.header...)
			got := fmt.Sprint(a.StatusCode)
			if len(s.service.imported) > 0 {
				got += " " + string(s.service.imported[0].Signature)
			} else {
				got += " " + string(a.problem(t).Code)
			}
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}
