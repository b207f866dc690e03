package tool_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/run/tool"
)

// shop is a description of an edition, with a server.
func shop(edition, server string) string {
	return `{"openapi":"` + edition + `","info":{"title":"Shop","version":"1"},"servers":[{"url":"` + server + `"}],"paths":{
"/list":{"get":{"operationId":"listPets","summary":"Lists pets.","parameters":[{"name":"limit","in":"query","schema":{"type":"integer"}},{"name":"tag","in":"query","schema":{"type":"array","items":{"type":"string"}}},
	{"name":"X-Trace","in":"header","schema":{"type":"string"}},{"name":"Authorization","in":"header","schema":{"type":"string"}},{"name":"seen","in":"cookie","schema":{"type":"string"}}]}},
"/make":{"post":{"operationId":"createPets","security":[{"key":[]}],"requestBody":{"required":true,"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Pet"}}}}}},
"/pets/{petId}":{"parameters":[{"$ref":"#/components/parameters/id"}],"get":{"operationId":"showPet"},"delete":{"operationId":"dropPet","security":[{"word":[]}]}}},
"components":{"parameters":{"id":{"name":"petId","in":"path","required":true,"schema":{"type":"string"}}},
"schemas":{"Pet":{"type":"object","required":["name"],"properties":{"name":{"type":"string","nullable":true},"owner":{"$ref":"#/components/schemas/Pet"}}}},
"securitySchemes":{"key":{"type":"apiKey","in":"header","name":"X-Pet-Key"},"word":{"type":"apiKey","in":"query","name":"word"},"basic":{"type":"http","scheme":"basic"}}}}`
}

func openapiTool(endpoint string) aaif.Tool {
	return aaif.Tool{Name: "pets", Description: "d", Protocol: aaif.OpenAPITool, Endpoint: endpoint, Auth: aaif.Auth{Type: "api_key", EnvVar: "TOKEN"}}
}

func TestOpenAPI(t *testing.T) {
	fake, at := served(t)
	describes := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/old":
			_, _ = w.Write([]byte(`{"swagger":"2.0","paths":{}}`))
		case "/long":
			_, _ = w.Write([]byte(`"` + strings.Repeat("x", 5<<20) + `"`))
		case "/away":
			_, _ = w.Write([]byte(shop("3.0.3", "https://10.0.0.1/")))
		case "/redirect":
			http.Redirect(w, r, "http://localhost/x", http.StatusFound)
		case "/large": // 60 operations, each with a schema of about 100 kB
			parts := make([]string, 60)
			for i := range parts {
				parts[i] = fmt.Sprintf(`"/%d":{"post":{"operationId":"o%d","requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/S"}}}}}}`, i, i)
			}
			fmt.Fprintf(w, `{"openapi":"3.1.0","servers":[{"url":"%s"}],"paths":{%s},"components":{"schemas":{"S":{"description":"%s"}}}}`, at, strings.Join(parts, ","), strings.Repeat("x", 100_000))
		case "/yaml":
			_, _ = w.Write([]byte("openapi: 3.1.0\nservers:\n- url: " + at + "/call\npaths:\n  /list:\n    get:\n      operationId: listPets\n"))
		default:
			_, _ = w.Write([]byte(shop(strings.TrimPrefix(r.URL.Path, "/"), at+"/call")))
		}
	}))
	defer describes.Close()
	for _, edition := range []string{"3.0.3", "3.1.0"} {
		t.Run("AAIF-4.4-11 a tool for each operation of "+edition, func(t *testing.T) {
			set := open(t, secretive("s3cr3t-word"), openapiTool(describes.URL+"/"+edition))
			if got := names(set); got != "pets__createPets pets__dropPet pets__listPets pets__showPet" {
				t.Errorf("got %s of %+v", got, set.Offered())
			}
			if o := offered(t, set, "pets__listPets"); o.Description != "Lists pets." || !o.Nature.ReadOnly || o.Parameters.Get("properties").Get("limit").Get("type").Text() != "integer" {
				t.Errorf("got %+v", o)
			}
			if offered(t, set, "pets__createPets").Nature.ReadOnly || offered(t, set, "pets__dropPet").Nature.ReadOnly {
				t.Error("a write counts as read-only")
			}
		})
	}
	t.Run("AAIF-4.4-11 a description in YAML", func(t *testing.T) {
		if got := names(open(t, secretive("s3cr3t-word"), openapiTool(describes.URL+"/yaml"))); got != "pets__listPets" {
			t.Errorf("got %s", got)
		}
	})
	t.Run("AAIF-4.4-11 the operations that the operator lists", func(t *testing.T) {
		o := secretive("s3cr3t-word")
		o.Operator.Bindings = []tool.Binding{{Agent: "*", Tool: "pets", Operations: []string{"listPets"}}}
		if got := names(open(t, o, openapiTool(describes.URL+"/3.0.3"))); got != "pets__listPets" {
			t.Errorf("got %s", got)
		}
	})
	t.Run("AAIF-4.4-11 a description beside the definition", func(t *testing.T) {
		o := secretive("s3cr3t-word")
		o.Dir = t.TempDir()
		if err := os.WriteFile(o.Dir+"/shop.json", []byte(shop("3.0.3", at+"/call")), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := names(open(t, o, openapiTool("shop.json"))); !strings.Contains(got, "pets__listPets") {
			t.Errorf("got %s", got)
		}
		wantMissing(t, open(t, o, openapiTool("../shop.json")), aaif.ToolUnbound)
		wantMissing(t, open(t, o, openapiTool("/etc/passwd")), aaif.ToolUnbound)
	})
	for path, want := range map[string]aaif.Code{"/old": aaif.OpenAPIVersionUnsupported, "/long": aaif.ToolUnbound, "/redirect": egressDenied} {
		t.Run("AAIF-4.4-11 what is no description: "+path, func(t *testing.T) {
			wantMissing(t, open(t, secretive("s3cr3t-word"), openapiTool(describes.URL+path)), want)
		})
	}
	t.Run("AAIF-4.4-11 a description whose operations take too much together", func(t *testing.T) {
		offered, missing := 0, 0
		for _, o := range open(t, secretive("s3cr3t-word"), openapiTool(describes.URL+"/large")).Offered() {
			if o.Missing == nil {
				offered++
			} else if o.Missing.Code == schemaUnusable {
				missing++
			}
		}
		if offered != 41 || missing != 19 {
			t.Errorf("%d are offered, %d are not", offered, missing)
		}
	})
	t.Run("AAIF-12-1 a description that names a private server", func(t *testing.T) {
		for _, o := range open(t, secretive("s3cr3t-word"), openapiTool(describes.URL+"/away")).Offered() {
			if o.Missing == nil || o.Missing.Code != egressDenied {
				t.Errorf("got %+v", o)
			}
		}
	})
	set := open(t, secretive("s3cr3t-word"), openapiTool(describes.URL+"/3.0.3"))
	t.Run("AAIF-4.4-11 arguments in their places", func(t *testing.T) {
		if _, err := call(t, set, "pets__listPets", `{"limit":5,"tag":["a","b"],"X-Trace":"t","Authorization":"mine","seen":"yes"}`); err != nil {
			t.Fatal(err)
		}
		r := fake.Requests("list")[0]
		if r.Method != "GET" || r.Query != "limit=5&tag=a&tag=b" || r.Header.Get("X-Trace") != "t" || r.Header.Get("Cookie") != "seen=yes" || r.Header.Get("Authorization") != "" {
			t.Errorf("got %+v", r)
		}
		if _, err := call(t, set, "pets__createPets", `{"body":{"name":null,"owner":{"name":"b"}}}`); err != nil {
			t.Fatal(err)
		}
		if r := fake.Requests("make")[0]; r.Method != "POST" || r.Body != `{"name":null,"owner":{"name":"b"}}` || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Idempotency-Key") != "k1" {
			t.Errorf("got %+v", r)
		}
		_, _ = call(t, set, "pets__showPet", `{"petId":"a/b"}`)
		if r := fake.Requests("pets"); len(r) != 1 || r[0].Path != "/call/pets/a%2Fb" {
			t.Errorf("got %+v", r)
		}
	})
	for name, args := range map[string]string{"createPets": `{"body":{}}`, "listPets": `{"limit":"5"}`, "showPet": `{}`, "dropPet": `{"petId":"1","other":1}`} {
		t.Run("AAIF-4.4-28 wrong arguments of "+name, func(t *testing.T) {
			_, err := call(t, set, "pets__"+name, args)
			wantError(t, err, tool.ArgsInvalid, tool.NotSent)
		})
	}
	t.Run("AAIF-4.4-12 the secret goes where the scheme wants it", func(t *testing.T) {
		if got := fake.Requests("make")[0].Header.Get("X-Pet-Key"); got != "s3cr3t-word" {
			t.Errorf("got %q", got)
		}
		if _, err := call(t, set, "pets__dropPet", `{"petId":"1"}`); err != nil {
			t.Fatal(err)
		}
		if all := fake.Requests("pets"); all[len(all)-1].Query != "word=s3cr3t-word" {
			t.Errorf("got %+v", all)
		}
	})
	t.Run("AAIF-4.4-12 the tool has no auth that fits", func(t *testing.T) {
		entry := openapiTool(describes.URL + "/3.0.3")
		entry.Auth = aaif.Auth{}
		set := open(t, secretive("s3cr3t-word"), entry)
		missing := 0
		for _, o := range set.Offered() {
			if o.Missing != nil && o.Missing.Code == aaif.ToolAuthMissing {
				missing++
			}
		}
		if missing != 2 || names(set) != "pets__listPets pets__showPet" {
			t.Errorf("got %+v", set.Offered())
		}
	})
}
