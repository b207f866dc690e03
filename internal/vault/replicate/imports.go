package replicate

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
)

const importSpace = "replica.import"

// importKeys maps numbers of imports on this machine to their keys, which all machines share, and
// back.
type importKeys struct {
	key    map[int64]string
	number map[string]int64
}

func readImportKeys(r store.Reader) (importKeys, error) {
	k := importKeys{map[int64]string{}, map[string]int64{}}
	return k, vault.EachBeside(r, store.AttachmentFilter{Space: importSpace}, func(a store.Attachment) error {
		n, err := strconv.ParseInt(string(a.Data), 10, 64)
		if err == nil {
			k.key[n], k.number[a.Key] = a.Key, n
		}
		return err
	})
}

// nameImports gives a key to each import of this machine that has none.
func (t *tx) nameImports() (err error) {
	if t.imports, err = readImportKeys(t.w); err != nil {
		return err
	}
	all, err := t.w.Imports()
	for _, i := range all {
		if err != nil || t.imports.key[i.Number] != "" {
			continue
		}
		sum := sha256.Sum256([]byte(string(t.self) + "\x00" + strconv.FormatInt(i.Number, 10)))
		err = t.nameImport(hex.EncodeToString(sum[:16]), i.Number)
	}
	return err
}

// nameImport stores the key of an import.
func (t *tx) nameImport(key string, number int64) error {
	t.imports.key[number], t.imports.number[key] = key, number
	return store.PutAttachment(t.w, store.Attachment{Space: importSpace, Key: key, Data: strconv.AppendInt(nil, number, 10)})
}

func importCollection() collection {
	return collection{
		kind: replica.KindImport,
		list: func(r collectionReader) (map[string][]byte, error) {
			imports, err := r.Imports()
			all := map[string][]byte{}
			for _, i := range imports {
				if err != nil {
					break
				}
				if key := r.imports.key[i.Number]; key != "" && (i.State == store.Published || i.State == store.Partial || i.State == store.TakenBack) {
					if i, err = r.Import(i.Number); err == nil {
						all[key] = replica.Encode(importItem(i))
					}
				}
			}
			return all, err
		},
		put: putImport,
	}
}

func importItem(i store.Import) replica.Import {
	return replica.Import{Digest: i.Digest, Format: i.Format, Name: i.Name, At: utc(i.At), Created: i.Created, Merged: i.Merged,
		Units: i.Units, Residue: i.Residue, Complete: i.State != store.Partial, Undone: i.State == store.TakenBack || i.State == store.Partial && i.Lease.IsZero(),
		NoResidue: len(i.Residue) == 0, NoDigest: i.Digest == ""}
}

func putImport(t *tx, key string, data []byte) error {
	said, err := replica.Decode[replica.Import](data)
	if err != nil {
		return err
	}
	i := store.Import{Number: t.imports.number[key], Digest: said.Digest, Format: said.Format, Name: said.Name, At: said.At,
		State: store.Published, Created: said.Created, Merged: said.Merged, Units: said.Units, Residue: said.Residue}
	switch {
	case said.Undone:
		i.State = store.TakenBack
	case !said.Complete:
		i.State, i.Lease = store.Partial, said.At // this machine may continue the import
	}
	number, err := t.w.SetImport(i)
	if err != nil {
		return err
	}
	delete(t.places, number)
	if i.Number == 0 {
		err = t.nameImport(key, number)
	}
	for more := said.Undone; more && err == nil; {
		more, err = vault.DetachSome(t.kernel, t.w, number)
	}
	return err
}
