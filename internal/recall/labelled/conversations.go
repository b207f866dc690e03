package labelled

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// conversations reads a set of conversations whose turns are texts with a time:
//
//	{"conversations":[{"turns":[{"id","text","at"}],"questions":[{"q","gold","class"}]}]}
//
// An id is a text or a number.
func conversations(path string) (Set, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Set{}, fmt.Errorf("labelled set: %w", err)
	}
	var file struct {
		Conversations []struct {
			Turns []struct {
				ID   turnName
				Text string
				At   time.Time
			}
			Questions []struct {
				Q     string
				Gold  []turnName
				Class string
			}
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return Set{}, fmt.Errorf("labelled set %s: %w", path, err)
	}
	set := Set{Name: strings.TrimSuffix(filepath.Base(path), "-dev.json")}
	for i, c := range file.Conversations {
		store := Store{Name: fmt.Sprintf("%d", i+1)}
		for _, t := range c.Turns {
			store.Records = append(store.Records, turn(string(t.ID), t.Text, t.At))
		}
		for _, q := range c.Questions {
			var gold []memory.ID
			for _, id := range q.Gold {
				gold = append(gold, memory.ID(idPrefix+id))
			}
			store.Questions = append(store.Questions, Question{Text: q.Q, Class: q.Class, Evidence: distinct(gold)})
		}
		if err := store.check(); err != nil {
			return Set{}, fmt.Errorf("labelled set %s: %w", path, err)
		}
		set.Stores = append(set.Stores, store)
	}
	return set, nil
}

// turnName is the id of a turn, in JSON a text or a number.
type turnName string

// UnmarshalJSON implements [json.Unmarshaler].
func (n *turnName) UnmarshalJSON(data []byte) error {
	var number json.Number
	if json.Unmarshal(data, &number) == nil {
		*n = turnName(number)
		return nil
	}
	return json.Unmarshal(data, (*string)(n))
}
