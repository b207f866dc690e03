package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ask calls a tool as a model does, and returns the one text of the answer and whether
// it is an error.
func (s *session) ask(tool, arguments string) (string, bool) {
	s.Helper()
	r, err := s.CallTool(context.Background(), &mcp.CallToolParams{Name: "ump_" + tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		s.Fatalf("%s %s: %v", tool, arguments, err)
	}
	text, ok := r.Content[0].(*mcp.TextContent)
	if !ok || len(r.Content) != 1 || r.StructuredContent != nil {
		s.Fatalf("%s: the answer is not one text: %+v", tool, r)
	}
	return text.Text, r.IsError
}

// expect is ask for a call that succeeds, whose answer matches a pattern. It returns the
// first group of the pattern.
func (s *session) expect(tool, arguments, pattern string) string {
	s.Helper()
	text, failed := s.ask(tool, arguments)
	found := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if failed || found == nil {
		s.Fatalf("%s %s: failed %v, and it does not say %s: %s", tool, arguments, failed, pattern, text)
	}
	return found[len(found)-1]
}

// refused is ask for a call that is refused with a code, and words that say what to do.
func (s *session) refused(tool, arguments, code string, words ...string) {
	s.Helper()
	text, failed := s.ask(tool, arguments)
	if !failed || !strings.HasPrefix(text, code+": ") {
		s.Errorf("%s %s: failed %v: %s", tool, arguments, failed, text)
	}
	for _, word := range words {
		if !strings.Contains(text, word) {
			s.Errorf("%s %s: it does not say %q: %s", tool, arguments, word, text)
		}
	}
}

const oneID = `\b([a-z2-7]{8,})\b`

// modelScenario does what a model does that knows nothing but the listed tools.
func modelScenario(t *testing.T, s *session) {
	t.Helper()
	s.TB = t
	tea := s.expect("remember", `{"text":"The user drinks sencha."}`, `^Remembered as `+oneID)
	s.expect("remember", `{"text":"Releases of the shop happen on Mondays.","kind":"procedural","project":"github.com/o/shop"}`, oneID)
	s.expect("recall", `{"query":"sencha"}`, `^<ump:memory [^>]*>\n.*\n\{"id":"`+tea+`","kind":"semantic","when":"[-0-9]+","text":"The user drinks sencha."\}\n</ump:memory [^>]*>$`)
	s.expect("recall", `{"query":"when are releases?","project":"github.com/o/shop","kind":"procedural","limit":3}`, `"project":"github.com/o/shop"`)
	now := s.expect("revise", `{"id":"`+tea+`","text":"The user drinks matcha."}`, `^Revised: `+oneID+` replaces `+tea)
	s.expect("get", `{"id":"`+tea+`"}`, `"superseded_by":"`+now+`"`)
	s.refused("revise", `{"id":"`+tea+`","text":"The user drinks water."}`, "invalid_record", ": "+now+" replaced "+tea+"; revise the new one.")
	s.refused("remember", `{"text":"The user drinks water.","supersedes":["`+tea+`"]}`, "invalid_record", ": "+now+" replaced "+tea)
	s.refused("remember", `{"text":"x","kind":["semantic","episodic"]}`, "invalid_record", "one kind")
	s.expect("get", `{"id":"`+now+`","view":"full"}`, `"signature":"`)
	s.expect("feedback", `{"id":"`+now+`","outcome":"followed"}`, `^Noted`)
	long := s.expect("remember", `{"text":"`+strings.Repeat("Once upon a time there was a fox. ", 600)+`"}`, `^Remembered as `+oneID)
	more := s.expect("recall", `{"query":"fox"}`, `ump_get (\{"id":"`+long+`","offset":\d+\})$`)
	s.expect("get", more, `"id":"`+long+`"`)
	s.refused("get", `{"id":"aaaaaaaa"}`, "not_found", "ump_recall")
	s.refused("forget", `{"id":"`+now+`","reason":"user_revoked","hard":true}`, "forbidden_scope")
	s.expect("forget", `{"id":"`+now+`","reason":"user_revoked"}`, `^Forgotten`)
	s.expect("recall", `{"query":"matcha"}`, `^No memory answers that|ump:memory`)
	judged(s)
}

// judged does what a model gets wrong, and is told or understood.
func judged(s *session) {
	s.Helper()
	work := s.expect("remember", `{"text":"the user works at Globex."}`, `^Remembered as `+oneID)
	s.expect("remember", `{"text":"The user works at Globex"}`, `merged into `+work)
	moved := s.expect("revise", `{"id":"`+work+`","patch":{"text":"The user works at Initech."}}`, oneID+` replaces `+work)
	s.expect("get", `{"id":"`+moved+`"}`, `"text":"The user works at Initech."`)
	s.refused("revise", `{"id":"`+work+`","patch":{"mood":"calm"}}`, "invalid_record", "mood")
	s.refused("revise", `{"id":"`+moved+`","mode":"hard"}`, "invalid_record", "mode is not known here")
	s.refused("recall", `{"query":"tea","projct":"shop"}`, "invalid_record", "did you mean project?")
	key := s.expect("remember", `{"text":"The key is ghp_abcdefghijklmnopqrstuvwxyz0123456789."}`, `^Remembered as `+oneID+`\.\nNote: 1 secret`)
	if text, _ := s.ask("get", `{"id":"`+key+`"}`); strings.Contains(text, "ghp_") {
		s.Errorf("the key is stored: %s", text)
	}
	s.expect("recall", `{"query":"what do you know about me?"}`, `The user works at Initech`)
}

// TestModelWriters has two processes revise one memory at once: one wins, and the other
// is told the id that is current now.
func TestModelWriters(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	writers := [2]*session{h.connect(), h.connect()}
	id := writers[0].expect("remember", `{"text":"The lamp is on."}`, `^Remembered as `+oneID)
	var wg sync.WaitGroup
	var answers [2]string
	var refused [2]bool
	for i, s := range writers {
		wg.Go(func() {
			defer s.Close()
			answers[i], refused[i] = s.ask("revise", fmt.Sprintf(`{"id":%q,"text":"The lamp is off, says writer %d."}`, id, i))
		})
	}
	wg.Wait()
	if refused[0] == refused[1] {
		t.Fatalf("one of two writers wins: %q", answers)
	}
	won, lost := answers[0], answers[1]
	if refused[0] {
		won, lost = lost, won
	}
	current := regexp.MustCompile(`^Revised: ` + oneID + ` replaces ` + id).FindStringSubmatch(won)
	if current == nil || !strings.Contains(lost, current[1]+" replaced "+id+"; revise the new one.") {
		t.Errorf("the winner: %s\nthe other: %s", won, lost)
	}
}

// greeting opens a conversation.
const greeting = `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"e2e","version":"1"}}}` + "\n" +
	`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"

// TestModelIDs: an id of JSON-RPC is answered as it came, or refused.
func TestModelIDs(t *testing.T) {
	t.Parallel()
	ids := map[string]string{ // the id of the answer, and what the answer has
		`1.5`: `"id":1.5 "error"`, `"a"`: `"id":"a" "result"`, `9007199254740991`: `"id":9007199254740991 "result"`,
		`9007199254740992`: `"id":9007199254740992 "error"`, `null`: `"id":null "error"`,
	}
	talk := greeting
	for id := range ids {
		talk += `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"ump_recall","arguments":{"query":"tea"}}}` + "\n"
	}
	cmd := newHome(t).command("mcp")
	cmd.Stdin = strings.NewReader(talk)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(out), "\n"); n != len(ids)+1 {
		t.Errorf("%d answers, want %d", n, len(ids)+1)
	}
	for id, want := range ids {
		as, has, _ := strings.Cut(want, " ")
		found := false
		for line := range strings.Lines(string(out)) {
			found = found || (strings.Contains(line, as+",") || strings.Contains(line, as+"}")) && strings.Contains(line, has+":")
		}
		if !found {
			t.Errorf("the call %s is not answered with %s in\n%s", id, want, out)
		}
	}
}

// TestModelBackpressure: while no answer is read, calls are not taken in either. Each is
// answered in the end.
func TestModelBackpressure(t *testing.T) {
	const calls = 500
	cmd := newHome(t).command("mcp")
	send, _ := cmd.StdinPipe()
	receive, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", 2000) // pipes and buffers hold few of them
	var sent atomic.Int64
	go func() {
		_, _ = io.WriteString(send, greeting)
		for i := range calls {
			fmt.Fprintf(send, `{"jsonrpc":"2.0","id":"%s%d","method":"tools/call","params":{"name":"ump_recall","arguments":{"query":"tea"}}}`+"\n", long, i)
			sent.Add(1)
		}
		_ = send.Close()
	}()
	for before := int64(-1); before != sent.Load(); time.Sleep(300 * time.Millisecond) {
		before = sent.Load()
	}
	if n := sent.Load(); n == calls {
		t.Errorf("all %d calls were taken in, and none of their answers was read", n)
	}
	answered := map[string]int{}
	answers := bufio.NewScanner(receive)
	for answers.Scan() {
		var a struct {
			ID     string
			Result json.RawMessage
		}
		if err := json.Unmarshal(answers.Bytes(), &a); err != nil || a.Result == nil {
			t.Errorf("%v: %s", err, answers.Bytes())
		}
		answered[strings.TrimPrefix(a.ID, long)]++
	}
	for i := range calls {
		if n := answered[fmt.Sprint(i)]; n != 1 {
			t.Errorf("call %d has %d answers", i, n)
		}
	}
	if err := cmd.Wait(); err != nil || len(answered) != calls+1 {
		t.Errorf("%d answers, %v", len(answered), err)
	}
}

// TestModelRedacted: what a record redacts stays with its owner. Their agents read it,
// convert keeps it, and export leaves it out.
func TestModelRedacted(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.connect()
	defer s.Close()
	const account = "DE89370400440532013000"
	id := s.expect("remember", `{"record":{"body":{"text":"The user pays by transfer.","structured":{"account":"`+account+`"}},"consent":{"redact":["body.structured.account"]}}}`, `^Remembered as `+oneID)
	record := s.expect("get", `{"id":"`+id+`","view":"full"}`, `"record":(\{.*"`+account+`".*\})\}$`)
	if err := os.WriteFile(filepath.Join(h.dir, "own.json"), []byte("["+record+"]"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.run("convert", "own.json", "own.aicf")
	h.run("export", "-o", "out.aicf")
	for file, keeps := range map[string]bool{"own": true, "out": false} {
		h.run("convert", file+".aicf", file+"-back.json")
		back, err := os.ReadFile(filepath.Join(h.dir, file+"-back.json"))
		if err != nil || !strings.Contains(string(back), "The user pays by transfer.") {
			t.Fatalf("%s: %v %s", file, err, back)
		}
		if got := strings.Contains(string(back), account); got != keeps {
			t.Errorf("mapping 5, A9: %s.aicf has the redacted path: %t, want %t", file, got, keeps)
		}
	}
}
