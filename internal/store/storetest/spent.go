package storetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
)

var spentTests = []test{
	{"AAIF-8.2-8 tokens that have served are listed while they are remembered", spentLists},
}

func spentLists(p *place) {
	long := strings.Repeat("x", 300)
	token := func(issuer, jti string, minutes int) store.Spent {
		return store.Spent{Issuer: issuer, JTI: jti, Until: birth.Add(time.Duration(minutes) * time.Minute)}
	}
	p.update(ada, func(w store.Writer) {
		for _, t := range []store.Spent{token("i", "2", 2), token("", "m", 3), token(long, long+"y", 4), token("i", "1", 1), token("j", "1", 9)} {
			must(p.t, w.AgentKeeper().Spend(t, birth))
		}
		same(p.t, "its own writes", len(value(w.Agents().SpentList(birth))(p.t)), 5)
	})
	p.update(bob, func(w store.Writer) { must(p.t, w.AgentKeeper().Spend(token("of", "another", 9), birth)) })
	for minute, want := range [][]store.Spent{
		{token("", "m", 3), token("i", "1", 1), token("i", "2", 2), token("j", "1", 9), token(long, long+"y", 4)},
		{token("", "m", 3), token("i", "1", 1), token("i", "2", 2), token("j", "1", 9), token(long, long+"y", 4)},
		{token("", "m", 3), token("i", "2", 2), token("j", "1", 9), token(long, long+"y", 4)},
	} {
		p.view(ada, func(r store.Reader) {
			same(p.t, fmt.Sprint("after minutes ", minute), value(r.Agents().SpentList(birth.Add(time.Duration(minute)*time.Minute)))(p.t), want)
		})
	}
	p.update(ada, func(w store.Writer) { must(p.t, w.EraseOwner()) })
	p.view(ada, func(r store.Reader) { same(p.t, "erased", len(value(r.Agents().SpentList(birth))(p.t)), 0) })
	p.view(bob, func(r store.Reader) { same(p.t, "another's", len(value(r.Agents().SpentList(birth))(p.t)), 1) })
}
