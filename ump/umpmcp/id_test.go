package umpmcp_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umpmcp"
	"github.com/satchel-memory/satchel/ump/umptest"
)

// answersOf returns the answers of a server over stdio to some lines.
func answersOf(t *testing.T, lines string) string {
	t.Helper()
	var said bytes.Buffer
	in := io.NopCloser(strings.NewReader(lines))
	if err := umpmcp.Serve(t.Context(), umpmcp.New(umptest.New(), umpmcp.Options{Caller: agent}), in, &said); err != nil {
		t.Fatal(err)
	}
	return said.String()
}

// TestStdioIDs: the answer to a call has the id that came, or says why there is none.
func TestStdioIDs(t *testing.T) {
	for id, want := range map[string]string{
		`7`: `"id":7`, `"1.5"`: `"id":"1.5"`, `""`: `"id":""`, `-3`: `"id":-3`, `9007199254740991`: `"id":9007199254740991`,
		`1.5`:              `"error":{"code":-32600,"message":"the id 1.5 is not a whole number up to 9007199254740991; send a string or such a number"},"id":1.5`,
		`9007199254740993`: `"id":9007199254740993`, `1e300`: `"id":1e300`,
		`null`: `"id":null`, `{"a":1}`: `"id":null`, `[1]`: `"id":null`, `true`: `"id":null`,
		`"\ud800"`: `"id":null`, `"\ufffd"`: `"id":"` + "\ufffd", `"a\ud83d\ude00"`: "\"id\":\"a\U0001f600\"",
	} {
		t.Run(id, func(t *testing.T) {
			said := answersOf(t, hello+`{"jsonrpc":"2.0","id":`+id+`,"method":"ping"}`+"\n"+`{"jsonrpc":"2.0","id":"on","method":"ping"}`+"\n")
			if strings.Count(said, "\n") != 3 || !strings.Contains(said, want) || !strings.Contains(said, `"id":"on"`) {
				t.Errorf("want %s in\n%s", want, said)
			}
		})
	}
	const ping = `{"jsonrpc":"2.0","id":%s,"method":"ping"}`
	batch := "[" + fmt.Sprintf(ping, "1.5") + "," + fmt.Sprintf(ping, "2") + "," + fmt.Sprintf(ping, "2") + "," + fmt.Sprintf(ping, "null") + "]\n"
	t.Run("in a batch each for itself", func(t *testing.T) {
		said := answersOf(t, strings.Replace(hello, "2025-11-25", "2025-03-26", 1)+batch)
		if strings.Count(said, "error") != 3 || !strings.Contains(said, `"id":1.5`) || !strings.Contains(said, "\n"+`{"jsonrpc":"2.0","id":2,"result"`) {
			t.Error(said)
		}
	})
	t.Run("a batch where there are none ends nothing", func(t *testing.T) {
		said := answersOf(t, hello+batch+`{"jsonrpc":"2.0","id":"on","method":"ping"}`+"\n")
		if !strings.Contains(said, "has no batches") || !strings.Contains(said, `"id":"on"`) {
			t.Error(said)
		}
	})
}

// TestStdioShape: a message that nests too deeply, names a member twice or is of no
// version of JSON-RPC is refused under its id and not acted on.
func TestStdioShape(t *testing.T) {
	deep := `{"jsonrpc":"2.0","id":26,"method":"tools/call","params":{"name":"ump_recall","arguments":{"z":` + strings.Repeat(`{"a":`, 1200) + "1" + strings.Repeat("}", 1200) + "}}}\n"
	for text, want := range map[string]string{
		deep: `levels; nest less deeply"},"id":26`,
		`{"jsonrpc":"2.0","id":27,"method":"tools/call","params":{"name":"ump_recall","name":"ump_remember","arguments":{"text":"x"}}}` + "\n": `"id":27`,
		`{"jsonrpc":"2.0","id":28,"method":"ping","method":"tools/list"}` + "\n":                                                               `"id":28`,
		`{"id":29,"method":"ping"}` + "\n":                   `"2.0\", and as the id of a call a string or a whole number"},"id":29`,
		`{"jsonrpc":"1.0","id":"30","method":"ping"}` + "\n": `"id":"30"`,
	} {
		said := answersOf(t, hello+text+`{"jsonrpc":"2.0","id":"on","method":"ping"}`+"\n")
		if !strings.Contains(said, `"code":-32600`) || !strings.Contains(said, want) || !strings.Contains(said, `"id":"on"`) {
			t.Errorf("want %s in\n%s", want, said)
		}
	}
}

// TestStdioNothing: a message that is neither call nor answer is refused, under its id.
func TestStdioNothing(t *testing.T) {
	for id, want := range map[string]string{`17`: `17`, `"a"`: `"a"`, `1.5`: `null`, `"\ud800"`: `null`} {
		said := answersOf(t, hello+`{"jsonrpc":"2.0","id":`+id+`}`+"\n")
		if !strings.Contains(said, `"code":-32600`) || !strings.Contains(said, `"id":`+want+`,`) {
			t.Errorf("%s: %s", id, said)
		}
	}
}

// TestStdioBackpressure: calls are taken in as fast as their answers are read, and the
// rest of the protocol goes on.
func TestStdioBackpressure(t *testing.T) {
	const calls = 500
	var entered atomic.Int64
	v := umptest.New()
	v.Before = func(_ context.Context, operation string, _ memory.Caller) error {
		if operation == "recall" {
			entered.Add(1)
		}
		return nil
	}
	in, send := io.Pipe()
	receive, out := io.Pipe()
	served := make(chan error, 1)
	go func() {
		served <- umpmcp.Serve(t.Context(), umpmcp.New(v, umpmcp.Options{Caller: agent}), in, out)
		_ = out.Close()
	}()
	go func() {
		_, _ = io.WriteString(send, hello)
		for i := range calls {
			fmt.Fprintf(send, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"ump_recall","arguments":{"query":"tea"}}}`+"\n", i)
			fmt.Fprintf(send, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`+"\n", i+calls)
		}
		fmt.Fprintln(send, `{"jsonrpc":"2.0","id":"last","method":"ping"}`)
		_ = send.Close()
	}()
	answers := bufio.NewScanner(receive)
	answers.Buffer(nil, 1<<20)
	read := 0
	for answers.Scan() {
		read++
		if ahead := int(entered.Load()) - read; ahead > 40 {
			t.Fatalf("%d calls were begun whose answers nobody has read", ahead)
		}
	}
	if err := <-served; err != nil || read != calls+2 {
		t.Errorf("%d answers, %v", read, err)
	}
}

// TestStdioSameID: an id may be used again once its call is answered, and not before.
func TestStdioSameID(t *testing.T) {
	entered, leave := make(chan struct{}), make(chan struct{})
	v := umptest.New()
	v.Before = func(_ context.Context, operation string, _ memory.Caller) error {
		if operation == "recall" {
			close(entered)
			<-leave
		}
		return nil
	}
	in, send := io.Pipe()
	receive, out := io.Pipe()
	go func() {
		_ = umpmcp.Serve(t.Context(), umpmcp.New(v, umpmcp.Options{Caller: agent}), in, out)
		_ = out.Close()
	}()
	answers := bufio.NewReader(receive)
	next := func() string {
		text, err := answers.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	write := func(text string) {
		if _, err := io.WriteString(send, text+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	write(strings.TrimSpace(hello))
	next()
	write(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ump_recall","arguments":{"query":"tea"}}}`)
	<-entered
	write(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	if got := next(); !strings.Contains(got, "under way") || !strings.Contains(got, `"id":null`) {
		t.Error(got)
	}
	close(leave)
	if got := next(); !strings.Contains(got, `"id":1`) {
		t.Error(got)
	}
	write(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	if got := next(); !strings.Contains(got, `"id":1`) || strings.Contains(got, "error") {
		t.Error(got)
	}
	_ = send.Close()
}

// TestStdioLongLine: a line that is too long is refused, and the next one is read.
func TestStdioLongLine(t *testing.T) {
	said := answersOf(t, hello+`{"jsonrpc":"2.0","id":1,"method":"ping","x":"`+strings.Repeat("a", 9<<20)+"\"}\n"+`{"jsonrpc":"2.0","id":"on","method":"ping"}`+"\n")
	if !strings.Contains(said, `"code":-32600,"message":"the line is longer than 8 MiB; send less at once"},"id":null`) || !strings.Contains(said, `"id":"on"`) {
		t.Error(said)
	}
}

// TestHTTPIDs: over HTTP, too, the answer has the id that came, or says why there is none,
// with a session and without.
func TestHTTPIDs(t *testing.T) {
	for name, stateless := range map[string]bool{"stateless": true, "in a session": false} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(umpmcp.NewHTTP(umptest.New(), umpmcp.Options{}, umpmcp.HTTPOptions{
				Stateless: stateless, Who: func(*http.Request) (memory.Caller, error) { return agent, nil },
			}))
			defer server.Close()
			session := ""
			if !stateless {
				var status int
				if status, session, _ = sendIn(t, server, "", initialize); status != http.StatusOK || session == "" {
					t.Fatalf("initialize: %d, session %q", status, session)
				}
			}
			for id, want := range map[string]string{
				`7`: `"id":7`, `"1.5"`: `"id":"1.5"`, `1.5`: `"id":1.5`, `9007199254740993`: `"id":9007199254740993`, `1e300`: `"id":1e300`, `"\ud800"`: `"id":null`,
			} {
				status, _, text := sendIn(t, server, session, `{"jsonrpc":"2.0","id":`+id+`,"method":"ping"}`)
				refused := strings.Contains(text, `"code":-32600`)
				if !strings.Contains(text, want) || refused != (status == http.StatusBadRequest) || refused == (id == `7` || id == `"1.5"`) {
					t.Errorf("%s: %d %s", id, status, text)
				}
			}
		})
	}
}

// sendIn posts a message in a session, if one is named, and returns the status, the
// session of the answer and its body.
func sendIn(t *testing.T, server *httptest.Server, session, message string) (int, string, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Authorization": {"Bearer x"}}
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
		r.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, answer.Header.Get("Mcp-Session-Id"), string(text)
}
