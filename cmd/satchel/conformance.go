package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umpconform"
)

type conformanceCmd struct {
	UMP   conformanceUMPCmd   `cmd:"" name:"ump" help:"Put the requirements of UMP 0.1 to a server."`
	AIMEM conformanceAIMEMCmd `cmd:"" name:"aimem" help:"Put the requirements of the AIMEM Bundle to a server. It takes some hundred chunks in, and the format has no way to take them back."`
}

type conformanceUMPCmd struct {
	URL       string   `arg:"" help:"The server, such as http://127.0.0.1:7777."`
	Token     string   `xor:"token" help:"A token of the owner's side; - for standard input. Others on this machine can see what stands on a command line." placeholder:"T"`
	TokenFile string   `xor:"token" help:"A file that holds the token." placeholder:"FILE"`
	Own       bool     `xor:"token" help:"The server is this store's own, though it does not listen on the port in config.json: use the store's token and key."`
	Level     string   `default:"" enum:",L0,L1,L2,L3" help:"The level to be tried: L0 to L3. Default: what the server announces." placeholder:"L"`
	Strict    bool     `help:"Rows of SHOULD, MAY and what the text implies count, too."`
	Only      []string `help:"Only this row, such as 3.2-7, or those of this section, such as 3.2." placeholder:"ID"`
	All       bool     `help:"Show the rows that pass or do not apply, too."`
	Patient   bool     `help:"Wait up to 20 seconds for a stream to say that it is alive, and as long for an event."`
	CA        string   `name:"ca" help:"A file of certificates to trust beside those of this machine, such as a server's own that it signed itself." placeholder:"FILE"`
	Insecure  bool     `help:"Send a token over http:// to another machine."`
}

// Run tries the server and ends with status 1 unless it keeps every row that
// counts.
func (c *conformanceUMPCmd) Run(a *app) (err error) {
	client, err := c.client()
	if err != nil {
		return err
	}
	target := umpconform.Target{
		URL: c.URL, Owner: memory.DID(a.owner), Level: c.Level, Strict: c.Strict, Only: rowsOf(c.Only), Now: a.now, Random: rand.Reader, Client: client,
	}
	if c.Patient {
		target.Patience, target.Heartbeat = patience, patience
	}
	done, err := c.credentials(a, &target)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	tried := a.trying()
	var results []umpconform.Result
	summary, err := umpconform.Run(a.ctx, target, func(r umpconform.Result) {
		results = append(results, r)
		tried(len(results))
	})
	tried(0)
	switch {
	case err != nil:
		return c.advised(err)
	case len(results) == 0:
		return usagef("there is no row %s; docs/requirements/ump.tsv lists them", clean(strings.Join(c.Only, ", ")))
	}
	if err := c.tell(a, summary, results); err != nil {
		return err
	}
	if !summary.OK() {
		return silent(exitFailed)
	}
	return nil
}

// rowsOf spells rows as the list of requirements does.
func rowsOf(only []string) []string {
	rows := make([]string, len(only))
	for i, id := range only {
		if rows[i] = strings.ToUpper(id); !strings.HasPrefix(rows[i], "UMP-") {
			rows[i] = "UMP-" + rows[i]
		}
	}
	return rows
}

// credentials finds the token, and the key where the server is the store's own.
// What it returns is to be called in the end.
func (c *conformanceUMPCmd) credentials(a *app, t *umpconform.Target) (func() error, error) {
	nothing := func() error { return nil }
	u, err := url.Parse(c.URL)
	if err != nil || u.Hostname() == "" {
		return nil, usagef("%s is no address of a server; write it as http://127.0.0.1:7777", clean(c.URL))
	}
	if t.Token, err = c.token(a); err != nil {
		return nil, err
	}
	own := t.Token == "" && (c.Own || a.ownServer(u))
	if (t.Token != "" || own) && u.Scheme == "http" && !onThisMachine(u) && !c.Insecure {
		return nil, refusedf("the token would go to %s where others can read it: use https://, or say --insecure", clean(u.Host))
	}
	if !own {
		return nothing, nil
	}
	o, err := a.open(signing)
	if err != nil {
		return nil, err
	}
	if t.Token, err = o.readToken(); err == nil && o.Owner != o.config.Owner {
		err = usagef("the token of the home folder is its owner's: give one of %s with --token", o.Owner)
	}
	if err != nil {
		return nil, errors.Join(err, o.Close())
	}
	key := o.key
	t.Key, t.Owner = &key, o.Owner
	t.Revoke = func(jti string) error { return o.RevokeToken(a.ctx, o.owner(), jti) }
	a.say("using the token and the key of the store in %s; what is written is erased in the end", o.dir)
	return o.Close, nil
}

// token returns the token that was given, "" for none.
func (c *conformanceUMPCmd) token(a *app) (string, error) {
	if c.TokenFile != "" {
		data, err := readBounded(c.TokenFile, maxSmall)
		return strings.TrimSpace(string(data)), err
	}
	text, err := a.text(c.Token, maxSmall)
	return strings.TrimSpace(text), err
}

// onThisMachine reports whether an address is one of the loopback interface.
func onThisMachine(u *url.URL) bool {
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && ip.IsLoopback()
}

// ownServer reports whether an address is where satchel serve puts the store.
func (a *app) ownServer(u *url.URL) bool {
	_, config, err := a.existing()
	_, port, split := net.SplitHostPort(u.Host)
	return err == nil && split == nil && onThisMachine(u) && port == strconv.Itoa(config.Port)
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

// tell prints what became of the rows.
func (c *conformanceUMPCmd) tell(a *app, s umpconform.Summary, results []umpconform.Result) error {
	for _, id := range s.Left {
		a.warn("could not be removed from the server: %s", clean(string(id)))
	}
	if a.json {
		return a.emit(map[string]any{
			"server": s.Server, "owner": s.Owner, "level": s.Level, "strict": c.Strict, "ok": s.OK(),
			"partial": s.Partial, "counts": s.Counts, "rows": results, "extra": orEmpty(s.Extra), "before": orEmpty(s.Before), "left": orEmpty(s.Left),
		})
	}
	for _, r := range results {
		if c.All || !slices.Contains([]umpconform.Outcome{umpconform.Pass, umpconform.NotApplicable}, r.Outcome) {
			a.print("%-14s %-11s %-8s %s", r.Outcome, r.ID, r.Keyword, clean(because(r)))
		}
	}
	if len(s.Extra) > 0 {
		a.print("members that the specification does not name: %s", clean(strings.Join(s.Extra, ", ")))
	}
	if len(s.Before) > 0 {
		a.print("in records that were there before, which do not count: %s", clean(strings.Join(s.Before, ", ")))
	}
	a.print("%s %s: %s", clean(s.Server), standing(s), tally(s))
	return nil
}

// standing says whether the level is kept, and whether all of it was tried.
func standing(s umpconform.Summary) string {
	switch {
	case !s.OK():
		return "does not keep UMP 0.1 / " + s.Level
	case s.Partial:
		return "keeps UMP 0.1 / " + s.Level + " as far as tried"
	}
	return "keeps UMP 0.1 / " + s.Level
}

// because says what a row is about, and what is wrong.
func because(r umpconform.Result) string {
	if r.Message == "" {
		return r.Title
	}
	return strings.TrimSuffix(r.Title, ".") + ": " + r.Message
}

// tally says how many rows came to what.
func tally(s umpconform.Summary) string {
	var parts []string
	for _, o := range []umpconform.Outcome{umpconform.Pass, umpconform.Fail, umpconform.Blocked, umpconform.Warn, umpconform.NotTried, umpconform.NotApplicable} {
		if n := s.Counts[o]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, o))
		}
	}
	return strings.Join(parts, ", ")
}

// orEmpty returns a list that JSON shows as one.
func orEmpty[T any](list []T) []T { return append([]T{}, list...) }
