package umpmcp_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umpmcp"
)

func TestResourceURI(t *testing.T) {
	for _, c := range []struct {
		uri, project string
		id           memory.ID
	}{
		{"ump://github.com%2Fexample%2Fproject/urn:ump:abc", "github.com/example/project", "urn:ump:abc"},
		{"ump://_/urn:ump:abc", "", "urn:ump:abc"},
		{"ump://%5F/urn:ump:abc", "_", "urn:ump:abc"},
		{"ump://a%20b%25/urn:ump:A.b_c~d-e", "a b%", "urn:ump:A.b_c~d-e"},
		{"ump://caf%C3%A9/urn:ump:abc", "café", "urn:ump:abc"},
	} {
		t.Run("UMP-4.1-7 "+c.uri, func(t *testing.T) {
			if got := umpmcp.ResourceURI(c.project, c.id); got != c.uri {
				t.Errorf("ResourceURI = %s", got)
			}
			project, id, err := umpmcp.ParseResourceURI(c.uri)
			if err != nil || project != c.project || id != c.id {
				t.Errorf("ParseResourceURI = %q, %q, %v", project, id, err)
			}
		})
	}
	t.Run("UMP-4.1-7 slashes as they are", func(t *testing.T) {
		project, id, err := umpmcp.ParseResourceURI("ump://github.com/example/project/urn%3Aump%3Aabc")
		if err != nil || project != "github.com/example/project" || id != "urn:ump:abc" {
			t.Errorf("%q, %q, %v", project, id, err)
		}
	})
	for _, wrong := range []string{
		"", "ump://", "ump:///urn:ump:abc", "ump://_/", "ump://_/abc", "ump://_", "http://_/urn:ump:abc", "UMP://_/urn:ump:abc",
		"ump://%/urn:ump:abc", "ump://%ff/urn:ump:abc", "ump://_/urn:ump:%ff", "ump://" + strings.Repeat("a", 20_000) + "/urn:ump:abc",
	} {
		if project, id, err := umpmcp.ParseResourceURI(wrong); err == nil {
			t.Errorf("%.60q is taken for %q, %q", wrong, project, id)
		}
	}
}

func FuzzParseResourceURI(f *testing.F) {
	for _, seed := range []string{
		"ump://github.com%2Fexample%2Fproject/urn:ump:abc", "ump://_/urn:ump:abc", "ump://%5f/urn:ump:a%2Fb", "ump://a/b/urn:ump:c",
		"ump://%/urn:ump:abc", "ump:///urn:ump:abc", "satchel://brief",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, uri string) {
		project, id, err := umpmcp.ParseResourceURI(uri)
		if err != nil {
			return
		}
		if !utf8.ValidString(project) || !utf8.ValidString(string(id)) {
			t.Fatalf("%q gives bytes that are not UTF-8", uri)
		}
		canonical := umpmcp.ResourceURI(project, id)
		again, same, err := umpmcp.ParseResourceURI(canonical)
		if len(canonical) <= 16<<10 && (err != nil || again != project || same != id) {
			t.Fatalf("%q -> %q, %q -> %q -> %q, %q, %v", uri, project, id, canonical, again, same, err)
		}
	})
}
