package replicate

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
)

const itemSpace = vault.ItemSpace

// collection is a kind of items whose changes are not in the change feed. A scan compares all of
// them with what it found before.
type collection struct {
	kind replica.Kind
	// register says that an item is a [replica.Register] with the content. Otherwise the content
	// itself is the item's data.
	register bool
	// list returns the contents of all items by their keys.
	list func(r collectionReader) (map[string][]byte, error)
	// put stores the content of an item. A nil content withdraws a register.
	put func(t *tx, key string, data []byte) error
	// place returns the Place of a content, see [replica.Agent]; nil: contents have none.
	place func(data []byte) int64
}

// collectionReader is a store with the keys of imports.
type collectionReader struct {
	store.Reader
	imports importKeys
	// damaged holds keys of contents that were changed outside of the store, or the parts of
	// such keys before the NUL. A scan ignores these contents.
	damaged map[string]bool
}

// isDamaged reports whether the content of a key is damaged.
func (r collectionReader) isDamaged(key string) bool { return r.damaged[key] || r.damaged[before(key)] }

func newCollectionReader(r store.Reader, k importKeys) collectionReader {
	return collectionReader{r, k, map[string]bool{}}
}

func collections() []collection {
	return []collection{importCollection(), grantCollection(), projectCollection(), settingCollection(), agentCollection(), stateCollection(), spentCollection()}
}

func collectionOf(k replica.Kind) (collection, bool) {
	for _, d := range collections() {
		if d.kind == k {
			return d, true
		}
	}
	return collection{}, false
}

// itemKey returns the key of an item in itemSpace.
func itemKey(k replica.Kind, key string) string { return string(k) + "\x00" + key }

func digestOf(data []byte) []byte {
	sum := sha256.Sum256(data)
	return sum[:16]
}

// readKnown returns what the last scan knew of an item.
func readKnown(r store.Reader, key string) (k replica.Known, there bool, err error) {
	a, err := r.Attached(itemSpace, key, 0)
	if errors.Is(err, store.ErrNotFound) {
		return k, false, nil
	}
	if err == nil {
		k, err = replica.Decode[replica.Known](a.Data)
	}
	return k, err == nil, err
}

func (t *tx) setKnown(key string, k replica.Known) error {
	k.Register.Data = nil
	return store.PutAttachment(t.w, store.Attachment{Space: itemSpace, Key: key, Data: replica.Encode(k)})
}

// scanCollections notes which items of collections changed since the last scan.
func (t *tx) scanCollections() error {
	if err := t.nameImports(); err != nil {
		return err
	}
	return eachChanged(t.w, t.imports, t.setKnown)
}

// eachChanged calls do with the items of collections that changed since the last scan.
func eachChanged(from store.Reader, k importKeys, do func(key string, now replica.Known) error) error {
	was := map[string]replica.Known{}
	err := vault.EachBeside(from, store.AttachmentFilter{Space: itemSpace}, func(a store.Attachment) error {
		k, err := replica.Decode[replica.Known](a.Data)
		was[a.Key] = k
		return err
	})
	if err != nil {
		return err
	}
	for _, d := range collections() {
		r := newCollectionReader(from, k)
		is, err := d.list(r)
		if err != nil {
			return err
		}
		if err := compare(d, r, is, was, do); err != nil {
			return err
		}
	}
	return nil
}

// compare calls do with the items of a collection whose present contents, is, differ from those
// that the last scan found, was.
func compare(d collection, r collectionReader, is map[string][]byte, was map[string]replica.Known, do func(key string, now replica.Known) error) error {
	for key, data := range is {
		k, there := was[itemKey(d.kind, key)]
		if there && bytes.Equal(k.Sum, digestOf(data)) && (k.Register.Present || !d.register) {
			continue
		}
		k.Register, k.Sum = k.Register.Set(nil, true), digestOf(data)
		if d.place != nil {
			k.Place = d.place(data)
		}
		if err := do(itemKey(d.kind, key), k); err != nil {
			return err
		}
	}
	if !d.register {
		return nil
	}
	for name, k := range was {
		if before(name) != string(d.kind) || !k.Register.Present || is[after(name)] != nil || r.isDamaged(after(name)) {
			continue
		}
		k.Register, k.Sum = k.Register.Set(nil, false), nil
		if err := do(name, k); err != nil {
			return err
		}
	}
	return nil
}

// contents caches the contents of collections. Each is read when it is first needed.
type contents map[replica.Kind]map[string][]byte

// of returns the contents of a collection by key; nil for a kind that is not a collection.
func (c contents) of(r collectionReader, k replica.Kind) (map[string][]byte, error) {
	if is, ok := c[k]; ok {
		return is, nil
	}
	d, ok := collectionOf(k)
	if !ok {
		return nil, nil
	}
	is, err := d.list(r)
	c[k] = is
	return is, err
}

// item returns the item of a collection that an attachment in itemSpace describes. ok is false
// if there is nothing to send.
func (c contents) item(r collectionReader, a store.Attachment) (i replica.Item, ok bool, err error) {
	kind, key := replica.Kind(before(a.Key)), after(a.Key)
	k, err := replica.Decode[replica.Known](a.Data)
	if err != nil {
		return i, false, err
	}
	is, err := c.of(r, kind)
	if err != nil {
		return i, false, err
	}
	data, here := is[key]
	d, _ := collectionOf(kind)
	switch {
	case !d.register:
		return replica.Item{Kind: kind, Key: key, Data: data}, here, nil
	case here != k.Register.Present:
		return i, false, nil // the next scan notes it
	}
	k.Register.Data = data
	return replica.NewItem(kind, key, k.Register), true, nil
}

// joinCollected joins an item of a collection with the content here.
func (t *tx) joinCollected(d collection, i replica.Item, c contents) (out outcome, err error) {
	is, err := c.of(newCollectionReader(t.w, t.imports), d.kind)
	if err != nil {
		return out, err
	}
	k, _, err := readKnown(t.w, itemKey(d.kind, i.Key))
	if err != nil {
		return out, err
	}
	was := replica.Encode(k)
	data, here := is[i.Key]
	if d.register && !here && k.Register.Present {
		return out, nil // the content is damaged here, and doctor reports it
	}
	both := i
	if mine := (replica.Item{Kind: d.kind, Key: i.Key, Data: data}); d.register {
		k.Register.Data = data
		mine = replica.NewItem(d.kind, i.Key, k.Register)
		if both, err = replica.Join(mine, i); err != nil {
			return out, err
		}
	} else if here {
		both, err = replica.Join(mine, i)
	} else {
		_, err = replica.Join(i, i) // fails if the item is malformed
	}
	if err != nil {
		return out, err
	}
	out.differs = !bytes.Equal(both.Data, i.Data)
	next := both.Data
	if d.register {
		r, err := replica.Decode[replica.Register](both.Data)
		if err != nil {
			return out, err
		}
		if next = r.Data; r.Present && next == nil {
			next = []byte{}
		}
		if !r.Present {
			next = nil
		}
		k.Register = r
	}
	if out.changed = (next != nil) != here || !bytes.Equal(next, data); out.changed {
		if err := d.put(t, i.Key, next); errors.Is(err, store.ErrAltered) {
			return outcome{}, nil // the agent is damaged here, and doctor reports it
		} else if err != nil {
			return out, fmt.Errorf("%s: %w", d.kind, err)
		}
		if is[i.Key] = next; next == nil {
			delete(is, i.Key)
		}
	}
	k.Sum = nil
	if next != nil {
		k.Sum = digestOf(next)
		if d.place != nil {
			k.Place = d.place(next)
		}
	}
	if k.Register.Data = nil; bytes.Equal(replica.Encode(k), was) {
		return out, nil
	}
	return out, t.setKnown(itemKey(d.kind, i.Key), k)
}
