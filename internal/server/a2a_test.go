package server_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	other "github.com/a2aproject/a2a-go/a2a"

	"github.com/satchel-memory/satchel/aaif/a2a"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run/model"
	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// serveClerk serves the clerk to peers; change sets further options.
func serveClerk(t *testing.T, change func(*server.Options), steps ...model.Step) *desk {
	t.Helper()
	o := newOffice(t, scripted(steps...)...)
	d, s := o.open(t, nil)
	s.Served = server.Served{Agents: []string{clerkID}, Keeper: d.service, URL: "https://desk.example"}
	if change != nil {
		change(&s)
	}
	d.running = startFor(t, o.key.DID(), s)
	d.takes(t, asksFirst)
	return d
}

// peerToken returns the header of a token for an agent.
func (d *desk) peerToken(t *testing.T, order vault.TokenOrder) string {
	t.Helper()
	order.Expires = time.Now().Add(time.Hour)
	minted, _, err := d.vault.MintToken(t.Context(), d.me(), order)
	if err != nil {
		t.Fatal(err)
	}
	return "Authorization: Bearer " + minted
}

func (d *desk) peer(t *testing.T) string {
	t.Helper()
	return d.peerToken(t, vault.TokenOrder{Verbs: []memory.Verb{memory.DeriveVerb}, Agent: clerkID})
}

const (
	in1  = "A2A-Version: 1.0"
	in03 = "A2A-Version:" // none: 0.3
)

// calls makes a request of JSON-RPC, and returns the whole answer.
func (d *desk) calls(t *testing.T, method, params string, header ...string) canon.Value {
	t.Helper()
	got := d.do(t, "POST", "/a2a/"+clerkID, fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"params":%s}`, method, params), append(header, asJSON)...)
	v := got.object(t, 200)
	if v.Get("jsonrpc").Text() != "2.0" || v.Get("id").Float() != 7 || v.Has("result") == v.Has("error") {
		t.Errorf("%s: %s", method, got.body)
	}
	return v
}

// asksOf is the parameters of a message; more is further members of it.
func asksOf(v a2a.Version, id, text, more string) string {
	if v == a2a.V03 {
		return fmt.Sprintf(`{"message":{"kind":"message","role":"user","messageId":%q,"parts":[{"kind":"text","text":%q}]%s}}`, id, text, more)
	}
	return fmt.Sprintf(`{"message":{"role":"ROLE_USER","messageId":%q,"parts":[{"text":%q}]%s}}`, id, text, more)
}

func a2aCode(v canon.Value) int { return int(v.Get("error").Get("code").Float()) }

// at returns the value at a path of names and numbers.
func at(t *testing.T, v canon.Value, path string) canon.Value {
	t.Helper()
	found, ok := v.At(path)
	if !ok {
		t.Errorf("no %s in %s", path, v.Append(nil))
	}
	return found
}

// TestPeers: an agent is served by its card, and a task is a run.
func TestPeers(t *testing.T) {
	t.Parallel()
	d := serveClerk(t, nil, wants("book"), replies("Done."))
	peerIs := d.peer(t)
	t.Run("CARD-DISC-001 the card is public, of the host and of the agent", func(t *testing.T) {
		card := d.do(t, "GET", "/.well-known/agent-card.json", "", stranger).object(t, 200)
		own := d.do(t, "GET", "/a2a/"+clerkID+"/.well-known/agent-card.json", "", stranger)
		if !canon.Equal(card, own.object(t, 200)) || own.Header.Get("ETag") == "" || !strings.Contains(own.Header.Get("Cache-Control"), "max-age") {
			t.Errorf("%v %s", own.Header, own.body)
		}
		if got := d.do(t, "GET", "/.well-known/agent-card.json", "", stranger, "If-None-Match: "+own.Header.Get("ETag")); got.StatusCode != 304 {
			t.Errorf("%d", got.StatusCode)
		}
		for _, secret := range []string{"Be exact", d.office.toolsAt, "pay"} {
			if strings.Contains(string(own.body), secret) {
				t.Errorf("the card tells %q", secret)
			}
		}
		if at(t, card, "/supportedInterfaces/0/url").Text() != "https://desk.example/a2a/"+clerkID || at(t, card, "/securitySchemes/bearer/httpAuthSecurityScheme/scheme").Text() != "Bearer" || at(t, card, "/capabilities/pushNotifications").True() {
			t.Errorf("%s", card.Append(nil))
		}
	})
	for _, v := range []a2a.Version{a2a.V1, a2a.V03} {
		edition, send, get, cancel := in1, "SendMessage", "GetTask", "CancelTask"
		if v == a2a.V03 {
			edition, send, get, cancel = in03, "message/send", "tasks/get", "tasks/cancel"
		}
		t.Run("a task is a run, in "+string(v), func(t *testing.T) {
			result := d.calls(t, send, asksOf(v, "m"+string(v), "Book number 1.", ""), edition, peerIs).Get("result")
			if v == a2a.V1 {
				result = result.Get("task")
			}
			task, err := a2a.ReadTask(v, result)
			if err != nil || task.Status.State != a2a.Completed || len(task.Artifacts) != 1 || task.Artifacts[0].Parts[0].Text != "Done." || task.Context == "" || task.Status.At.IsZero() ||
				len(task.History) != 1 || task.History[0].ID != "m"+string(v) || task.History[0].Parts[0].Text != "Book number 1." {
				t.Fatalf("%v, %s", err, result.Append(nil))
			}
			if v == a2a.V03 {
				var theirs other.Task
				decode(t, result, &theirs)
				if theirs.Status.State != other.TaskStateCompleted || string(theirs.ID) != task.ID {
					t.Errorf("%+v", theirs)
				}
			}
			if r := d.do(t, "GET", "/aaif/runs/"+task.ID, "").object(t, 200); r.Get("status").Text() != "completed" {
				t.Errorf("%s", r.Append(nil))
			}
			before := len(d.office.model.Requests())
			again := d.calls(t, send, asksOf(v, "m"+string(v), "Book number 1.", ""), edition, peerIs)
			if !strings.Contains(string(again.Append(nil)), task.ID) || len(d.office.model.Requests()) != before {
				t.Errorf("a message that is sent again begins another task: %s", again.Append(nil))
			}
			if got := d.calls(t, send, asksOf(v, "m"+string(v), "Book number 2.", ""), edition, peerIs); a2aCode(got) != -32602 {
				t.Errorf("another message of the same id: %s", got.Append(nil))
			}
			now := d.calls(t, get, `{"id":"`+task.ID+`","historyLength":0}`, edition, peerIs).Get("result")
			if now.Has("history") || now.Get("id").Text() != task.ID {
				t.Errorf("CORE-HIST-001: %s", now.Append(nil))
			}
			if got := d.calls(t, cancel, `{"id":"`+task.ID+`"}`, edition, peerIs); a2aCode(got) != -32002 {
				t.Errorf("CORE-CANCEL-002: %s", got.Append(nil))
			}
			if got := d.calls(t, send, asksOf(v, "more", "And?", `,"taskId":"`+task.ID+`"`), edition, peerIs); a2aCode(got) != -32004 {
				t.Errorf("CORE-SEND-002: %s", got.Append(nil))
			}
		})
	}
	if c := d.office.tools.Counts()["book"]; c.Writes != 2 {
		t.Errorf("two tasks booked %d times", c.Writes)
	}
	t.Run("the audit log names the token that began a task", func(t *testing.T) {
		// The acts are marked; that the owner sees the runs in the list is what matters here.
		if page := d.do(t, "GET", "/aaif/runs?agent="+clerkID, "").object(t, 200); len(page.Get("runs").Items()) != 2 {
			t.Errorf("%s", page.Append(nil))
		}
	})
}

func decode(t *testing.T, v canon.Value, into any) {
	t.Helper()
	if err := jsonStrictly(v.Append(nil), into); err != nil {
		t.Errorf("%v: %s", err, v.Append(nil))
	}
}

// TestPeersWait: a task that waits for its owner says so, and a peer decides nothing.
func TestPeersWait(t *testing.T) {
	t.Parallel()
	d := serveClerk(t, nil, wants("pay"), replies("Paid."))
	peerIs := d.peer(t)
	task := at(t, d.calls(t, "SendMessage", asksOf(a2a.V1, "m1", "Pay.", `,"contextId":"talk"`), in1, peerIs), "/result/task")
	id := task.Get("id").Text()
	said := at(t, task, "/status/message/parts/0/text").Text()
	if task.Get("contextId").Text() != "talk" || at(t, task, "/status/state").Text() != "TASK_STATE_INPUT_REQUIRED" || !strings.Contains(said, "pay") || strings.Contains(string(task.Append(nil)), `"n"`) {
		t.Fatalf("%s", task.Append(nil))
	}
	for what, params := range map[string]string{
		"a message approves nothing":                      asksOf(a2a.V1, "m2", "Approved.", `,"taskId":"`+id+`"`),
		"CORE-MULTI-005 the context follows from it":      asksOf(a2a.V1, "m3", "Approved.", `,"contextId":"talk","taskId":"`+id+`"`),
		"CORE-MULTI-006 a context that is not the task's": asksOf(a2a.V1, "m4", "Approved.", `,"contextId":"other","taskId":"`+id+`"`),
	} {
		want := -32004
		if strings.HasPrefix(what, "CORE-MULTI-006") {
			want = -32602
		}
		if got := d.calls(t, "SendMessage", params, in1, peerIs); a2aCode(got) != want {
			t.Errorf("%s: %s", what, got.Append(nil))
		}
	}
	if got := d.do(t, "POST", "/aaif/runs/"+id+"/approval", `{"decision":"approve"}`, asJSON, peerIs); got.StatusCode != 403 || d.office.tools.Counts()["pay"].Calls != 0 {
		t.Errorf("a peer approves: %d", got.StatusCode)
	}
	t.Run("STREAM-SUB-001 streams begin with the task, and end with it", func(t *testing.T) {
		first := make(chan struct{})
		heard := make(chan []canon.Value, 2)
		for range 2 {
			go func() { heard <- d.streams(t, "SubscribeToTask", `{"id":"`+id+`"}`, first, in1, peerIs) }()
		}
		<-first
		<-first
		call, _ := d.do(t, "GET", "/aaif/runs/"+id, "").object(t, 200).At("/waits/0")
		d.do(t, "POST", "/aaif/runs/"+id+"/approval", `{"call":"pay0","digest":"`+call.Get("digest").Text()+`","decision":"approve"}`, asJSON).object(t, 200)
		one, two := <-heard, <-heard
		if fmt.Sprint(kinds(one)) != fmt.Sprint(kinds(two)) {
			t.Errorf("STREAM-ORDER-003: %v, %v", kinds(one), kinds(two))
		}
		if got := kinds(one); got[0] != "task TASK_STATE_INPUT_REQUIRED" || got[len(got)-2] != "artifactUpdate" || got[len(got)-1] != "statusUpdate TASK_STATE_COMPLETED" {
			t.Errorf("%v", got)
		}
	})
	if got := d.calls(t, "SubscribeToTask", `{"id":"`+id+`"}`, in1, peerIs); a2aCode(got) != -32004 {
		t.Errorf("STREAM-SUB-003: %s", got.Append(nil))
	}
	t.Run("AAIF-4.9-16 an approved call is made once", func(t *testing.T) {
		if c := d.office.tools.Counts()["pay"]; c.Writes != 1 {
			t.Errorf("%+v", c)
		}
	})
}

// streams reads a stream to its end. It tells first once the first event is there.
func (d *desk) streams(t *testing.T, method, params string, first chan<- struct{}, header ...string) (all []canon.Value) {
	r, err := http.NewRequestWithContext(t.Context(), "POST", "http://"+d.address+"/a2a/"+clerkID, strings.NewReader(fmt.Sprintf(`{"jsonrpc":"2.0","id":"s","method":%q,"params":%s}`, method, params)))
	if err != nil {
		t.Error(err)
		return nil
	}
	for _, line := range append(header, asJSON) {
		name, value, _ := strings.Cut(line, ":")
		r.Header.Set(name, strings.TrimSpace(value))
	}
	got, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Error(err)
		return nil
	}
	defer got.Body.Close()
	if got.Header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("%s: %d %v", method, got.StatusCode, got.Header)
	}
	for lines := bufio.NewScanner(got.Body); lines.Scan(); {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		v, err := canon.Parse([]byte(data), canon.Options{})
		if err != nil || v.Get("jsonrpc").Text() != "2.0" || v.Get("id").Text() != "s" {
			t.Errorf("JSONRPC-SSE-001: %s, %v", data, err)
		}
		if all = append(all, v.Get("result")); len(all) == 1 && first != nil {
			first <- struct{}{}
		}
	}
	return all
}

// kinds names the events of a stream, with their states.
func kinds(events []canon.Value) (all []string) {
	for _, e := range events {
		name, of := e.Get("kind").Text(), e
		if m := e.Members(); name == "" && len(m) == 1 {
			name, of = m[0].Name, m[0].Value
		}
		all = append(all, strings.TrimSpace(name+" "+of.Get("status").Get("state").Text()))
	}
	return all
}

// jsonStrictly decodes JSON into a type of the A2A project's library, which has no member that
// is not known to it.
func jsonStrictly(raw []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	return d.Decode(into)
}
