package documents

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/formats"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// storeScheme precedes the folder of a store in place of a file name.
const storeScheme = "store:"

// side is one of two compared sides. Its records wait in a file that only its owner can
// read; memory holds only their keys for pairing.
type side struct {
	name  string
	keys  []keyOf
	ids   []memory.ID
	at    []span   // where each record lies in the file
	notes []span   // where the records that stand for a document lie
	whole bool     // all is in formats that keep ids and relations
	store *cli.App // nil: it is a document
	brain bool     // it is a bundle
	end   int64
	spill *os.File
	done  func() error
}

// span is a part of a file.
type span struct{ at, n int64 }

// openSide reads one of the two sides; other is the path of the other side.
func openSide(a *cli.App, path, from, other string) (*side, error) {
	s := &side{name: path, whole: true}
	if cli.IsDatabase(path) {
		s.name = cli.WithoutPassword(path)
	}
	var err error
	if s.spill, s.done, err = cli.Spool(""); err != nil {
		return nil, err
	}
	if where, ok := storeNamed(path); ok {
		err = s.ofStore(a, where, from)
	} else {
		err = s.ofDocument(a, path, from, other)
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// ofStore reads an owner's memories in a store, in the form of an export.
func (s *side) ofStore(a *cli.App, where, from string) error {
	if from != "" {
		return cli.Usagef("%s is a store and in no format; leave --from-a or --from-b out", cli.Clean(s.name))
	}
	other := *a
	if where != "" {
		other.Store = where
	}
	s.store = &other
	return other.With(cli.Reading, func(o *cli.Session) error {
		report, err := ordered(o, &other, vault.ExportQuery{Verbatim: true}, s.add)
		for _, reason := range slices.Sorted(maps.Keys(report.Omitted)) {
			a.Say("of %s, %d are not compared: %s", cli.Clean(s.name), report.Omitted[reason], reason)
		}
		return err
	})
}

// ofDocument reads a document, or the documents of a folder.
func (s *side) ofDocument(a *cli.App, path, from, other string) error {
	in, err := a.Source(path)
	if err != nil {
		return err
	}
	if in.Source, err = beside(a, in.Source, other); err != nil {
		return errors.Join(err, in.Close())
	}
	if from != "" || !formats.Mixed(in.Source) {
		f, err := formatOf(in.Source, from)
		if err == nil {
			err = s.read(f, in.Source)
		}
		return errors.Join(err, in.Close())
	}
	for part, err := range formats.Each(in.Source) {
		switch {
		case err == nil:
			err = s.read(part.Format, part.Source)
		case memory.KindOf(err) == memory.Unsupported && part.Source.Name != "":
			a.Warn("passed over: %s", cli.Describe(err)) // another kind of file lies beside them
			err = nil
		}
		if err != nil {
			return errors.Join(err, in.Close())
		}
	}
	return in.Close()
}

// read adds the records of a document.
func (s *side) read(f codec.Format, src codec.Source) error {
	s.whole, s.brain = s.whole && f.Whole, s.brain || f.Name == aimem.Name
	src.Modified = time.Time{} // it is no property of the memories
	r, err := f.Open(src, codec.Options{Owner: inspected, Now: func() time.Time { return unsaid }})
	if err != nil {
		return err
	}
	return errors.Join(each(r, s.add), r.Close())
}

// add adds a record.
func (s *side) add(rec memory.Record) error {
	rec.Origin, rec.Current = nil, nil
	data, err := json.Marshal(rec)
	if err != nil {
		return err
	}
	if _, err := s.spill.WriteAt(data, s.end); err != nil {
		return err
	}
	at := span{s.end, int64(len(data))}
	s.end += at.n
	if aimem.IsManifest(rec) { // it belongs to the document, and is no memory
		s.notes = append(s.notes, at)
		return nil
	}
	s.keys, s.ids, s.at = append(s.keys, keysOf(rec)), append(s.ids, rec.ID), append(s.at, at)
	return nil
}

// walk yields all records, and those that stand for a document.
func (s *side) walk(yield func(memory.Record) error) error {
	for _, list := range [][]span{s.at, s.notes} {
		for _, at := range list {
			rec, err := s.get(at)
			if err == nil {
				err = yield(rec)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// record returns the record number i.
func (s *side) record(i int) (rec memory.Record, err error) { return s.get(s.at[i]) }

func (s *side) get(at span) (rec memory.Record, err error) {
	data := make([]byte, at.n)
	if _, err := io.ReadFull(io.NewSectionReader(s.spill, at.at, at.n), data); err != nil {
		return rec, err
	}
	err = json.Unmarshal(data, &rec)
	if string(rec.Body.Structured) == "null" {
		rec.Body.Structured = nil // as it was
	}
	return rec, err
}

// close removes the file.
func (s *side) close() error { return s.done() }
