package server_test

import (
	"fmt"
	"strings"
	"testing"

	other "github.com/a2aproject/a2a-go/a2a"

	"github.com/satchel-memory/satchel/aaif/a2a"
	"github.com/satchel-memory/satchel/canon"
)

// TestA2ACompatibility holds a served agent to the mandatory cases of the public compatibility
// kit of A2A that concern JSON-RPC, rewritten from the specification, under the ids of that kit.
// TestPeers, TestPeersWait and TestPeersApart have more of them.
func TestA2ACompatibility(t *testing.T) {
	t.Parallel()
	d := serveClerk(t, nil, replies("Done."))
	me := d.peer(t)
	raw := func(body string, header ...string) answer {
		return d.do(t, "POST", "/a2a/"+clerkID, body, append([]string{asJSON, in1, me}, header...)...)
	}
	message := func(id, parts, more string) string {
		return fmt.Sprintf(`{"message":{"role":"ROLE_USER","messageId":%q,"parts":[%s]}%s}`, id, parts, more)
	}
	hello := `{"text":"Hello."}`

	t.Run("AAIF-11-2 AAIF-11-3 CARD-STRUCT-001 CARD-PROTO-001 CARD-PROTO-002 the card has what it needs, in both editions", func(t *testing.T) {
		card := d.do(t, "GET", "/.well-known/agent-card.json", "", stranger).object(t, 200)
		for _, name := range []string{"name", "description", "version", "supportedInterfaces", "capabilities", "defaultInputModes", "defaultOutputModes", "skills"} {
			if !card.Has(name) {
				t.Errorf("no %s", name)
			}
		}
		for i, v := range []string{"1.0", "0.3"} {
			at := card.Get("supportedInterfaces").Items()[i]
			if at.Get("protocolBinding").Text() != "JSONRPC" || at.Get("protocolVersion").Text() != v || !strings.HasPrefix(at.Get("url").Text(), "https://") {
				t.Errorf("%s", at.Append(nil))
			}
		}
		var theirs other.AgentCard
		decode(t, card, &theirs)
		scheme, ok := theirs.SecuritySchemes["bearer"].(other.HTTPAuthSecurityScheme)
		if !ok || scheme.Scheme != "bearer" || theirs.URL == "" || theirs.ProtocolVersion != "0.3.0" || !theirs.Capabilities.Streaming || len(theirs.Security) != 1 || len(theirs.Skills) == 0 {
			t.Errorf("%+v", theirs)
		}
	})
	t.Run("JSON-RPC 2.0", func(t *testing.T) {
		for body, code := range map[string]int{
			`{`: -32700, `[]`: -32600, `[{"jsonrpc":"2.0"}]`: -32600, `{"id":1,"method":"GetTask"}`: -32600, `{"jsonrpc":"1.0","id":1,"method":"GetTask"}`: -32600,
			`{"jsonrpc":"2.0","id":1}`: -32600, `{"jsonrpc":"2.0","id":{},"method":"GetTask"}`: -32600, `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":[]}`: -32602,
			`{"jsonrpc":"2.0","id":1,"method":"Nothing"}`: -32601, `{"jsonrpc":"2.0","id":1,"method":"message/send"}`: -32601, `{"jsonrpc":"2.0","id":1,"method":"GetTask"}`: -32602,
			`{"jsonrpc":"2.0","id":1,"id":2,"method":"GetTask"}`: -32700,
		} {
			got := raw(body).object(t, 200)
			if a2aCode(got) != code || !got.Has("id") || got.Get("error").Get("message").Text() == "" {
				t.Errorf("%s: %s", body, got.Append(nil))
			}
		}
		if got := raw(`{"jsonrpc":"2.0","id":1,"method":"message/send"}`).object(t, 200); !strings.Contains(got.Get("error").Get("message").Text(), "A2A-Version: 0.3") {
			t.Errorf("a method of the other edition: %s", got.Append(nil))
		}
		for _, id := range []string{`"text"`, `0`, `null`} {
			if got := raw(`{"jsonrpc":"2.0","id":`+id+`,"method":"ListTasks"}`).object(t, 200); string(got.Get("id").Append(nil)) != id {
				t.Errorf("%s: %s", id, got.Append(nil))
			}
		}
		if got := raw(`{"jsonrpc":"2.0","id":1,"method":"ListTasks"}`, "Content-Type: text/plain"); got.StatusCode != 415 || !strings.Contains(string(got.body), "-32005") {
			t.Errorf("JSONRPC-SSE-002: %d %s", got.StatusCode, got.body)
		}
		if got := raw(`{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 2<<20) + `","method":"ListTasks"}`); got.StatusCode != 413 {
			t.Errorf("%d", got.StatusCode)
		}
		if got := d.do(t, "GET", "/a2a/"+clerkID, "", me); got.StatusCode != 405 || got.Header.Get("Allow") != "POST" {
			t.Errorf("%d %v", got.StatusCode, got.Header)
		}
	})
	t.Run("VER-SERVER-001 VER-SERVER-002 VER-SERVER-003 VER-CLIENT-002 the header says the edition", func(t *testing.T) {
		for header, method := range map[string]string{"A2A-Version: 1.0": "GetTask", "A2A-Version: 1.0.3": "GetTask", "A2A-Version: 0.3": "tasks/get", "A2A-Version: 0.3.0": "tasks/get", "A2A-Version:": "tasks/get"} {
			if got := d.calls(t, method, `{"id":"x"}`, me, header); a2aCode(got) != -32001 {
				t.Errorf("%s: %s", header, got.Append(nil))
			}
		}
		for _, header := range []string{"A2A-Version: 99.0", "A2A-Version: 1.1", "A2A-Version: 0.2", "A2A-Version: x"} {
			got := raw(`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"x"}}`, header).object(t, 200)
			info, _ := got.At("/error/data/0")
			if a2aCode(got) != -32009 || info.Get("reason").Text() != "VERSION_NOT_SUPPORTED" || info.Get("domain").Text() != "a2a-protocol.org" {
				t.Errorf("%s: %s", header, got.Append(nil))
			}
		}
	})
	t.Run("CORE-GET-002 CORE-CANCEL-003 STREAM-SUB-004 CORE-MULTI-004 a task that is not there", func(t *testing.T) {
		for _, method := range []string{"GetTask", "CancelTask", "SubscribeToTask"} {
			got := d.calls(t, method, `{"id":"nothing"}`, in1, me)
			if info, _ := got.At("/error/data/0/reason"); a2aCode(got) != -32001 || info.Text() != "TASK_NOT_FOUND" {
				t.Errorf("%s: %s", method, got.Append(nil))
			}
		}
		if got := d.calls(t, "SendMessage", asksOf(a2a.V1, "n1", "x", `,"taskId":"nothing"`), in1, me); a2aCode(got) != -32001 {
			t.Errorf("%s", got.Append(nil))
		}
	})
	t.Run("CORE-ERR-002 what a message lacks", func(t *testing.T) {
		for params, code := range map[string]int{
			`{}`: -32602, `{"message":1}`: -32602, `{"message":{"role":"ROLE_USER","parts":[{"text":"x"}]}}`: -32602, `{"message":{"messageId":"m","parts":[{"text":"x"}]}}`: -32602,
			`{"message":{"role":"ROLE_AGENT","messageId":"m","parts":[{"text":"x"}]}}`: -32602, `{"message":{"role":"ROLE_USER","messageId":"m","parts":[]}}`: -32602,
			`{"message":{"role":"ROLE_USER","messageId":"m","parts":[{}]}}`: -32602, message("m", hello, `,"configuration":{"historyLength":-1}`): -32602,
			message("m", hello, `,"configuration":1`): -32602, message(strings.Repeat("m", 300), hello, ""): -32602,
			// CORE-SEND-003
			message("m", `{"raw":"dGNr","mediaType":"application/x-unsupported"}`, ""): -32005, message("m", `{"url":"https://x.example/f"}`, ""): -32005,
			// CORE-CAP-001
			message("m", hello, `,"configuration":{"taskPushNotificationConfig":{"url":"https://x.example"}}`): -32003,
		} {
			if got := d.calls(t, "SendMessage", params, in1, me); a2aCode(got) != code {
				t.Errorf("%s: %s", params, got.Append(nil))
			}
		}
		for params := range map[string]int{`{"pageSize":0}`: 0, `{"pageSize":101}`: 0, `{"status":"WRONG"}`: 0, `{"pageToken":"%"}`: 0, `{"statusTimestampAfter":"soon"}`: 0} {
			if got := d.calls(t, "ListTasks", params, in1, me); a2aCode(got) != -32602 {
				t.Errorf("%s: %s", params, got.Append(nil))
			}
		}
		if n := len(d.office.model.Requests()); n != 0 {
			t.Errorf("%d tasks began", n)
		}
	})
	t.Run("CORE-CAP-001 CORE-CAP-003 what the card denies", func(t *testing.T) {
		for method, code := range map[string]int{"CreateTaskPushNotificationConfig": -32003, "GetTaskPushNotificationConfig": -32003, "ListTaskPushNotificationConfigs": -32003, "DeleteTaskPushNotificationConfig": -32003, "GetExtendedAgentCard": -32004} {
			if got := d.calls(t, method, `{}`, in1, me); a2aCode(got) != code {
				t.Errorf("%s: %s", method, got.Append(nil))
			}
		}
		for method, code := range map[string]int{"tasks/pushNotificationConfig/set": -32003, "agent/getAuthenticatedExtendedCard": -32007, "tasks/list": -32601} {
			if got := d.calls(t, method, `{}`, in03, me); a2aCode(got) != code || got.Get("error").Has("data") {
				t.Errorf("%s: %s", method, got.Append(nil))
			}
		}
	})
	t.Run("CORE-SEND-001 CORE-EXECUTION-MODE-001 CORE-MULTI-001a CORE-MULTI-002 CORE-MULTI-003 a task is begun and waited for", func(t *testing.T) {
		seen := map[string]bool{}
		for i, more := range []string{`,"configuration":{"returnImmediately":false}`, "", `,"configuration":{}`} {
			got := at(t, d.calls(t, "SendMessage", message(fmt.Sprint("w", i), hello, more), in1, me), "/result/task")
			if at(t, got, "/status/state").Text() != "TASK_STATE_COMPLETED" || got.Get("contextId").Text() == "" || seen[got.Get("id").Text()] {
				t.Errorf("%s", got.Append(nil))
			}
			seen[got.Get("id").Text()] = true
		}
		for _, how := range []string{"", `,"configuration":{"blocking":true}`} {
			params := strings.TrimSuffix(asksOf(a2a.V03, "b"+how, "x", ""), "}") + how + "}"
			if got := d.calls(t, "message/send", params, in03, me).Get("result"); at(t, got, "/status/state").Text() != "completed" || got.Get("kind").Text() != "task" {
				t.Errorf("%s: %s", how, got.Append(nil))
			}
		}
	})
	t.Run("CORE-EXECUTION-MODE-002 CORE-HIST-003 a client that does not wait", func(t *testing.T) {
		got := at(t, d.calls(t, "SendMessage", message("i1", hello, `,"configuration":{"returnImmediately":true,"historyLength":0}`), in1, me), "/result/task")
		if got.Has("history") || got.Get("id").Text() == "" {
			t.Errorf("%s", got.Append(nil))
		}
		now := d.becomes(t, got.Get("id").Text(), "completed")
		if now.Get("output").Text() != "Done." {
			t.Errorf("%s", now.Append(nil))
		}
		if old := d.calls(t, "message/send", strings.TrimSuffix(asksOf(a2a.V03, "i2", "x", ""), "}")+`,"configuration":{"blocking":false}}`, in03, me); old.Has("error") {
			t.Errorf("%s", old.Append(nil))
		}
	})
	t.Run("CORE-STREAM-001 CORE-STREAM-003 JSONRPC-SSE-001 STREAM-ORDER-001 a stream from the message on", func(t *testing.T) {
		got := d.streams(t, "SendStreamingMessage", message("s1", hello, ""), nil, in1, me)
		if k := kinds(got); !strings.HasPrefix(k[0], "task TASK_STATE_") || k[len(k)-1] != "statusUpdate TASK_STATE_COMPLETED" {
			t.Errorf("%v", k)
		}
		id := got[0].Get("task").Get("id").Text()
		for _, e := range got[1:] {
			if of := e.Members()[0].Value; of.Get("taskId").Text() != id || of.Get("contextId").Text() == "" {
				t.Errorf("%s", e.Append(nil))
			}
		}
		old := d.streams(t, "message/stream", asksOf(a2a.V03, "s2", "x", ""), nil, in03, me)
		for i, e := range old {
			var event other.Event
			event, err := other.UnmarshalEventJSON(e.Append(nil))
			last, ok := event.(*other.TaskStatusUpdateEvent)
			if err != nil || ok && last.Final != (i == len(old)-1) {
				t.Errorf("event %d: %v, %s", i, err, e.Append(nil))
			}
		}
		if k := kinds(old); k[0][:4] != "task" || k[len(k)-1] != "status-update completed" {
			t.Errorf("%v", k)
		}
	})
	t.Run("CORE-HIST-002 CORE-HIST-006 CORE-GET-001 history is short, and says what was said", func(t *testing.T) {
		data := canon.Object(canon.Member{Name: "n", Value: canon.Int(1)})
		id := at(t, d.calls(t, "SendMessage", message("h1", `{"data":{"n":1}}`, ""), in1, me), "/result/task/id").Text()
		got := d.calls(t, "GetTask", `{"id":"`+id+`","historyLength":1}`, in1, me).Get("result")
		if got.Get("history").Len() != 1 || !canon.Equal(at(t, got, "/history/0/parts/0/data"), data) || at(t, got, "/history/0/messageId").Text() != "h1" || at(t, got, "/artifacts/0/parts/0/text").Text() != "Done." {
			t.Errorf("%s", got.Append(nil))
		}
	})
	t.Run("CORE-LIST-004 CORE-LIST-005 lists", func(t *testing.T) {
		got := d.calls(t, "ListTasks", `{"pageSize":100}`, in1, me).Get("result")
		if got.Get("nextPageToken").Text() != "" || !got.Has("nextPageToken") || int(got.Get("totalSize").Float()) != got.Get("tasks").Len() || strings.Contains(string(got.Append(nil)), "artifacts") {
			t.Errorf("%s", got.Append(nil))
		}
		with := d.calls(t, "ListTasks", `{"pageSize":1,"includeArtifacts":true,"historyLength":0,"status":"TASK_STATE_COMPLETED"}`, in1, me).Get("result")
		if with.Get("nextPageToken").Text() == "" || at(t, with, "/tasks/0/artifacts/0/artifactId").Text() == "" || strings.Contains(string(with.Append(nil)), "history") {
			t.Errorf("%s", with.Append(nil))
		}
	})
}
