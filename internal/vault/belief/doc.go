// Package belief reads the records of a vault as Engram beliefs: contexts and their
// changes, corrections, proposals, constraints, the identity, and the subscriptions of
// runtimes. The kernel calls it through [vault.Beliefs].
package belief

import (
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// Service holds the beliefs of the owners of one vault. It is safe for concurrent use.
type Service struct {
	*views
	*hooks
}

// beliefs reads the records of an owner as beliefs, lineage by lineage.
type beliefs struct {
	kernel vault.Kernel
	places places // see loadBeliefs
}

// views answers what a caller may see of an owner's beliefs.
type views struct {
	*beliefs
	reads recordCache
	edges edges // see State
}

// hooks keeps the subscriptions and finds the deliveries that are due.
type hooks struct{ *views }

var _ vault.Beliefs = (*Service)(nil)

// Open makes the beliefs of a vault, for [vault.Options].
func Open(k vault.Kernel) vault.Beliefs {
	v := &views{beliefs: &beliefs{kernel: k}}
	return &Service{v, &hooks{v}}
}

// Of returns the beliefs of a vault that was opened with [Open].
func Of(v *vault.Vault) *Service { return vault.KernelOf(v).Beliefs().(*Service) }

// Drop removes records of an owner from memory; without ids, all of them.
func (v *views) Drop(owner memory.DID, ids ...memory.ID) { v.reads.drop(owner, ids...) }

// TwinsOf implements [vault.Beliefs]; it finds the memories that [Service.Twins] lists.
func (s *Service) TwinsOf(r store.Reader, owner memory.DID) vault.TwinFinder {
	return &twinFinder{s, r, owner, newLineageSet()}
}

// twinFinder implements [vault.TwinFinder].
type twinFinder struct {
	*Service
	rows  store.Reader
	owner memory.DID
	all   *lineageSet
}

func (f *twinFinder) Add(rows []store.Row, altered map[int64]bool, records []memory.Record, damage []error) {
	for i, row := range rows {
		if ver := f.versionOf(f.owner, row, altered[row.Number], records[i], damage[i]); !ver.foreign {
			f.all.file(row.Columns.Lineage, ver)
		}
	}
}

func (f *twinFinder) Find() (sentences []string, err error) {
	f.all.complete()
	twins, err := f.twinsAmong(f.rows, f.owner, f.all)
	for _, t := range twins {
		sentences = append(sentences, t.String())
	}
	return sentences, err
}
