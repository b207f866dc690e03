package replicate

import (
	"errors"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
)

// settingSpaces returns the spaces of attachments that may change and count on every machine.
func settingSpaces() []string {
	return []string{"engram.trust", "aimem.trust", "consent", "paused", "setting", vault.GoneSpace, vault.DeniedSpace, vault.DeniedKeySpace, vault.KeptSpace}
}

func settingCollection() collection {
	return collection{
		kind: replica.KindSetting, register: true,
		list: func(r collectionReader) (map[string][]byte, error) {
			all := map[string][]byte{}
			for _, space := range settingSpaces() {
				err := vault.EachBeside(r, store.AttachmentFilter{Space: space}, func(a store.Attachment) error {
					all[space+"\x00"+a.Key] = append([]byte{}, a.Data...)
					return nil
				})
				if err != nil {
					return nil, err
				}
			}
			return all, nil
		},
		put: func(t *tx, key string, data []byte) error {
			space, name := before(key), after(key)
			switch {
			case !slices.Contains(settingSpaces(), space):
				return replica.ErrMalformed
			case data == nil:
				return vault.NotFoundIsNone(t.w.Detach(space, name))
			}
			return store.PutAttachment(t.w, store.Attachment{Space: space, Key: name, Data: data})
		},
	}
}

func projectCollection() collection {
	return collection{
		kind: replica.KindProject, register: true,
		list: func(r collectionReader) (map[string][]byte, error) {
			aliases, err := r.ProjectAliases()
			all := make(map[string][]byte, len(aliases))
			for alias, project := range aliases {
				all[alias] = []byte(project)
			}
			return all, err
		},
		put: func(t *tx, key string, data []byte) error { return t.w.SetProjectAlias(key, string(data)) },
	}
}

func grantCollection() collection {
	return collection{
		kind: replica.KindGrant,
		list: func(r collectionReader) (map[string][]byte, error) {
			grants, err := r.Grants()
			all := make(map[string][]byte, len(grants))
			for _, g := range grants {
				all[g.ID] = replica.Encode(replica.Grant{Claims: g.Claims, Name: g.Name, Issued: utc(g.Issued), Expires: utc(g.Expires), Revoked: utc(g.Revoked)})
			}
			return all, err
		},
		put: func(t *tx, key string, data []byte) error {
			g, err := replica.Decode[replica.Grant](data)
			if err != nil {
				return err
			}
			return t.w.SetGrant(store.Grant{ID: key, Claims: g.Claims, Name: g.Name, Issued: g.Issued, Expires: g.Expires, Revoked: g.Revoked})
		},
	}
}

func utc(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.UTC()
}

func stateCollection() collection {
	return collection{
		kind: replica.KindState, register: true,
		list: func(r collectionReader) (map[string][]byte, error) {
			all := map[string][]byte{}
			for last := ""; ; {
				page, err := r.Agents().StateKeys(last, pageSize)
				if err != nil || len(page) == 0 {
					return all, err
				}
				for _, k := range page {
					s, err := r.Agents().State(k.ID)
					if errors.Is(err, store.ErrAltered) {
						r.damaged[k.ID] = true
						continue
					}
					if err != nil {
						return nil, err
					}
					all[k.ID] = replica.Encode(replica.State{Agent: s.Agent, Run: s.Run, Status: s.Status, Source: s.Source,
						Checkpoint: utc(s.Checkpoint), Received: utc(s.Received), Departed: utc(s.Departed.At), For: s.Departed.For, To: s.Departed.To, Document: s.Document})
				}
				last = page[len(page)-1].ID
			}
		},
		put: func(t *tx, key string, data []byte) error {
			keeper := t.w.AgentKeeper()
			if err := vault.NotFoundIsNone(keeper.DropState(key)); err != nil || data == nil {
				return err
			}
			s, err := replica.Decode[replica.State](data)
			if err != nil {
				return err
			}
			return keeper.PutState(store.State{ID: key, Agent: s.Agent, Run: s.Run, Status: s.Status, Source: s.Source, Checkpoint: s.Checkpoint,
				Received: s.Received, Departed: store.Departure{At: s.Departed, For: s.For, To: s.To}, Document: s.Document})
		},
	}
}

func spentCollection() collection {
	return collection{
		kind: replica.KindSpent,
		list: func(r collectionReader) (map[string][]byte, error) {
			all := map[string][]byte{}
			spent, err := r.Agents().SpentList(time.Time{})
			for _, s := range spent {
				all[s.Issuer+"\x00"+s.JTI] = replica.Encode(replica.Spent{Until: utc(s.Until)})
			}
			return all, err
		},
		put: func(t *tx, key string, data []byte) error {
			s, err := replica.Decode[replica.Spent](data)
			if err != nil {
				return err
			}
			spent := store.Spent{Issuer: before(key), JTI: after(key), Until: s.Until}
			if err := t.w.AgentKeeper().Unspend(spent.Issuer, spent.JTI); err != nil {
				return err
			}
			return t.w.AgentKeeper().Spend(spent, time.Time{})
		},
	}
}
