package umpmcp_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/satchel-memory/satchel/ump/umpmcp"
)

// encodedBySDK returns a client of a server whose transport leaves answers to the SDK.
func encodedBySDK(t *testing.T, v umpmcp.Backend) (ask func(line string) (answer string)) {
	t.Helper()
	here, there := mcp.NewInMemoryTransports()
	server, err := umpmcp.New(v, umpmcp.Options{Caller: agent}).Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	client, err := here.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = client.Close()
		_ = server.Wait()
	})
	send := func(line string) {
		message, err := jsonrpc.DecodeMessage([]byte(line))
		if err == nil {
			err = client.Write(context.Background(), message)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	ask = func(line string) string {
		send(line)
		answer, err := client.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		text, err := jsonrpc.EncodeMessage(answer)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	hi, initialized, _ := strings.Cut(strings.TrimSpace(hello), "\n")
	ask(hi)
	send(initialized)
	return ask
}

// TestAnswerEncodedOnce compares answers over a pipe and over HTTP, which the transport
// encodes, with the same answers in the encoding of the SDK.
func TestAnswerEncodedOnce(t *testing.T) {
	v := newTenHits(t)
	id := string(v.hits[0].Record.ID)
	if !bytes.Contains(v.hits[0].Record.Form(), []byte("\u2028")) {
		t.Fatal("no text needs escapes")
	}
	sdk, pipe, web := encodedBySDK(t, v), overPipe(t, v), overHTTP(t, v)
	const meta = `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	for _, c := range []struct{ tool, arguments string }{
		{"ump.recall", `{"query":"pnpm"}`},
		{"ump.recall", `{"query":"pnpm","budget":200,"format":"framed"}`},
		{"ump.recall", `{"query":"<b> & \u2028","unknown":1}`},
		{"ump.recall", `{"query":7}`},
		{"ump.recall", `[]`},
		{"ump.get", `{"id":"<b> & \u2028"}`},
		{"ump.capabilities", `{}`},
		{"ump_recall", `{"query":"pnpm","view":"full"}`},
		{"ump_get", `{"id":"` + id + `"}`},
		{"ump_recall", `{"query":7}`},
		{"ump_nothing", `{}`},
	} {
		for _, spelled := range []string{`7`, `"\"satchel:text\" <&> satchel:structured"`, `"satchel:text"`} {
			call := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, spelled, c.tool, c.arguments)
			want := sdk(call)
			if got := strings.TrimSuffix(pipe(call), "\n"); got != want {
				t.Errorf("%s over a pipe:\n%s\nthe SDK:\n%s", call, got, want)
			}
			if got := web(call); got != want {
				t.Errorf("%s over HTTP:\n%s\nthe SDK:\n%s", call, got, want)
			}
			newer := strings.Replace(call, `"params":{`, `"params":{"_meta":`+meta+`,`, 1)
			if got, want := strings.TrimSuffix(pipe(newer), "\n"), sdk(newer); got != want || strings.Contains(got, `"content"`) && !strings.Contains(got, "serverInfo") {
				t.Errorf("%s over a pipe:\n%s\nthe SDK:\n%s", newer, got, want)
			}
		}
	}
}
