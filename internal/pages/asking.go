package pages

import (
	"context"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// AskerSearch shows the owner what somebody else is given for a question.
type AskerSearch interface {
	// Askers lists who could ask besides the owner: programs that are connected or have
	// read, and the holders of tokens in force.
	Askers(ctx context.Context, c memory.Caller, now time.Time) ([]Asker, error)
	// SearchAs answers a question exactly as an asker would be answered, by the name in the
	// list. Nothing notes it as a reading. It fails as the asker's own question would.
	SearchAs(ctx context.Context, c memory.Caller, name string, q memory.Query) ([]memory.Hit, []memory.Warning, error)
}

// Asker is somebody who could ask.
type Asker struct {
	Name  string // in addresses
	Title string // for people
	Token bool   // it shows a token
}

// askerChoices lists who could ask, the owner first. It returns the chosen one.
func askerChoices(all []Asker, chosen string) (list []choice, as Asker) {
	list = choices(chosen, "", "You")
	for _, a := range all {
		word := cut(a.Title, 50)
		if a.Token {
			word = "Token: " + word
		}
		list = append(list, choice{a.Name, word, a.Name == chosen})
		if a.Name == chosen {
			as = a
		}
	}
	return list, as
}

// withheld returns the owner's hits that an asker is not given.
func withheld(own, given []memory.Hit, now time.Time) (rows []row) {
	for _, h := range own {
		if !slices.ContainsFunc(given, func(g memory.Hit) bool { return g.Record.ID == h.Record.ID }) {
			rows = append(rows, rowOf(h.Record, now))
		}
	}
	return rows
}
