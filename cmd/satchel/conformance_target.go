package main

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"
)

// conformanceTarget is the server to be tried, and what every run takes.
type conformanceTarget struct {
	URL       string   `arg:"" help:"The server, such as http://127.0.0.1:7777."`
	Token     string   `xor:"token" help:"${token}. - reads standard input. Other users of this machine can see a command line." placeholder:"T"`
	TokenFile string   `xor:"token" help:"A file that holds the token." placeholder:"FILE"`
	Own       bool     `xor:"token" help:"The server belongs to this store: use the store's token and key."`
	Strict    bool     `help:"Count rows of SHOULD and MAY too."`
	Only      []string `help:"Only this row, such as 3.2-7, or this section, such as 3.2." placeholder:"ID"`
	All       bool     `help:"Show rows that pass or do not apply too."`
	CA        string   `name:"ca" help:"A file of certificates to trust, beside those of this machine." placeholder:"FILE"`
	Insecure  bool     `help:"Allow sending a token over http:// to another machine."`
}

// address reads the server's address.
func (c *conformanceTarget) address() (*url.URL, error) {
	u, err := url.Parse(c.URL)
	if err != nil || u.Hostname() == "" {
		return nil, usagef("%s is no address of a server; write it as http://127.0.0.1:7777", clean(c.URL))
	}
	return u, nil
}

// token returns the token that was given, "" for none.
func (c *conformanceTarget) token(a *app) (string, error) {
	if c.TokenFile != "" {
		data, err := readBounded(c.TokenFile, maxSmall)
		return strings.TrimSpace(string(data)), err
	}
	text, err := a.text(c.Token, maxSmall)
	return strings.TrimSpace(text), err
}

// unread fails when others could read a token on its way.
func (c *conformanceTarget) unread(u *url.URL) error {
	if u.Scheme == "http" && !onThisMachine(u) && !c.Insecure {
		return refusedf("the token would go to %s where others can read it: use https://, or say --insecure", clean(u.Host))
	}
	return nil
}

// onThisMachine reports whether an address is one of the loopback interface.
func onThisMachine(u *url.URL) bool {
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && ip.IsLoopback()
}

// rowsOf spells rows as the list of requirements does, whose ids have a beginning.
func rowsOf(beginning string, only []string) []string {
	rows := make([]string, len(only))
	for i, id := range only {
		if rows[i] = strings.ToUpper(id); !strings.HasPrefix(rows[i], beginning) {
			rows[i] = beginning + rows[i]
		}
	}
	return rows
}

// trying shows on a terminal how many rows have been tried; 0 takes the line
// away.
func (a *app) trying() func(rows int) {
	if a.quiet || !isTerminal(a.err) {
		return func(int) {}
	}
	return func(rows int) {
		if rows == 0 {
			fmt.Fprint(a.err, "\r\x1b[K")
			return
		}
		fmt.Fprintf(a.err, "\r%d rows tried", rows)
	}
}

// because says what a row is about, and what is wrong.
func because(title, message string) string {
	if message == "" {
		return title
	}
	return strings.TrimSuffix(title, ".") + ": " + message
}

// tally says how many rows came to what, in an order.
func tally[O ~string](counts map[O]int, order ...O) string {
	var parts []string
	for _, o := range order {
		if n := counts[o]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, o))
		}
	}
	return strings.Join(parts, ", ")
}
