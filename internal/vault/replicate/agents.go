package replicate

import (
	"bytes"
	"cmp"
	"errors"
	"slices"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
)

// maxPlace bounds [replica.Agent.Place], so that a greater one always exists.
const maxPlace = 1 << 40

// definition is a definition of an agent, as its newest revision keeps it.
type definition struct {
	store.Agent
	place int64
}

// compare orders the definitions of an agent. The greatest is the agent's newest, on every
// machine.
func (d definition) compare(o definition) int {
	return cmp.Or(cmp.Compare(d.place, o.place), cmp.Compare(d.Digest, o.Digest))
}

// placed returns the definitions of an agent in the order of their revisions, with the places
// that are known. It fails with ErrAltered if one was changed outside of the store.
func placed(r store.Reader, newest store.Agent) ([]definition, error) {
	var all []definition
	for n := newest.Revision; n > 0; n-- {
		a, err := r.Agents().Agent(newest.ID, n)
		if errors.Is(err, store.ErrNotFound) ||
			slices.ContainsFunc(all, func(d definition) bool { return d.Digest == a.Digest }) {
			continue
		}
		if err != nil {
			return nil, err
		}
		k, _, err := readKnown(r, itemKey(replica.KindAgent, agentKey(a)))
		if err != nil {
			return nil, err
		}
		all = append(all, definition{a, k.Place})
	}
	slices.Reverse(all)
	return all, nil
}

// definitionsOf returns the definitions of an agent with the places that they have after a scan:
// new definitions come after all others, and so does one that became the newest again.
func definitionsOf(r store.Reader, id string) ([]definition, error) {
	newest, err := r.Agents().Agent(id, 0)
	if err != nil {
		return nil, err
	}
	all, err := placed(r, newest)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	last := slices.MaxFunc(all, definition.compare).place
	for i := range all {
		if all[i].place == 0 {
			last++
			all[i].place = last
		}
	}
	if now := &all[len(all)-1]; slices.MaxFunc(all, definition.compare).Digest != now.Digest {
		now.place = last + 1
	}
	return all, nil
}

// encoded returns a definition as machines exchange it.
func (d definition) encoded() []byte {
	return replica.Encode(replica.Agent{Came: d.Came, Version: d.Version, Name: d.Name, Status: d.Status, Signer: d.Signer,
		Received: utc(d.Received), Document: d.Document, Place: d.place})
}

// agentKey returns the key of a definition's item.
func agentKey(a store.Agent) string { return a.ID + "\x00" + a.Digest }

func agentCollection() collection {
	return collection{
		kind: replica.KindAgent, register: true,
		list: func(r collectionReader) (map[string][]byte, error) {
			all := map[string][]byte{}
			for last := ""; ; {
				ids, err := r.Agents().AgentIDs(last, pageSize)
				if err != nil || len(ids) == 0 {
					return all, err
				}
				for _, id := range ids {
					definitions, err := definitionsOf(r, id)
					if errors.Is(err, store.ErrAltered) {
						r.damaged[id] = true
						continue
					}
					if err != nil {
						return nil, err
					}
					for _, d := range definitions {
						all[agentKey(d.Agent)] = d.encoded()
					}
				}
				last = ids[len(ids)-1]
			}
		},
		put: putAgent,
		place: func(data []byte) int64 {
			a, err := replica.Decode[replica.Agent](data)
			if err != nil {
				return 0
			}
			return a.Place
		},
	}
}

// putAgent stores a definition, or removes it. Each machine numbers revisions for itself, since its
// runs refer to the numbers. [tx.orderAgents] then makes the right definition the newest.
func putAgent(t *tx, key string, data []byte) error {
	keeper, id, digest := t.w.AgentKeeper(), before(key), after(key)
	t.agents[id] = true
	if data == nil {
		for {
			was, err := keeper.AgentAs(id, digest)
			if err == nil {
				err = keeper.DropAgent(id, was.Revision)
			}
			if err != nil {
				return vault.NotFoundIsNone(err)
			}
		}
	}
	said, err := replica.Decode[replica.Agent](data)
	if err != nil {
		return err
	}
	if said.Place < 1 || said.Place > maxPlace {
		return replica.ErrMalformed
	}
	a := store.Agent{ID: id, Digest: digest, Came: said.Came, Version: said.Version, Name: said.Name,
		Status: said.Status, Signer: said.Signer, Received: said.Received, Document: said.Document}
	was, err := keeper.AgentAs(id, digest)
	switch {
	case err == nil:
		a.Revision = was.Revision
		if bytes.Equal(definition{was, said.Place}.encoded(), data) {
			return nil
		}
		err = keeper.DropAgent(id, was.Revision)
	case errors.Is(err, store.ErrNotFound):
		var newest store.Agent
		newest, err = keeper.Agent(id, 0)
		a.Revision, err = newest.Revision+1, vault.NotFoundIsNone(err)
	}
	if err != nil {
		return err
	}
	return keeper.PutAgent(a)
}

// orderAgents makes the definition with the greatest place the newest revision of each agent that a
// join changed.
func (t *tx) orderAgents() error {
	for id := range t.agents {
		newest, err := t.w.Agents().Agent(id, 0)
		if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrAltered) {
			continue
		}
		if err != nil {
			return err
		}
		all, err := placed(t.w, newest)
		if errors.Is(err, store.ErrAltered) {
			continue
		}
		if err != nil {
			return err
		}
		if last := slices.MaxFunc(all, definition.compare); last.Digest != newest.Digest {
			last.Revision = newest.Revision + 1
			if err := t.w.AgentKeeper().PutAgent(last.Agent); err != nil {
				return err
			}
		}
	}
	return nil
}
