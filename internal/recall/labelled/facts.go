package labelled

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Facts reads a set of facts: lines of JSON, each a fact or a question about facts. A
// question without gold has no answer.
//
//	{"type":"fact","id","text","kind","observed"?,"project"?,"lang"}
//	{"type":"question","q","gold":[id],"class","lang","now"}
func Facts(path string) (Set, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Set{}, fmt.Errorf("labelled set: %w", err)
	}
	name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".jsonl"), "-dev")
	store := Store{Name: name}
	for line := range strings.Lines(string(data)) {
		if err := store.add([]byte(line)); err != nil {
			return Set{}, fmt.Errorf("labelled set %s: %s: %w", path, strings.TrimSpace(line), err)
		}
	}
	if err := store.check(); err != nil {
		return Set{}, fmt.Errorf("labelled set %s: %w", path, err)
	}
	return Set{Name: name, Stores: []Store{store}}, nil
}

// add reads a line of a file of facts.
func (s *Store) add(line []byte) error {
	var row struct {
		Type, ID, Text, Project, Q, Class, Lang string
		Kind                                    memory.Kind
		Observed, Now                           time.Time
		Gold                                    []string
	}
	if err := json.Unmarshal(line, &row); err != nil {
		return err
	}
	switch {
	case row.Type == "fact" && row.ID != "" && row.Text != "" && row.Kind.Valid():
		s.Records = append(s.Records, memory.Record{
			Version: "0.1", ID: memory.ID(idPrefix + row.ID), Kind: row.Kind,
			Body:  memory.Body{Text: row.Text},
			Scope: memory.Scope{Project: row.Project, Visibility: memory.Private},
			Time:  memory.Times{Observed: row.Observed},
		})
	case row.Type == "question" && row.Q != "" && !row.Now.IsZero():
		q := Question{Text: row.Q, Class: row.Class, Lang: row.Lang, Now: row.Now}
		for _, id := range row.Gold {
			q.Evidence = append(q.Evidence, memory.ID(idPrefix+id))
		}
		q.Evidence = distinct(q.Evidence)
		s.Questions = append(s.Questions, q)
	default:
		return errors.New("neither a fact nor a question")
	}
	return nil
}
