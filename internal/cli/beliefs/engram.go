package beliefs

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/engram/engramhttp"
	"github.com/satchel-memory/satchel/internal/cli"
)

// EngramCmd is the command satchel engram.
type EngramCmd struct {
	Context engramContextCmd `cmd:"" help:"Fetch and verify the context, and print the text for a model."`
	Correct engramCorrectCmd `cmd:"" help:"Propose a correction. It counts once the owner confirms it."`
	Sync    engramSyncCmd    `cmd:"" help:"Fetch the context, then its changes."`
	Verify  engramVerifyCmd  `cmd:"" help:"Check whether the context of a store can be trusted. For a file use satchel verify."`
	Merge   engramMergeCmd   `cmd:"" help:"Merge the exports of several stores into one signed export."`
}

// engramStore is an Engram store of any make, and the client's expectations.
type engramStore struct {
	URL       string            `arg:"" name:"base-url" help:"The store, such as https://memory.example."`
	TokenFile string            `help:"A file with the token. Default: $$ENGRAM_TOKEN, else you are asked." placeholder:"FILE"`
	Issuer    string            `help:"The required issuer. Default: the address of the store." placeholder:"URL"`
	Scope     engram.Scope      `enum:",full,professional,personal,financial,minimal" default:"" help:"Ask for this part: full, professional, personal, financial or minimal." placeholder:"S"`
	Category  []engram.Category `help:"Ask for this category. May be repeated." placeholder:"C"`
	Audience  string            `help:"The URI of this assistant. A context for another assistant is refused." placeholder:"URI"`
	Unsigned  bool              `name:"allow-unsigned" help:"Accept a context without a signature."`
}

// client returns a client of the store.
func (s *engramStore) client(a *cli.App, more func(*engram.ClientOptions)) (*engram.Client, error) {
	if !strings.Contains(s.URL, "://") {
		return nil, cli.Usagef("%q is not the address of a store, such as https://memory.example; satchel context and satchel verify read files", cli.Clean(s.URL))
	}
	token, err := s.token(a)
	if err != nil {
		return nil, err
	}
	o := engram.ClientOptions{
		Base: s.URL, Token: token, Transport: engramhttp.Transport(&http.Client{}), Now: a.Now, Issuer: s.Issuer, Audience: s.Audience, AllowUnsigned: s.Unsigned,
		Query: engram.Query{Scope: s.Scope, Categories: s.Category},
	}
	if more != nil {
		more(&o)
	}
	c, err := engram.NewClient(o)
	return c, cli.WithStatus(cli.ExitUsage, err)
}

// token finds the token. It never comes from the command line, where others could see it.
func (s *engramStore) token(a *cli.App) (string, error) {
	switch {
	case s.TokenFile != "":
		data, err := cli.ReadBounded(s.TokenFile, cli.MaxSmall)
		return strings.TrimSpace(string(data)), err
	case a.Env("ENGRAM_TOKEN") != "":
		return strings.TrimSpace(a.Env("ENGRAM_TOKEN")), nil
	case a.Interactive():
		return a.Secret("Token of the store")
	}
	return "", cli.Usagef("the store asks for a token: name a file with --token-file, or set ENGRAM_TOKEN")
}

// engramError gives a client's error its exit status. For an unsupported version the error
// is the object of section 3.10.
func engramError(a *cli.App, err error) error {
	fault, said := errors.AsType[*engram.Fault](err)
	_, refused := errors.AsType[*engram.Refusal](err)
	status, answered := errors.AsType[*engram.StatusError](err)
	dns, down := errors.AsType[*url.Error](err)
	switch {
	case err == nil:
		return nil
	case said && fault.Code == engram.UnsupportedVersion:
		fmt.Fprintf(a.Err, "%s\n", fault.Wire().Append(nil))
		return cli.Silent(cli.ExitRefused)
	case refused, errors.Is(err, engramhttp.ErrOtherOrigin):
		return cli.WithStatus(cli.ExitRefused, err)
	case answered && (status.Status == http.StatusUnauthorized || status.Status == http.StatusForbidden):
		return cli.WithStatus(cli.ExitRefused, err)
	case down && !errors.Is(err, context.Canceled):
		return fmt.Errorf("the store cannot be reached: %w", dns.Err)
	}
	return err
}

type engramContextCmd struct {
	engramStore

	Framed  bool   `help:"Frame the text as data that the model must not obey."`
	Stale   bool   `name:"apply-staleness" help:"Lower the confidence of beliefs that are overdue for confirmation."`
	Base    string `help:"A file with a system prompt to print before it. Default: $$ENGRAM_BASE_PROMPT." placeholder:"FILE"`
	Whole   bool   `name:"export" help:"Print the export as received."`
	Pending bool   `help:"List the beliefs that the user should confirm too."`
}

// Run prints the text for a model; with --json with what has to be confirmed.
func (c *engramContextCmd) Run(a *cli.App) error {
	client, err := c.client(a, nil)
	if err != nil {
		return err
	}
	held, err := client.Fetch(a.Ctx)
	if err != nil {
		return engramError(a, err)
	}
	for _, w := range held.Warnings {
		a.Say("%s: %s [%s]", cli.Clean(w.Pointer), cli.Clean(w.Message), w.Rule)
	}
	if c.Whole {
		a.Print("%s", held.Document.Value.Append(nil))
		return nil
	}
	p, err := c.prompt(a, client)
	if err != nil {
		return engramError(a, err)
	}
	if a.JSON {
		return a.Emit(map[string]any{"trust": held.Trust, "system": p.System, "text": p.Text, "uncertain": wires(p.Unsure), "pending": wires(p.Proposed), "rules": wires(p.Rules)})
	}
	if c.Pending {
		for _, b := range p.Unsure {
			a.Say("ask the user first: %s: %s", cli.Clean(b.Key), cli.Clean(b.Text))
		}
	}
	a.Print("%s", strings.TrimSuffix(cli.Clean(p.System), "\n"))
	return nil
}

func (c *engramContextCmd) prompt(a *cli.App, client *engram.Client) (engram.Prompt, error) {
	o := engram.PromptOptions{Base: a.Env("ENGRAM_BASE_PROMPT"), Framed: c.Framed, ApplyStaleness: c.Stale}
	if c.Framed {
		nonce, err := engram.NewID(rand.Reader)
		if err != nil {
			return engram.Prompt{}, err
		}
		o.Nonce = nonce
	}
	if c.Base != "" {
		base, err := cli.ReadBounded(c.Base, cli.MaxSmall)
		if err != nil {
			return engram.Prompt{}, err
		}
		o.Base = strings.TrimRight(string(base), "\n")
	}
	return client.Prompt(o)
}
