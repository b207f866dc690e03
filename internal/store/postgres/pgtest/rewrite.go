package pgtest

import (
	"io"
	"net"
	"net/url"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
)

// Rewrite returns the URL by which the server of another URL is reached through
// somebody who changes statements on their way, as long as the test lasts. Change is
// asked by many connections at once.
func Rewrite(t testing.TB, to string, change func(statement string) string) string {
	t.Helper()
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	server := u.Host
	u.Host = l.Addr().String()
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go rewrite(client, server, change)
		}
	}()
	return u.String()
}

// rewrite serves one connection until either side ends it.
func rewrite(client net.Conn, to string, change func(string) string) {
	defer client.Close()
	server, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer server.Close()
	go func() {
		_, _ = io.Copy(client, server) // it ends with the connection
		_ = client.Close()
	}()
	from := pgproto3.NewBackend(client, client)
	first, err := from.ReceiveStartupMessage()
	for err == nil {
		if err = send(server, first); err != nil {
			return
		}
		if _, ok := first.(*pgproto3.StartupMessage); ok {
			break
		}
		first, err = from.ReceiveStartupMessage()
	}
	for err == nil {
		var m pgproto3.FrontendMessage
		if m, err = from.Receive(); err != nil {
			return
		}
		switch m := m.(type) {
		case *pgproto3.Parse:
			m.Query = change(m.Query)
		case *pgproto3.Query:
			m.String = change(m.String)
		}
		err = send(server, m)
	}
}

func send(to io.Writer, m pgproto3.FrontendMessage) error {
	out, err := m.Encode(nil)
	if err == nil {
		_, err = to.Write(out)
	}
	return err
}
