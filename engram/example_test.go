package engram_test

import (
	"os"
	"path/filepath"
	"testing"
)

// example is the sample with what the export of appendix A has: three beliefs that hold, and a
// placeholder for its signature.
func example(t *testing.T) []byte {
	t.Helper()
	v := tree(t, sample)
	for _, edit := range [][2]string{
		{"/signature", `"here-goes-the-signature"`},
		{"/constraints", ""},
		{"/identity/bio", ""},
		{"/beliefs/1/category", `"work_style"`},
		{"/beliefs/1/status", `"active"`},
		{"/beliefs/2", `{"id":"` + gone + `","category":"projects","key":"chart","value":"Draws the bar — with its tides","confidence":1.0,"source":"user_stated",
			"status":"active","created_at":"2026-02-06T09:00:00Z","last_confirmed":"2026-04-30T00:00:00Z","stale_after_days":14}`},
	} {
		v = edited(t, v, edit[0], edit[1])
	}
	return v.Append(nil)
}

// examples returns the example, and that of the text where SATCHEL_SHARED has it.
func examples(t *testing.T) map[string][]byte {
	t.Helper()
	all := map[string][]byte{"an example like that of the text": example(t)}
	published(t, func(raw []byte) { all["the example of the text"] = raw })
	return all
}

// published calls use with the example of the text if SATCHEL_SHARED has it.
func published(t *testing.T, use func(raw []byte)) {
	t.Helper()
	shared := os.Getenv("SATCHEL_SHARED")
	if shared == "" {
		return
	}
	raw, err := os.ReadFile(filepath.Join(shared, "specs", "vectors", "engram-appendix-a.json"))
	if err != nil {
		t.Fatal(err)
	}
	use(raw)
}
