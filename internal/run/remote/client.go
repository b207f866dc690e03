package remote

import (
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/a2a"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run/tool"
	"github.com/satchel-memory/satchel/internal/sleep"
)

// Options are what a Client needs. Settings is required.
type Options struct {
	// Settings returns the operator's table, and what reads variables of the environment.
	Settings func() (o tool.Operator, env func(name string) (string, bool), err error)
	Now      func() time.Time                                 // nil: [time.Now]
	Wait     func(ctx context.Context, d time.Duration) error // nil: by the clock of the system
	Roots    *x509.CertPool                                   // the authorities of servers; nil: those of the system
	Most     time.Duration                                    // how long a task may take; 0: an hour
}

// Client gives tasks to agents elsewhere. It is safe for concurrent use.
type Client struct {
	opt Options

	mu    sync.Mutex
	cards map[string]keptCard // by address
}

// keptCard is a card that was read a while ago.
type keptCard struct {
	card canon.Value
	at   time.Time
}

const (
	usualMost = time.Hour
	cardLasts = 5 * time.Minute
	mostCards = 256
	mostCard  = 256 << 10
)

// The codes of failures, beside those of package tool.
const (
	// notListed means that the operator does not list the agent.
	notListed aaif.Code = "AGENT_NOT_LISTED"
	// refused means that the agent refused the task, or cannot be asked.
	refused aaif.Code = "AGENT_REFUSED"
	// failed means that the task ended without an answer.
	failed aaif.Code = "AGENT_FAILED"
)

// New returns a Client.
func New(o Options) *Client {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Wait == nil {
		o.Wait = sleep.For
	}
	if o.Most <= 0 {
		o.Most = usualMost
	}
	return &Client{opt: o, cards: map[string]keptCard{}}
}

// agent is an agent elsewhere, ready to be asked.
type agent struct {
	*Client
	out     tool.Outbound
	said    tool.Elsewhere
	token   string
	at      a2a.Interface
	streams bool
}

// Ask gives the agent whose card lies at an address a task, and waits for what it answers. key
// is the same whenever the same task is given. A failure is a [*tool.Error], whose outcome says
// whether the agent may have got the task.
func (c *Client) Ask(ctx context.Context, card, key, message string) (tool.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, c.opt.Most)
	defer cancel()
	a, err := c.find(ctx, card)
	if err != nil {
		return tool.Result{}, a.hide(err)
	}
	r, err := a.ask(ctx, key, message)
	return r, a.hide(err)
}

// hide takes the token out of the text of an error.
func (a *agent) hide(err error) error {
	if known, ok := err.(*tool.Error); ok && a != nil && a.token != "" {
		known.Text = strings.ReplaceAll(known.Text, a.token, "…")
	}
	return err
}

func fail(code aaif.Code, outcome tool.Outcome, text string) *tool.Error {
	return &tool.Error{Code: code, Outcome: outcome, Text: text}
}

// find returns a listed agent by the address of its card.
func (c *Client) find(ctx context.Context, card string) (*agent, error) {
	o, env, err := c.opt.Settings()
	if err != nil {
		return nil, fail(refused, tool.NotSent, "the table of tools cannot be read: "+err.Error())
	}
	a := &agent{Client: c, out: tool.NewOutbound(o, c.opt.Roots)}
	for _, said := range o.Agents {
		if said.Card == card {
			a.said = said
		}
	}
	if a.said.Card == "" {
		return a, fail(notListed, tool.NotSent, aaif.Shown(card)+" is none of the agents that the operator lists")
	}
	if a.said.Env != "" {
		var ok bool
		if a.token, ok = env(a.said.Env); !ok || a.token == "" {
			return a, fail(refused, tool.NotSent, "the variable "+aaif.Shown(a.said.Env)+" with the token for the agent is not set")
		}
	}
	doc, err := a.card(ctx)
	if err != nil {
		return a, err
	}
	return a, a.choose(doc)
}

// card returns the card of an agent.
func (a *agent) card(ctx context.Context) (canon.Value, error) {
	a.mu.Lock()
	kept, known := a.cards[a.said.Card]
	a.mu.Unlock()
	if known && a.opt.Now().Sub(kept.at) < cardLasts {
		return kept.card, nil
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, a.said.Card, nil)
	if err != nil {
		return canon.Value{}, fail(refused, tool.NotSent, "the card has no usable address")
	}
	got, err := a.send(r)
	if err != nil {
		return canon.Value{}, notSent(err)
	}
	defer func() { _ = got.Body.Close() }() // everything readable has been read
	raw, err := readAll(got.Body, mostCard)
	if err != nil || got.StatusCode != http.StatusOK {
		return canon.Value{}, fail(refused, tool.NotSent, "the card of the agent cannot be read: it answers "+got.Status)
	}
	doc, err := a2a.Parse(raw)
	if err != nil || a2a.Edition(doc) == "" {
		return canon.Value{}, fail(refused, tool.NotSent, "what lies at the address of the card is no Agent Card")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.cards) >= mostCards {
		clear(a.cards)
	}
	a.cards[a.said.Card] = keptCard{doc, a.opt.Now()}
	return doc, nil
}

// notSent says of an error before the task was sent that it was not.
func notSent(err error) error {
	if known, ok := err.(*tool.Error); ok {
		known.Outcome = tool.NotSent
		if known.Code == tool.OutcomeUnknown {
			known.Code = tool.Unreachable
		}
	}
	return err
}

// choose takes the first interface of a card that is known here. It leads to the host of the
// card: the task and the token are for nobody else.
func (a *agent) choose(card canon.Value) error {
	of, err := url.Parse(a.said.Card)
	if err != nil {
		return fail(refused, tool.NotSent, "the card has no usable address")
	}
	for _, i := range a2a.Interfaces(card) {
		at, err := url.Parse(i.URL)
		if err == nil && at.Scheme == of.Scheme && at.Host == of.Host {
			a.at, a.streams = i, card.Get("capabilities").Get("streaming").True()
			return nil
		}
	}
	return fail(refused, tool.NotSent, "the card names no address at its own host that speaks A2A 1.0 or 0.3 by JSON-RPC")
}

// messageID returns the id of the message of a call.
func messageID(key string) string {
	sum := sha256.Sum256([]byte("satchel a2a message 1\x00" + key))
	return hex.EncodeToString(sum[:16])
}
