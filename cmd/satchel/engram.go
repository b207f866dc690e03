package main

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
)

type engramCmd struct {
	Context engramContextCmd `cmd:"" help:"Fetch and verify the context; print it as the text for a model."`
	Correct engramCorrectCmd `cmd:"" help:"Propose a correction; it counts once the owner confirms it."`
	Sync    engramSyncCmd    `cmd:"" help:"Fetch the context, and then what changes."`
	Verify  engramVerifyCmd  `cmd:"" help:"Say whether the context that a store hands out is to be trusted; satchel verify says it of a file."`
	Merge   engramMergeCmd   `cmd:"" help:"Make one export of those of several stores, verified one by one, and sign it."`
}

// engramStore is a store of Engram, whoever made it, and what is expected of it.
type engramStore struct {
	URL       string            `arg:"" name:"base-url" help:"The store, such as https://memory.example."`
	TokenFile string            `help:"A file that holds the token. Otherwise it is in $$ENGRAM_TOKEN, or asked for." placeholder:"FILE"`
	Issuer    string            `help:"Who has to have signed. Default: the address of the store." placeholder:"URL"`
	Scope     engram.Scope      `enum:",full,professional,personal,financial,minimal" default:"" help:"Ask for this part: full, professional, personal, financial or minimal." placeholder:"S"`
	Category  []engram.Category `help:"Ask for this category alone; may be given more than once." placeholder:"C"`
	Audience  string            `help:"The URI of this runtime: what was issued to another is refused." placeholder:"URI"`
	Unsigned  bool              `name:"allow-unsigned" help:"Take a context that nobody signed."`
}

// client returns a client of the store.
func (s *engramStore) client(a *app, more func(*engram.ClientOptions)) (*engram.Client, error) {
	if !strings.Contains(s.URL, "://") {
		return nil, usagef("%q is not the address of a store, such as https://memory.example; satchel context and satchel verify read files", clean(s.URL))
	}
	token, err := s.token(a)
	if err != nil {
		return nil, err
	}
	o := engram.ClientOptions{
		Base: s.URL, Token: token, Transport: engramhttp.Transport(&http.Client{}), Now: a.now, Issuer: s.Issuer, Audience: s.Audience, AllowUnsigned: s.Unsigned,
		Query: engram.Query{Scope: s.Scope, Categories: s.Category},
	}
	if more != nil {
		more(&o)
	}
	c, err := engram.NewClient(o)
	return c, as(exitUsage, err)
}

// token finds the token. It never stands on a command line, where others would see it.
func (s *engramStore) token(a *app) (string, error) {
	switch {
	case s.TokenFile != "":
		data, err := readBounded(s.TokenFile, maxSmall)
		return strings.TrimSpace(string(data)), err
	case a.env("ENGRAM_TOKEN") != "":
		return strings.TrimSpace(a.env("ENGRAM_TOKEN")), nil
	case a.interactive():
		return a.secret("Token of the store")
	}
	return "", usagef("the store asks for a token: name a file with --token-file, or set ENGRAM_TOKEN")
}

// engramError gives an error of a client its exit status. Of a version that is not
// supported the object of section 3.10 is the error.
func engramError(a *app, err error) error {
	fault, said := errors.AsType[*engram.Fault](err)
	_, refused := errors.AsType[*engram.Refusal](err)
	status, answered := errors.AsType[*engram.StatusError](err)
	dns, down := errors.AsType[*url.Error](err)
	switch {
	case err == nil:
		return nil
	case said && fault.Code == engram.UnsupportedVersion:
		fmt.Fprintf(a.err, "%s\n", fault.Wire().Append(nil))
		return silent(exitRefused)
	case refused, errors.Is(err, engramhttp.ErrElsewhere):
		return as(exitRefused, err)
	case answered && (status.Status == http.StatusUnauthorized || status.Status == http.StatusForbidden):
		return as(exitRefused, err)
	case down && !errors.Is(err, context.Canceled):
		return fmt.Errorf("the store cannot be reached: %w", dns.Err)
	}
	return err
}

type engramContextCmd struct {
	engramStore

	Framed  bool   `help:"In a frame that marks it as data that is not to be obeyed."`
	Stale   bool   `name:"apply-staleness" help:"Trust what was not confirmed for long less."`
	Base    string `help:"A file with the system prompt that it is put behind. Otherwise it is in $$ENGRAM_BASE_PROMPT, if anywhere." placeholder:"FILE"`
	Whole   bool   `name:"export" help:"Print the export itself, as it was received."`
	Pending bool   `help:"Say which beliefs need to be confirmed by the user, too."`
}

// Run prints the text for a model; with --json with what has to be confirmed.
func (c *engramContextCmd) Run(a *app) error {
	client, err := c.client(a, nil)
	if err != nil {
		return err
	}
	held, err := client.Fetch(a.ctx)
	if err != nil {
		return engramError(a, err)
	}
	for _, w := range held.Warnings {
		a.say("%s: %s [%s]", clean(w.Pointer), clean(w.Message), w.Rule)
	}
	if c.Whole {
		a.print("%s", held.Document.Value.Append(nil))
		return nil
	}
	p, err := c.prompt(a, client)
	if err != nil {
		return engramError(a, err)
	}
	if a.json {
		return a.emit(map[string]any{"trust": held.Trust, "system": p.System, "text": p.Text, "uncertain": wires(p.Unsure), "pending": wires(p.Proposed), "rules": wires(p.Rules)})
	}
	if c.Pending {
		for _, b := range p.Unsure {
			a.say("ask the user first: %s: %s", clean(b.Key), clean(b.Text))
		}
	}
	a.print("%s", strings.TrimSuffix(clean(p.System), "\n"))
	return nil
}

func (c *engramContextCmd) prompt(a *app, client *engram.Client) (engram.Prompt, error) {
	o := engram.PromptOptions{Base: a.env("ENGRAM_BASE_PROMPT"), Framed: c.Framed, ApplyStaleness: c.Stale}
	if c.Framed {
		nonce, err := engram.NewID(rand.Reader)
		if err != nil {
			return engram.Prompt{}, err
		}
		o.Nonce = nonce
	}
	if c.Base != "" {
		base, err := readBounded(c.Base, maxSmall)
		if err != nil {
			return engram.Prompt{}, err
		}
		o.Base = strings.TrimRight(string(base), "\n")
	}
	return client.Prompt(o)
}
