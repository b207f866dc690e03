package tool_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/run/faketool"
	"github.com/satchel-memory/satchel/internal/run/tool"
)

// resolver answers with the next of its addresses.
type resolver struct {
	answers [][]string
	asked   atomic.Int64
}

func (r *resolver) lookup(context.Context, string, string) ([]netip.Addr, error) {
	n := min(int(r.asked.Add(1)), len(r.answers))
	var list []netip.Addr
	for _, text := range r.answers[n-1] {
		list = append(list, netip.MustParseAddr(text))
	}
	return list, nil
}

func TestEgress(t *testing.T) {
	granted := tool.Operator{Grants: []tool.Grant{{Agent: "*", Tools: []string{"*"}}}}
	for _, endpoint := range []string{
		"http://127.0.0.1:1", "https://127.0.0.1:1", "http://[::1]", "https://[::1]/", "http://169.254.169.254", "https://169.254.169.254/latest", "file:///etc/passwd",
		"https://10.0.0.1/x", "https://172.16.0.1/", "https://192.168.1.1/", "https://100.64.0.1/", "https://0.0.0.0/", "https://[fd00::1]/", "https://[fe80::1]/", "https://[fe80::1%25eth0]/",
		"https://[::ffff:127.0.0.1]/", "https://[::ffff:169.254.169.254]/", "https://[64:ff9b::7f00:1]/", "https://[2002:7f00:1::]/", "https://2130706433/", "https://0x7f.1/", "https://0177.0.0.1/",
		"https://localhost/", "https://desk.localhost/", "https://desk/", "https://desk.internal/", "https://desk.local/", "https://LOCALHOST./",
		"http://desk.example/", "https://user:word@desk.example/", "gopher://desk.example/", "//desk.example/", "desk.example", "https:///x", "https://224.0.0.1/", "https://255.255.255.255/",
	} {
		t.Run("AAIF-12-1 "+endpoint, func(t *testing.T) {
			set := open(t, tool.Options{Operator: granted, Lookup: func(context.Context, string, string) ([]netip.Addr, error) {
				t.Error("a name was looked up")
				return nil, nil
			}}, httpTool(endpoint))
			wantMissing(t, set, egressDenied)
			_, err := call(t, set, "note", `{}`)
			wantError(t, err, egressDenied, tool.NotSent)
		})
	}
	for name, answers := range map[string][]string{
		"a private address":                  {"10.0.0.1"},
		"this machine":                       {"127.0.0.1"},
		"the address of credentials":         {"169.254.169.254"},
		"a public and a private address":     {"93.184.215.14", "192.168.0.1"},
		"an address of version 6 in another": {"::ffff:10.0.0.1"},
		"a unique local address":             {"fd12::1"},
	} {
		t.Run("AAIF-12-1 a name that leads to "+name, func(t *testing.T) {
			r := &resolver{answers: [][]string{answers}}
			_, err := call(t, open(t, tool.Options{Operator: granted, Lookup: r.lookup}, httpTool("https://desk.example/x")), "note", `{}`)
			wantError(t, err, egressDenied, tool.NotSent)
		})
	}
	t.Run("AAIF-12-1 a name that changes its address is asked for once", func(t *testing.T) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		_, port, _ := net.SplitHostPort(listener.Addr().String())
		r := &resolver{answers: [][]string{{"192.0.2.1"}, {"127.0.0.1"}}} // an address for documentation, which nobody has
		entry := httpTool("https://desk.example:" + port + "/x")
		entry.Timeout = 1
		_, err = call(t, open(t, tool.Options{Operator: granted, Lookup: r.lookup}, entry), "note", `{}`)
		if e := failure(t, err); e.Outcome != tool.NotSent || r.asked.Load() != 1 {
			t.Errorf("got %v after %d lookups", err, r.asked.Load())
		}
	})
	t.Run("AAIF-12-1 a listed name never leads to credentials of a cloud", func(t *testing.T) {
		o := granted
		o.Egress = []string{"desk.example"}
		r := &resolver{answers: [][]string{{"169.254.169.254"}}}
		_, err := call(t, open(t, tool.Options{Operator: o, Lookup: r.lookup}, httpTool("https://desk.example/x")), "note", `{}`)
		wantError(t, err, egressDenied, tool.NotSent)
	})
	t.Run("AAIF-12-1 a listed name may be private, and others may not be contacted", func(t *testing.T) {
		fake := faketool.New()
		server := httptest.NewServer(fake)
		defer server.Close()
		defer fake.Close()
		o := granted
		o.Egress = []string{"desk.internal"}
		r := &resolver{answers: [][]string{{"127.0.0.1"}}}
		_, port, _ := strings.Cut(strings.TrimPrefix(server.URL, "http://"), ":")
		if _, err := call(t, open(t, tool.Options{Operator: o, Lookup: r.lookup}, httpTool("http://desk.internal:"+port+"/call/note")), "note", `{}`); err != nil {
			t.Error(err)
		}
		wantMissing(t, open(t, tool.Options{Operator: o, Lookup: r.lookup}, httpTool("https://desk.example/x")), egressDenied)
	})
}

func TestRedirects(t *testing.T) {
	var elsewhere atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	defer other.Close()
	reads := func() tool.Operator {
		o := operator()
		o.Bindings = []tool.Binding{{Agent: "*", Tool: "note", Method: "GET"}}
		o.Secrets = []tool.Secret{{Env: "TOKEN", Hosts: []string{"127.0.0.1"}}}
		return o
	}
	env := func(string) (string, bool) { return "s3cr3t-word", true }
	bearer := aaif.Auth{Type: "bearer", EnvVar: "TOKEN"}
	t.Run("AAIF-12-1 a read is not sent on to another origin", func(t *testing.T) {
		fake, at := served(t)
		fake.SetFault("note", faketool.Fault{Kind: faketool.Redirect, To: other.URL + "/x"})
		_, err := call(t, open(t, tool.Options{Operator: reads(), Env: env}, withAuth(at+"/call/note", bearer)), "note", `{}`)
		wantError(t, err, egressDenied, tool.Answered)
	})
	t.Run("AAIF-12-1 a read is sent on within its origin", func(t *testing.T) {
		fake, at := served(t)
		fake.SetFault("note", faketool.Fault{Kind: faketool.Redirect})
		if _, err := call(t, open(t, tool.Options{Operator: reads(), Env: env}, withAuth(at+"/call/note", bearer)), "note", `{}`); err != nil {
			t.Fatal(err)
		}
		if got := fake.Requests("note_moved"); len(got) != 1 || got[0].Header.Get("Authorization") != "Bearer s3cr3t-word" {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("AAIF-12-1 a read is not sent on and on", func(t *testing.T) {
		fake, at := served(t)
		fake.SetFault("note", faketool.Fault{Kind: faketool.Redirect, To: "/call/note"})
		_, err := call(t, open(t, tool.Options{Operator: reads()}, httpTool(at+"/call/note")), "note", `{}`)
		wantError(t, err, tool.Unreachable, tool.Answered)
		if n := fake.Counts()["note"].Calls; n > 7 {
			t.Errorf("%d calls", n)
		}
	})
	t.Run("AAIF-12-1 a write is not sent on", func(t *testing.T) {
		fake, at := served(t)
		fake.SetFault("note", faketool.Fault{Kind: faketool.Redirect, To: other.URL + "/x"})
		_, err := call(t, open(t, tool.Options{Operator: operator()}, httpTool(at+"/call/note")), "note", `{}`)
		wantError(t, err, egressDenied, tool.Unknown)
	})
	if elsewhere.Load() != 0 {
		t.Errorf("%d requests elsewhere", elsewhere.Load())
	}
}
