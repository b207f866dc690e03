package server

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/internal/vault/assistant"
	"github.com/satchel-memory/satchel/memory"
)

// Askers lists the programs that are connected or have read, and the tokens in force.
func (p watchPages) Askers(ctx context.Context, c memory.Caller, now time.Time) (all []pages.Asker, err error) {
	readers, err := p.assistants.Readers(ctx, c, time.Time{})
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	add := func(name, title string) {
		if name != "" && !known[name] {
			known[name] = true
			all = append(all, pages.Asker{Name: name, Title: title})
		}
	}
	hosts := p.hosts(c)
	for _, h := range hosts {
		if h.Connected {
			add(h.Name, h.Title)
		}
	}
	for _, r := range readers {
		if r.Token == "" && r.Host != "" {
			var read assistant.Reading
			read.Host = r.Host
			add(readerName(hosts, nil, read))
		}
	}
	tokens, err := p.Tokens(ctx, c, now)
	for _, t := range tokens {
		if !t.Ended {
			all = append(all, pages.Asker{Name: pages.TokenMark + t.ID, Title: cmp.Or(t.Name, t.For, t.ID), Token: true})
		}
	}
	return all, err
}

// SearchAs answers a question as it would be answered to an asker.
func (p watchPages) SearchAs(ctx context.Context, c memory.Caller, name string, q memory.Query) ([]memory.Hit, []memory.Warning, error) {
	as := assistant.Asker{Host: name}
	if id, ok := strings.CutPrefix(name, pages.TokenMark); ok {
		as = assistant.Asker{Token: id}
	}
	return p.assistants.Preview(ctx, c, as, q)
}
