package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aimem/aimemconform"
)

type conformanceAIMEMCmd struct {
	URL         string   `arg:"" help:"The server, such as http://127.0.0.1:7777."`
	Token       string   `xor:"token" help:"A token that may export and import; - for standard input. Others on this machine can see what stands on a command line." placeholder:"T"`
	TokenFile   string   `xor:"token" help:"A file that holds the token." placeholder:"FILE"`
	Own         bool     `xor:"token" help:"The server is this store's own, though it does not listen on the port in config.json: use the store's token. All of the run stays in it, to be taken back with import --undo."`
	ReaderToken string   `help:"A token that may neither export nor import, to try refusals." placeholder:"T"`
	Erase       bool     `help:"Try erasure in the end: everything that the token's owner has there is gone then."`
	Yes         bool     `help:"With --erase: do not ask."`
	Strict      bool     `help:"Rows of SHOULD, MAY and what the text implies count, too."`
	Only        []string `help:"Only this row, such as 3.2-7, or those of this section, such as 3.2." placeholder:"ID"`
	All         bool     `help:"Show the rows that pass or do not apply, too."`
	CA          string   `name:"ca" help:"A file of certificates to trust beside those of this machine, such as a server's own that it signed itself." placeholder:"FILE"`
	Insecure    bool     `help:"Send a token over http:// to another machine."`
}

// Run tries the server and ends with status 1 unless it keeps every row that
// counts.
func (c *conformanceAIMEMCmd) Run(a *app) error {
	if missing := noRow(c.Only); missing != "" {
		return usagef("there is no row %s; docs/requirements/aimem.tsv lists them", clean(missing))
	}
	as := conformanceUMPCmd{URL: c.URL, Token: c.Token, TokenFile: c.TokenFile, CA: c.CA, Insecure: c.Insecure}
	client, err := as.client()
	if err != nil {
		return err
	}
	token, err := c.token(a, &as)
	if err != nil {
		return err
	}
	target := aimemconform.Target{
		URL: c.URL, Token: token, Client: client, Reader: c.ReaderToken, Strict: c.Strict, Only: aimemRows(c.Only), Erase: c.Erase, Now: a.now, Random: rand.Reader,
	}
	if err := reachable(a, client, c.URL); err != nil {
		return as.advised(err)
	}
	a.say("%s will take in some hundred chunks of the tenant of this token; on a satchel server import --list shows them, and import --undo takes them back", clean(c.URL))
	tried := a.trying()
	var results []aimemconform.Result
	summary, err := aimemconform.Run(a.ctx, target, func(r aimemconform.Result) {
		results = append(results, r)
		tried(len(results))
	})
	tried(0)
	switch {
	case errors.Is(err, aimemconform.ErrToken):
		return refusedf("%w: give --token or --token-file; %s", err, whereTokens)
	case err != nil:
		return as.advised(err)
	}
	if err := c.tell(a, summary, results); err != nil {
		return err
	}
	if !summary.OK() {
		return silent(exitFailed)
	}
	return nil
}

// token returns the token to use. It goes to the server that was named, where others
// cannot read it on its way; erasing everything takes a yes.
func (c *conformanceAIMEMCmd) token(a *app, as *conformanceUMPCmd) (string, error) {
	u, err := url.Parse(c.URL)
	if err != nil || u.Hostname() == "" {
		return "", usagef("%s is no address of a server; write it as http://127.0.0.1:7777", clean(c.URL))
	}
	token, err := as.token(a)
	if err != nil {
		return "", err
	}
	if token == "" && c.Own {
		if token, err = a.ownToken(); err != nil {
			return "", err
		}
	}
	if token == "" {
		return "", usagef("a run needs a token that may export and import: give --token or --token-file, or --own for the server of this store; %s", whereTokens)
	}
	if u.Scheme == "http" && !onThisMachine(u) && !c.Insecure {
		return "", refusedf("the token would go to %s where others can read it: use https://, or say --insecure", clean(u.Host))
	}
	if c.Erase && !c.Yes {
		return "", refusedf("--erase erases everything that the owner of the token has on %s: say --yes, too, if that is meant", clean(u.Host))
	}
	return token, nil
}

// aimemRows spells rows as the list of requirements does.
func aimemRows(only []string) []string {
	rows := make([]string, len(only))
	for i, id := range only {
		if rows[i] = strings.ToUpper(id); !strings.HasPrefix(rows[i], "AIMEM-") {
			rows[i] = "AIMEM-" + rows[i]
		}
	}
	return rows
}

// tell prints what became of the rows.
func (c *conformanceAIMEMCmd) tell(a *app, s aimemconform.Summary, results []aimemconform.Result) error {
	if a.json {
		return a.emit(map[string]any{
			"server": c.URL, "producer": s.Producer, "strict": c.Strict, "ok": s.OK(), "partial": s.Partial, "counts": s.Counts, "rows": results,
			"wrote": s.Wrote, "left": s.Left,
		})
	}
	for _, r := range results {
		if c.All || !slices.Contains([]aimemconform.Outcome{aimemconform.Pass, aimemconform.NotApplicable}, r.Outcome) {
			message := r.Title
			if r.Message != "" {
				message = strings.TrimSuffix(r.Title, ".") + ": " + r.Message
			}
			a.print("%-14s %-13s %-10s %s", r.Outcome, r.ID, r.Keyword, clean(message))
		}
	}
	if s.Left {
		a.say("%d chunks were taken in and stay there; of a satchel server, import --list and import --undo take them back", s.Wrote)
	}
	a.print("%s (%s) %s: %s", clean(c.URL), clean(s.Producer), aimemStanding(s), aimemTally(s))
	return nil
}

// aimemStanding says whether the format is kept, and whether all of it was tried.
func aimemStanding(s aimemconform.Summary) string {
	switch {
	case !s.OK():
		return "does not keep AIMEM 1"
	case s.Partial:
		return "keeps AIMEM 1 as far as tried"
	}
	return "keeps AIMEM 1"
}

// aimemTally says how many rows came to what.
func aimemTally(s aimemconform.Summary) string {
	var parts []string
	for _, o := range []aimemconform.Outcome{aimemconform.Pass, aimemconform.Fail, aimemconform.Warn, aimemconform.NotTried, aimemconform.NotApplicable} {
		if n := s.Counts[o]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, o))
		}
	}
	return strings.Join(parts, ", ")
}
