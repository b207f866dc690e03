package server_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif/a2a"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run/remote"
	runtool "github.com/satchel-memory/satchel/internal/run/tool"
	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// TestPeersApart: who may work with an agent, and that nobody sees tasks of another.
func TestPeersApart(t *testing.T) {
	t.Parallel()
	d := serveClerk(t, func(o *server.Options) { o.Served.Open = 2 }, wants("pay"), replies("Paid."))
	one, two := d.peer(t), d.peer(t)
	t.Run("UMP-5.2-1 which tokens let in", func(t *testing.T) {
		derive := []memory.Verb{memory.DeriveVerb}
		for what, c := range map[string]struct {
			header string
			want   int
		}{
			"nobody":                        {stranger, 401},
			"a token that is none":          {"Authorization: Bearer nothing", 401},
			"derive for this agent":         {one, 200},
			"every verb for everything":     {d.peerToken(t, vault.TokenOrder{Verbs: memory.Verbs()}), 200},
			"derive for every agent":        {d.peerToken(t, vault.TokenOrder{Verbs: derive}), 403},
			"derive for another agent":      {d.peerToken(t, vault.TokenOrder{Verbs: derive, Agent: "claude-code"}), 403},
			"derive for one project":        {d.peerToken(t, vault.TokenOrder{Verbs: derive, Agent: clerkID, Project: "p"}), 403},
			"read and write for this agent": {d.peerToken(t, vault.TokenOrder{Verbs: []memory.Verb{memory.ReadVerb, memory.WriteVerb}, Agent: clerkID}), 403},
			"the context of an assistant":   {d.peerToken(t, vault.TokenOrder{Verbs: []memory.Verb{memory.ReadVerb, memory.WriteVerb}, Runtime: &memory.Runtime{Name: "r", Scope: "full"}}), 403},
			"the owner":                     {"Authorization: Bearer " + token, 200},
		} {
			got := d.do(t, "POST", "/a2a/"+clerkID, `{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{}}`, asJSON, in1, c.header)
			if got.StatusCode != c.want {
				t.Errorf("%s: %d %s", what, got.StatusCode, got.body)
			}
			if c.want == 401 && got.Header.Get("WWW-Authenticate") == "" {
				t.Errorf("%s: nobody says how to sign in", what)
			}
		}
		if n := len(d.do(t, "GET", "/aaif/runs", "").object(t, 200).Get("runs").Items()); n != 0 {
			t.Errorf("%d runs", n)
		}
	})
	t.Run("an agent that is not served is not there", func(t *testing.T) {
		for _, path := range []string{"/a2a/other", "/a2a/", "/a2a", "/a2a/" + clerkID + "/x"} {
			if got := d.do(t, "POST", path, `{}`, asJSON, in1, one); got.StatusCode != 404 {
				t.Errorf("%s: %d", path, got.StatusCode)
			}
		}
	})
	ours := at(t, d.calls(t, "SendMessage", asksOf(a2a.V1, "m1", "Pay.", `,"contextId":"talk"`), in1, one), "/result/task").Get("id").Text()
	t.Run("CORE-GET-002 tasks of another are not there", func(t *testing.T) {
		for _, who := range []string{two, "Authorization: Bearer " + token} {
			for _, method := range []string{"GetTask", "CancelTask", "SubscribeToTask"} {
				other, none := d.calls(t, method, `{"id":"`+ours+`"}`, in1, who), d.calls(t, method, `{"id":"99999999-2222-4333-8444-555555555555"}`, in1, who)
				if a2aCode(other) != -32001 || string(other.Append(nil)) != string(none.Append(nil)) {
					t.Errorf("%s: %s, and of one that is not there %s", method, other.Append(nil), none.Append(nil))
				}
			}
			if got := d.calls(t, "SendMessage", asksOf(a2a.V1, "m9", "More.", `,"taskId":"`+ours+`"`), in1, who); a2aCode(got) != -32001 {
				t.Errorf("CORE-MULTI-004: %s", got.Append(nil))
			}
			if got := d.calls(t, "ListTasks", `{"contextId":"talk"}`, in1, who).Get("result"); got.Get("tasks").Len() != 0 || got.Get("totalSize").Float() != 0 {
				t.Errorf("CORE-LIST-001: %s", got.Append(nil))
			}
		}
		run := d.starts(t, "?wait=60").Get("run_id").Text()
		if got := d.calls(t, "GetTask", `{"id":"`+run+`"}`, in1, "Authorization: Bearer "+token); a2aCode(got) != -32001 {
			t.Errorf("a run of the owner's own is a task: %s", got.Append(nil))
		}
	})
	t.Run("the same message and context of another are another task", func(t *testing.T) {
		theirs := at(t, d.calls(t, "SendMessage", asksOf(a2a.V1, "m1", "Pay.", `,"contextId":"talk"`), in1, two), "/result/task").Get("id").Text()
		if theirs == ours {
			t.Error("it is the same")
		}
		if got := d.calls(t, "ListTasks", `{"contextId":"talk"}`, in1, two).Get("result"); got.Get("tasks").Len() != 1 || at(t, got, "/tasks/0/id").Text() != theirs {
			t.Errorf("%s", got.Append(nil))
		}
	})
	t.Run("AAIF-4.5-4 every peer is a user of its own, and its contexts are its sessions", func(t *testing.T) {
		users := map[string]bool{"": true}
		for _, who := range []string{one, two} {
			id := at(t, d.calls(t, "SendMessage", asksOf(a2a.V1, "m1", "Pay.", `,"contextId":"talk"`), in1, who), "/result/task").Get("id").Text()
			r, _, err := d.host.Get(t.Context(), d.me(), id)
			if err != nil || users[r.Start.User] || r.Start.Session == "" {
				t.Errorf("the user is %q, the session %q, %v", r.Start.User, r.Start.Session, err)
			}
			users[r.Start.User] = true
		}
	})
	t.Run("a peer has so many tasks at once", func(t *testing.T) {
		d.calls(t, "SendMessage", asksOf(a2a.V1, "m2", "Pay.", ""), in1, one)
		got := d.do(t, "POST", "/a2a/"+clerkID, `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":`+asksOf(a2a.V1, "m3", "Pay.", "")+`}`, asJSON, in1, one)
		if got.StatusCode != 429 || got.Header.Get("Retry-After") == "" {
			t.Errorf("%d %s", got.StatusCode, got.body)
		}
		if again := d.calls(t, "SendMessage", asksOf(a2a.V1, "m2", "Pay.", ""), in1, one); again.Has("error") {
			t.Errorf("a message that is sent again: %s", again.Append(nil))
		}
	})
	t.Run("CORE-LIST-002 pages, the ones that changed last first", func(t *testing.T) {
		var all []string
		var last string
		for next := ""; ; {
			page := d.calls(t, "ListTasks", fmt.Sprintf(`{"pageSize":1,"pageToken":%q}`, next), in1, one).Get("result")
			if page.Get("totalSize").Float() != 2 || page.Get("tasks").Len() != 1 || !page.Has("nextPageToken") || page.Get("pageSize").Float() != 1 {
				t.Fatalf("%s", page.Append(nil))
			}
			task, _ := page.At("/tasks/0")
			if task.Has("artifacts") {
				t.Errorf("CORE-LIST-005: %s", task.Append(nil))
			}
			if when := at(t, task, "/status/timestamp").Text(); last != "" && when > last {
				t.Errorf("CORE-LIST-003: %s after %s", when, last)
			} else {
				last = when
			}
			all = append(all, task.Get("id").Text())
			if next = page.Get("nextPageToken").Text(); next == "" {
				break
			}
		}
		if len(all) != 2 || all[1] != ours {
			t.Errorf("%v", all)
		}
		for params, want := range map[string]int{`{"status":"TASK_STATE_INPUT_REQUIRED"}`: 2, `{"status":"TASK_STATE_COMPLETED"}`: 0, `{"statusTimestampAfter":"2999-01-01T00:00:00Z"}`: 0, `{"contextId":"nobody"}`: 0} {
			if got := d.calls(t, "ListTasks", params, in1, one).Get("result"); got.Get("tasks").Len() != want {
				t.Errorf("%s: %s", params, got.Append(nil))
			}
		}
	})
	t.Run("CORE-CANCEL-001 a peer cancels its own", func(t *testing.T) {
		got := d.calls(t, "CancelTask", `{"id":"`+ours+`"}`, in1, one)
		if at(t, got, "/result/status/state").Text() != "TASK_STATE_CANCELED" || d.office.tools.Counts()["pay"].Calls != 0 {
			t.Errorf("%s", got.Append(nil))
		}
		if r := d.do(t, "GET", "/aaif/runs/"+ours, "").object(t, 200); at(t, r, "/error/code").Text() != "CANCELLED" {
			t.Errorf("%s", r.Append(nil))
		}
	})
	t.Run("a token that was revoked ends its streams", func(t *testing.T) {
		order := vault.TokenOrder{Verbs: []memory.Verb{memory.DeriveVerb}, Agent: clerkID, Expires: time.Now().Add(time.Hour)}
		minted, grant, err := d.vault.MintToken(t.Context(), d.me(), order)
		if err != nil {
			t.Fatal(err)
		}
		three := "Authorization: Bearer " + minted
		id := at(t, d.calls(t, "SendMessage", asksOf(a2a.V1, "m1", "Pay.", ""), in1, three), "/result/task").Get("id").Text()
		first, over := make(chan struct{}, 1), make(chan []canon.Value, 1)
		go func() { over <- d.streams(t, "SubscribeToTask", `{"id":"`+id+`"}`, first, in1, three) }()
		<-first
		if err := d.vault.RevokeToken(t.Context(), d.me(), grant.ID); err != nil {
			t.Fatal(err)
		}
		d.do(t, "POST", "/aaif/runs/"+id+"/cancel", "").object(t, 200)
		if got := <-over; len(got) != 1 {
			t.Errorf("%v", kinds(got))
		}
	})
}

// TestPeersAtOnce: many messages at the same time get a peer no more tasks than it may have.
func TestPeersAtOnce(t *testing.T) {
	t.Parallel()
	d := serveClerk(t, func(o *server.Options) { o.Served.Open = 2 }, wants("pay"), replies("Paid."))
	who := d.peer(t)
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			d.do(t, "POST", "/a2a/"+clerkID, `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":`+asksOf(a2a.V1, fmt.Sprint("m", i), "Pay.", "")+`}`, asJSON, in1, who)
		})
	}
	all.Wait()
	if got := d.calls(t, "ListTasks", `{}`, in1, who).Get("result"); got.Get("totalSize").Float() != 2 {
		t.Errorf("%v tasks", got.Get("totalSize").Float())
	}
}

// TestPeersListLongAnswers: a page is no larger than the server can bear, however long the answers are.
func TestPeersListLongAnswers(t *testing.T) {
	t.Parallel()
	d := serveClerk(t, nil, replies(strings.Repeat("long ", 120_000)))
	who := d.peer(t)
	for i := range 3 {
		d.calls(t, "SendMessage", asksOf(a2a.V1, fmt.Sprint("m", i), "Tell.", ""), in1, who)
	}
	for whole, want := range map[bool][]int{false: {3}, true: {2, 1}} {
		var got []int
		for next := ""; len(got) == 0 || next != ""; {
			page := d.calls(t, "ListTasks", fmt.Sprintf(`{"includeArtifacts":%t,"pageToken":%q}`, whole, next), in1, who).Get("result")
			got, next = append(got, page.Get("tasks").Len()), page.Get("nextPageToken").Text()
			if page.Get("totalSize").Float() != 3 {
				t.Errorf("of %v tasks", page.Get("totalSize").Float())
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("with artifacts %t: pages of %v tasks, want %v", whole, got, want)
		}
	}
}

// TestPeersAskEachOther: the client of this program gives tasks to its server, in both editions.
func TestPeersAskEachOther(t *testing.T) {
	t.Parallel()
	o := newOffice(t, scripted(wants("book"), replies("Done."))...)
	d, s := o.open(t, nil)
	l := listen(t)
	s.Served = server.Served{Agents: []string{clerkID}, Keeper: d.service, URL: "http://" + l.Addr().String()}
	d.running = startOn(t, l, o.key.DID(), s)
	d.takes(t, asksFirst)
	bearer := strings.TrimPrefix(d.peer(t), "Authorization: Bearer ")
	// old is the same agent behind a card of A2A 0.3.
	there, err := url.Parse(s.Served.URL)
	if err != nil {
		t.Fatal(err)
	}
	pass := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(there) }}
	var spoken []string
	old := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "GET" {
			fmt.Fprintf(w, `{"name":"Clerk","description":"d","url":"http://%s/a2a/%s","protocolVersion":"0.3.0","capabilities":{"streaming":true},"skills":[]}`, r.Host, clerkID)
			return
		}
		spoken = append(spoken, r.Header.Get("A2A-Version"))
		pass.ServeHTTP(w, r)
	}))
	t.Cleanup(old.Close)
	for v, at := range map[string]string{"1.0": s.Served.URL, "0.3": old.URL} {
		t.Run("in "+v, func(t *testing.T) {
			card := at + "/.well-known/agent-card.json"
			c := remote.New(remote.Options{Settings: func() (runtool.Operator, func(string) (string, bool), error) {
				return runtool.Operator{Egress: []string{"127.0.0.1"}, Agents: []runtool.Elsewhere{{Card: card, Env: "T"}}}, func(string) (string, bool) { return bearer, true }, nil
			}})
			for range 2 {
				r, err := c.Ask(t.Context(), card, "key of "+v, "Book number 1.")
				if err != nil || r.Text != "Done." {
					t.Fatalf("%+v, %v", r, err)
				}
			}
		})
	}
	if n := o.tools.Counts()["book"].Writes; n != 2 {
		t.Errorf("two tasks, each given twice, booked %d times", n)
	}
	if len(spoken) == 0 || slices.ContainsFunc(spoken, func(v string) bool { return v != "0.3" }) {
		t.Errorf("%q", spoken)
	}
}
