package server_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// tenant is one of several owners on a server.
type tenant struct {
	name   string
	key    keys.Private
	person string            // a token of the owner in person
	agent  string            // of one who may do all that can be granted
	ids    map[string]string // of the owner's memories, by the word that each has alone
}

const shelf = "github.com/o/x" // the project of all memories

// settle lets owners in, each with a private, a shared and a public memory.
func settle(t *testing.T, h house) []tenant {
	t.Helper()
	var all []tenant
	for i, name := range []string{"home", "ada", "bob"} {
		o := tenant{name: name, key: seeded(t, byte(7+i)), ids: map[string]string{}}
		if i > 0 {
			caller := memory.Caller{Owner: h.owner, Role: memory.Owner}
			if _, err := h.vault.AddOwner(t.Context(), caller, vault.AccountOrder{Key: o.key, Label: name}); err != nil {
				t.Fatal(err)
			}
		}
		o.person = o.token(t, ump.Claims{ID: "t1", Subject: string(o.key.DID()), Verbs: memory.Verbs()})
		o.agent = o.token(t, ump.Claims{ID: "t2", Verbs: memory.Verbs(), Scope: memory.Scope{Visibility: memory.Private}})
		for _, v := range []memory.Visibility{memory.Private, memory.Shared, memory.Public} {
			word := name + string(v) + "bird"
			got := h.do(t, "POST", "/ump/remember", `{"record":{"kind":"semantic","body":{"text":"the bird sings `+word+`"},"scope":{"project":"`+shelf+`","visibility":"`+string(v)+`"}}}`,
				bearing(o.person), "Idempotency-Key: same-"+string(v))
			o.ids[word] = decoded[outcome](t, got).ID
		}
		all = append(all, o)
	}
	return all
}

// token mints a token as its owner can alone.
func (o tenant) token(t *testing.T, c ump.Claims) string {
	t.Helper()
	c.Issuer, c.Expires = o.key.DID(), time.Now().Add(time.Hour)
	token, err := ump.MintToken(c, o.key)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// TestOwnersApart asks every surface for everything with the tokens of each of three
// owners of one server, and listens for what is another's.
func TestOwnersApart(t *testing.T) {
	racing.Skip(t)
	t.Parallel()
	log := &record{}
	h := aviary{log: log}
	h.house = buildAs(t, vault.Options{}, server.Options{Public: true, Log: log.logger(), Rate: 1e6, Burst: 1e6})
	all := settle(t, h.house)
	ids := map[string]string{}
	for _, o := range all {
		for word, id := range o.ids {
			ids[word] = id
		}
	}
	heard := map[string]string{"stranger": h.listen(t, "Authorization:", ids)}
	for _, o := range all {
		heard[o.name] = h.listen(t, bearing(o.person), ids)
		heard[o.name+"'s agent"] = h.listen(t, bearing(o.agent), ids)
	}
	for who, said := range heard {
		for word := range ids {
			name, _, _ := strings.Cut(who, "'")
			// Whoever it is may fetch the public documents, which are of the home owner.
			want := strings.HasPrefix(word, name) || word == "homepublicbird"
			if got := strings.Contains(said, word); got != want {
				t.Errorf("%s hears %s: %v, want %v", who, word, got, want)
			}
		}
		for _, o := range all {
			if o.name != "home" && !strings.HasPrefix(who, o.name) && strings.Contains(said, string(o.key.DID())) {
				t.Errorf("%s hears of %s", who, o.name)
			}
		}
	}
	for word := range ids {
		if strings.Contains(log.String(), word) {
			t.Errorf("the log tells of %s", word)
		}
	}
	t.Run("what is another's is not told from what is not there", func(t *testing.T) { alike(t, h.house, all) })
	t.Run("changes are told to their owner", func(t *testing.T) { overheard(t, h.house, all) })
	t.Run("nobody stores with another", func(t *testing.T) { intrude(t, h.house, all) })
	t.Run("metrics name nobody", func(t *testing.T) {
		for _, o := range all {
			if text := string(h.do(t, "GET", "/metrics", "").body); strings.Contains(text, string(o.key.DID())) {
				t.Errorf("they name %s", o.name)
			}
			if got := h.do(t, "GET", "/metrics", "", bearing(o.person)); got.StatusCode != 403 {
				t.Errorf("%s in person: %d", o.name, got.StatusCode)
			}
		}
	})
}

// TestOwnersApartWithoutPublic shows the other owners no more of the server's own
// than strangers are shown.
func TestOwnersApartWithoutPublic(t *testing.T) {
	h := build(t)
	all := settle(t, h)
	for _, mine := range all[1:] {
		got := h.do(t, "POST", "/ump/recall", `{"query":"bird","scope":{"owner":"`+string(h.owner)+`"}}`, bearing(mine.person))
		if got.StatusCode != 200 || string(got.body) != `{"results":[]}` {
			t.Errorf("%s: %d %s", mine.name, got.StatusCode, got.body)
		}
	}
}

// alike asks for the memories of others, and for ones that do not exist.
func alike(t *testing.T, h house, all []tenant) {
	const none = "urn:ump:aaaaaaaaaaaaaaaaaaaaaaaaaa"
	requests := func(id string) [][3]string {
		return [][3]string{
			{"GET", "/ump/memory/" + id, ""}, {"GET", "/ump/memory/" + id + "?view=origin", ""}, {"HEAD", "/ump/memory/" + id, ""},
			{"POST", "/ump/forget", `{"id":"` + id + `","reason":"other"}`}, {"POST", "/ump/forget", `{"id":"` + id + `","reason":"other","hard":true}`},
			{"POST", "/ump/forget", `{"id":"` + id + `","reason":"other","chain":true}`},
			{"POST", "/ump/revise", `{"id":"` + id + `","patch":{"body":{"text":"mine now"}}}`},
			{"POST", "/ump/feedback", `{"id":"` + id + `","outcome":"contradicted"}`},
		}
	}
	of := func(a answer, id string) string {
		for _, varies := range []string{"Date", "X-Request-Id", "Content-Length"} {
			a.Header.Del(varies)
		}
		return strings.ReplaceAll(fmt.Sprint(a.StatusCode, a.Header, string(a.body)), id, "ID")
	}
	for _, mine := range all {
		for _, token := range []string{mine.person, mine.agent} {
			client := h.dialAs(t, "2025-11-25", token)
			var absent []string // what is said of an id that nobody has
			for _, r := range requests(none) {
				absent = append(absent, of(h.do(t, r[0], r[1], r[2], bearing(token)), none))
			}
			absentOverMCP := handled(t, client, none)
			for _, theirs := range all {
				for word, id := range theirs.ids {
					if theirs.name == mine.name {
						continue
					}
					for i, r := range requests(id) {
						a := of(h.do(t, r[0], r[1], r[2], bearing(token)), id)
						if a != absent[i] || !strings.HasPrefix(a, "404") && !strings.HasPrefix(a, "403") {
							t.Errorf("%s asks %v of %s: %s\nand of what is not there: %s", mine.name, r, word, a, absent[i])
						}
					}
					if a := handled(t, client, id); a != absentOverMCP || strings.Contains(a, "sings") {
						t.Errorf("%s asks over MCP of %s: %s\nand of what is not there: %s", mine.name, word, a, absentOverMCP)
					}
				}
			}
		}
	}
}

// handled returns what MCP says of a memory, however it is asked.
func handled(t *testing.T, c *mcp.ClientSession, id string) string {
	t.Helper()
	var said strings.Builder
	for tool, arguments := range map[string]map[string]any{
		"ump_get": {}, "ump_forget": {"reason": "other"}, "ump_feedback": {"outcome": "ignored"}, "ump_revise": {"patch": map[string]any{"body": map[string]any{"text": "mine now"}}},
	} {
		arguments["id"] = id
		result, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
		if err != nil || !result.IsError {
			t.Errorf("%s: %v, %+v", tool, err, result)
			continue
		}
		if text := result.Content[0].(*mcp.TextContent).Text; !strings.Contains(text, "not_found") {
			said.WriteString(tool + text)
		}
	}
	uri := "ump://" + url.PathEscape(shelf) + "/" + id
	_, reading := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
	watching := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri})
	fmt.Fprint(&said, reading, watching)
	return strings.ReplaceAll(said.String(), id, "ID")
}

// overheard follows changes with every token, also as those of another, while the
// others write.
func overheard(t *testing.T, h house, all []tenant) {
	ctx, stop := context.WithTimeout(t.Context(), 3*time.Second)
	defer stop()
	lines := map[string]chan string{}
	for _, mine := range all {
		for _, asked := range append([]tenant{{}}, all...) {
			path := "/ump/subscribe"
			if asked.name != "" {
				path += "?owner=" + url.QueryEscape(string(asked.key.DID()))
			}
			lines[mine.name+" asks "+asked.name] = hearing(t, ctx, h, path, mine.person)
		}
	}
	for _, o := range all {
		for _, v := range []string{"private", "public"} {
			h.do(t, "POST", "/ump/remember", `{"record":{"kind":"semantic","body":{"text":"`+o.name+` tells something `+v+`"},"scope":{"visibility":"`+v+`"}}}`, bearing(o.person))
		}
	}
	for who, said := range lines {
		mine, asked, _ := strings.Cut(who, " asks ")
		var heard strings.Builder
		for line := range said {
			heard.WriteString(line)
		}
		for _, o := range all {
			for _, v := range []string{"private", "public"} {
				want := o.name == mine && (asked == "" || asked == mine) || asked == "home" && o.name == "home" && v == "public"
				if got := strings.Contains(heard.String(), o.name+" tells something "+v); got != want {
					t.Errorf("%s, and hears what %s says, %s: %v, want %v", who, o.name, v, got, want)
				}
			}
		}
	}
}

// hearing returns what is told on a stream until ctx ends.
func hearing(t *testing.T, ctx context.Context, h house, path, token string) chan string {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, "GET", "http://"+h.address+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Last-Event-ID", "0")
	got, err := http.DefaultTransport.RoundTrip(r)
	if err != nil || got.StatusCode != 200 {
		t.Fatalf("%s: %+v %v", path, got, err)
	}
	lines := make(chan string, 1000)
	go func() {
		defer close(lines)
		defer func() { _ = got.Body.Close() }()
		for in := bufio.NewScanner(got.Body); in.Scan(); {
			lines <- in.Text()
		}
	}()
	return lines
}

// intrude stores in the name of others, and looks whether anything came of it.
func intrude(t *testing.T, h house, all []tenant) {
	exported := func(o tenant) string { return string(h.do(t, "GET", "/ump/export", "", bearing(o.person)).body) }
	for _, mine := range all {
		for _, theirs := range all {
			if mine.name == theirs.name {
				continue
			}
			before, id := exported(theirs), theirs.ids[theirs.name+"publicbird"]
			for _, record := range []string{
				`{"kind":"semantic","body":{"text":"planted"},"scope":{"owner":"` + string(theirs.key.DID()) + `"}}`,
				`{"kind":"semantic","body":{"text":"planted"},"supersedes":["` + id + `"]}`,
				`{"kind":"semantic","body":{"text":"planted"},"relations":[{"type":"contradicts","target":"` + id + `"}]}`,
				`{"id":"` + id + `","kind":"semantic","body":{"text":"planted"}}`,
			} {
				h.do(t, "POST", "/ump/remember", `{"record":`+record+`}`, bearing(mine.person))
			}
			if after := exported(theirs); after != before {
				t.Errorf("%s changed what %s has:\n%s\n%s", mine.name, theirs.name, before, after)
			}
			for _, format := range []string{"json", "framed"} {
				found := h.do(t, "POST", "/ump/recall", `{"query":"bird","format":"`+format+`","scope":{"owner":"`+string(theirs.key.DID())+`"}}`, bearing(mine.person))
				for word := range theirs.ids {
					if got := strings.Contains(string(found.body), word); found.StatusCode != 200 || got != (word == "homepublicbird") {
						t.Errorf("%s recalls %s of %s, %s: %d %v", mine.name, word, theirs.name, format, found.StatusCode, got)
					}
				}
			}
			session := h.dialAs(t, "2025-11-25", theirs.person).ID()
			got := h.do(t, "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, bearing(mine.person), "Mcp-Session-Id: "+session,
				"Content-Type: application/json", "Accept: application/json, text/event-stream")
			if got.StatusCode != 403 {
				t.Errorf("%s takes over a session of %s: %d %s", mine.name, theirs.name, got.StatusCode, got.body)
			}
		}
	}
}
