package agentdoc

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/cli"
)

// offeredBeside reads the descriptions beside a definition of some tools.
func offeredBeside(t *testing.T, files map[string]string, endpoints ...string) (out []openapiOut, found []string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var tools []string
	for i, endpoint := range endpoints {
		tools = append(tools, fmt.Sprintf(`{"name":"t%d","description":"d","protocol":"openapi","endpoint":%q}`, i, endpoint))
	}
	v, err := canon.Parse([]byte(`{"agent":{"name":"A","goal":"G","tools":[`+strings.Join(tools, ",")+`]}}`), canon.Options{})
	if err != nil {
		t.Fatal(err)
	}
	out, list := openapiTools(filepath.Join(dir, "agent.json"), aaif.Document{Kind: aaif.AgentKind, Value: v})
	for _, p := range list {
		found = append(found, p.Error())
	}
	return out, found
}

// openapiText is a description of n operations that ask for authentication or for none.
func openapiText(n int, asks bool, padding int) string {
	paths := make([]string, n)
	for i := range paths {
		paths[i] = fmt.Sprintf(`"/p%d":{"get":{"operationId":"o%d"}}`, i, i)
	}
	security := ""
	if asks {
		security = `"security":[{"key":[]}],`
	}
	return `{"openapi":"3.1.0",` + security + `"paths":{` + strings.Join(paths, ",") + `}}` + strings.Repeat(" ", padding)
}

func TestOpenAPIBounds(t *testing.T) {
	t.Run("AAIF-4.4-11 what many tools name is read once", func(t *testing.T) {
		endpoints := strings.Fields(strings.Repeat("a.json ", 20)) // more than all together may have, were each read anew
		out, found := offeredBeside(t, map[string]string{"a.json": openapiText(1, false, 3<<20)}, endpoints...)
		for _, o := range out {
			if !o.Read || len(o.Tools) != 1 {
				t.Fatalf("%+v: %v", o, found)
			}
		}
	})
	t.Run("AAIF-4.4-11 descriptions together are read up to a bound", func(t *testing.T) {
		files, endpoints := map[string]string{}, []string{}
		for i := range 10 {
			name := fmt.Sprintf("%d.json", i)
			files[name], endpoints = openapiText(1, false, aaif.MaxState-200), append(endpoints, name)
		}
		out, found := offeredBeside(t, files, endpoints...)
		if len(found) != 1 || !strings.Contains(found[0], "more than 32 MiB together") || out[9].Read {
			t.Errorf("%v", found)
		}
	})
	t.Run("AAIF-4.4-12 what is found is bounded, and it is said", func(t *testing.T) {
		out, found := offeredBeside(t, map[string]string{"a.json": openapiText(900, true, 0)}, strings.Fields(strings.Repeat("a.json ", 10))...)
		if len(out) != 10 || len(found) != 1801 || !strings.Contains(found[1800], "/agent/tools/2/endpoint") || !strings.Contains(found[1800], "nor are those after it") {
			t.Errorf("%d tools, %d findings, the last %s", len(out), len(found), found[len(found)-1])
		}
	})
	t.Run("AAIF-4.4-11 what is offered is bounded, and it is said", func(t *testing.T) {
		out, found := offeredBeside(t, map[string]string{"a.json": openapiText(1000, false, 0)}, strings.Fields(strings.Repeat("a.json ", 12))...)
		if len(found) != 1 || !strings.Contains(found[0], "/agent/tools/10/endpoint") || out[10].Read || !out[9].Read {
			t.Errorf("%v", found)
		}
	})
	t.Run("AAIF-4.4-11 what is too long is said to be", func(t *testing.T) {
		_, found := offeredBeside(t, map[string]string{"a.json": openapiText(1, false, aaif.MaxState)}, "a.json")
		if len(found) != 1 || !strings.Contains(found[0], "longer than the 4 MiB") {
			t.Errorf("%v", found)
		}
	})
	t.Run("AAIF-4.4-11 what is of another edition is told at each tool", func(t *testing.T) {
		_, found := offeredBeside(t, map[string]string{"a.json": `{"swagger":"2.0"}`}, "a.json", "a.json")
		if len(found) != 2 || !strings.Contains(found[0], "/agent/tools/0/endpoint") || !strings.Contains(found[1], "/agent/tools/1/endpoint") {
			t.Errorf("%v", found)
		}
	})
}

// TestOfferedToolsAreCut: a description that offers many tools has 20 of them named.
func TestOfferedToolsAreCut(t *testing.T) {
	for n, want := range map[int]string{20: ", t18, t19\n", 23: ", t18, t19, 3 more\n"} {
		o := openapiOut{Pointer: "/agent/tools/0", Read: true}
		for i := range n {
			o.Tools = append(o.Tools, offeredToolOut{Name: fmt.Sprintf("t%d", i)})
		}
		var told strings.Builder
		o.tell(&cli.App{Out: io.Discard, Err: &told})
		if got := told.String(); !strings.HasSuffix(got, want) || !strings.Contains(got, fmt.Sprintf("offers %d tools: t0, ", n)) {
			t.Errorf("%d: %q", n, got)
		}
	}
}
