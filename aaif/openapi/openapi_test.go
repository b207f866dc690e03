package openapi_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/openapi"
	"github.com/satchel-memory/satchel/canon"
)

func tree(t testing.TB, raw string) canon.Value {
	t.Helper()
	v, err := aaif.FromJSON([]byte(raw), aaif.ReadOptions{})
	if err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return v
}

// shop is a description of an edition, with members besides.
func shop(edition, more string) string {
	return `{"openapi":"` + edition + `","info":{"title":"Shop","version":"1"},"paths":{` +
		`"/pets":{"summary":"s","get":{"operationId":"listPets"},"post":{"operationId":"createPets","security":[{"key":[]}]}},` +
		`"/pets/{petId}":{"parameters":[],"get":{}}},` +
		`"components":{"securitySchemes":{"key":{"type":"apiKey","in":"header","name":"X-Pet-Key"},"query":{"type":"apiKey","in":"query","name":"k"},` +
		`"basic":{"type":"http","scheme":"Basic"},"bearer":{"type":"http","scheme":"bearer"},"oauth":{"type":"oauth2"},"oidc":{"type":"openIdConnect"},"tls":{"type":"mutualTLS"},"odd":{"type":"http","scheme":"digest"}}}` + more + `}`
}

func read(t testing.TB, raw string) openapi.Description {
	t.Helper()
	d, err := openapi.Read(tree(t, raw))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func names(offers []openapi.OfferedTool) string {
	var list []string
	for _, o := range offers {
		list = append(list, o.Name)
	}
	return strings.Join(list, " ")
}

func key() aaif.Tool { return aaif.Tool{Name: "pets", Auth: aaif.Auth{Type: "api_key"}} }

func TestOperations(t *testing.T) {
	for _, edition := range []string{"3.0.3", "3.1.0"} {
		t.Run("AAIF-4.4-11 a tool for each operation of "+edition, func(t *testing.T) {
			offers, found := read(t, shop(edition, "")).Offer(key(), "/agent/tools/0", nil)
			if got := names(offers); got != "pets__listPets pets__createPets pets__get__pets__petId_" || len(found) > 0 {
				t.Errorf("got %s, %v", got, found)
			}
		})
	}
	for name, c := range map[string]struct {
		include []string
		want    string
		wrong   aaif.Code
	}{
		"one":              {[]string{"listPets"}, "pets__listPets", ""},
		"none":             {[]string{}, "", ""},
		"one that is not":  {[]string{"listPets", "listpets"}, "pets__listPets", aaif.Unresolved},
		"what has no name": {[]string{"get_/pets/{petId}"}, "pets__get__pets__petId_", ""},
	} {
		t.Run("AAIF-4.4-11 the operator includes "+name, func(t *testing.T) {
			offers, found := read(t, shop("3.0.3", "")).Offer(key(), "", c.include)
			if got := names(offers); got != c.want || (c.wrong != "") != (len(found) == 1 && aaif.CodeOf(found[0]) == c.wrong) {
				t.Errorf("got %s, %v", got, found)
			}
		})
	}
	for name, raw := range map[string]string{
		"Swagger 2.0": `{"swagger":"2.0","paths":{}}`, "OpenAPI 4": `{"openapi":"4.0.0"}`, "nothing": `{"paths":{}}`, "a number": `{"openapi":3.0}`, "a list": `[]`,
	} {
		t.Run("AAIF-4.4-11 a description of "+name, func(t *testing.T) {
			if _, err := openapi.Read(tree(t, raw)); aaif.CodeOf(err) != aaif.OpenAPIVersionUnsupported {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("AAIF-4.4-11 two operations of one name", func(t *testing.T) {
		offers, found := read(t, `{"openapi":"3.0.0","paths":{"/a":{"get":{"operationId":"x"}},"/b":{"get":{"operationId":"x"},"$ref":"#/y"}}}`).Offer(key(), "", nil)
		if len(offers) != 1 || len(found) != 1 || aaif.CodeOf(found[0]) != aaif.Duplicated {
			t.Errorf("got %v, %v", offers, found)
		}
	})
	t.Run("AAIF-4.4-11 more operations than are read", func(t *testing.T) {
		var paths []string
		for i := range openapi.MostOperations + 5 {
			paths = append(paths, fmt.Sprintf(`"/%d":{"get":{}}`, i))
		}
		d := read(t, `{"openapi":"3.0.0","paths":{`+strings.Join(paths, ",")+`}}`)
		if len(d.Operations) != openapi.MostOperations || len(d.Skipped) != 1 {
			t.Errorf("got %d, %q", len(d.Operations), d.Skipped)
		}
	})
}

func TestSecurity(t *testing.T) {
	every := []string{"none", "bearer", "api_key", "oauth2", "aws_sigv4", "basic", "mtls"}
	for _, c := range []struct {
		security string
		fits     []string
		in, name string
	}{
		{`[]`, every, "", ""},
		{`[{"key":[]},{}]`, every, "", ""},
		{`[{"key":[]}]`, []string{"api_key"}, "header", "X-Pet-Key"},
		{`[{"query":[]}]`, []string{"api_key"}, "query", "k"},
		{`[{"basic":[]}]`, []string{"basic"}, "header", "Authorization"},
		{`[{"bearer":[]}]`, []string{"bearer", "oauth2"}, "header", "Authorization"},
		{`[{"oauth":["read"]}]`, []string{"bearer", "oauth2"}, "header", "Authorization"},
		{`[{"oidc":[]}]`, []string{"bearer", "oauth2"}, "header", "Authorization"},
		{`[{"tls":[]}]`, []string{"mtls"}, "tls", ""},
		{`[{"odd":[]}]`, nil, "", ""},
		{`[{"unheard":[]}]`, nil, "", ""},
		{`[{"key":[],"basic":[]}]`, nil, "", ""},
		{`[{"key":[],"basic":[]},{"tls":[]}]`, []string{"mtls"}, "tls", ""},
	} {
		for _, auth := range every {
			t.Run("AAIF-4.4-12 "+c.security+" and auth "+auth, func(t *testing.T) {
				d := read(t, shop("3.1.0", `,"security":`+c.security))
				offers, found := d.Offer(aaif.Tool{Name: "pets", Auth: aaif.Auth{Type: auth}}, "/agent/tools/0", []string{"listPets"})
				if !slices.Contains(c.fits, auth) {
					if len(offers) > 0 || len(found) != 1 || aaif.CodeOf(found[0]) != aaif.ToolAuthMissing || found[0].Path != "/agent/tools/0/auth" {
						t.Errorf("got %v, %v", offers, found)
					}
					return
				}
				if len(found) > 0 || len(offers) != 1 || offers[0].Auth.In != c.in || offers[0].Auth.Name != c.name {
					t.Errorf("got %+v, %v", offers, found)
				}
			})
		}
	}
	for header, want := range map[string]bool{"": true, "x-pet-key": true, "X-API-Key": false} {
		t.Run("AAIF-4.4-12 the header of the scheme beside that of the tool, "+header, func(t *testing.T) {
			tool := aaif.Tool{Name: "pets", Auth: aaif.Auth{Type: "api_key", Header: header}}
			offers, _ := read(t, shop("3.1.0", "")).Offer(tool, "", []string{"createPets"})
			if (len(offers) == 1) != want {
				t.Errorf("got %v", offers)
			}
		})
	}
}
