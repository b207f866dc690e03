package labelled

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// LoCoMo reads a set in the form of LoCoMo (snap-research/LoCoMo): long conversations of
// two people. A shared image adds its caption to the text. Questions without evidence are
// left out.
func LoCoMo(path string) (Set, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Set{}, fmt.Errorf("labelled set: %w", err)
	}
	var samples []sample
	if err := json.Unmarshal(data, &samples); err != nil {
		return Set{}, fmt.Errorf("labelled set %s: %w", path, err)
	}
	set := Set{Name: "locomo"}
	for _, s := range samples {
		store, err := s.store()
		if err != nil {
			return Set{}, fmt.Errorf("labelled set %s: conversation %s: %w", path, s.ID, err)
		}
		set.Stores = append(set.Stores, store)
	}
	return set, nil
}

// sample is a conversation as in the file. Sessions are members named session_1,
// session_1_date_time, session_2 and so on.
type sample struct {
	ID           string `json:"sample_id"`
	Conversation map[string]json.RawMessage
	QA           []struct {
		Question string
		Category int
		Evidence []string
	}
}

func (s sample) store() (Store, error) {
	store := Store{Name: s.ID}
	for n := 1; ; n++ {
		name := fmt.Sprintf("session_%d", n)
		when, ok := s.Conversation[name+"_date_time"]
		if !ok {
			break
		}
		turns, err := session(s.Conversation[name], when)
		if err != nil {
			return Store{}, fmt.Errorf("%s: %w", name, err)
		}
		store.Records = append(store.Records, turns...)
	}
	for _, qa := range s.QA {
		q := Question{Text: qa.Question, Class: strconv.Itoa(qa.Category), Evidence: store.evidence(qa.Evidence)}
		if len(q.Evidence) > 0 {
			store.Questions = append(store.Questions, q)
		}
	}
	return store, store.check()
}

// session reads one session; a date without turns gives an empty one.
func session(data, when json.RawMessage) ([]memory.Record, error) {
	var spelled string
	if err := json.Unmarshal(when, &spelled); err != nil {
		return nil, err
	}
	observed, err := time.Parse("3:04 pm on 2 January, 2006", spelled)
	if err != nil {
		return nil, err
	}
	if data == nil {
		return nil, nil
	}
	var said []struct {
		Speaker string
		ID      string `json:"dia_id"`
		Text    string
		Caption string `json:"blip_caption"`
	}
	if err := json.Unmarshal(data, &said); err != nil {
		return nil, err
	}
	turns := make([]memory.Record, len(said))
	for i, t := range said {
		text := t.Speaker + ": " + t.Text
		if t.Caption != "" {
			text += " [image: " + t.Caption + "]"
		}
		turns[i] = turn(t.ID, text, observed)
	}
	return turns, nil
}

// evidence repairs the spellings of evidence in the file: several ids in one string, a
// colon too many, leading zeros, none at all. It leaves out turns that the conversation
// lacks.
func (s Store) evidence(spelled []string) []memory.ID {
	var ids []memory.ID
	for _, text := range spelled {
		for _, m := range turnID.FindAllStringSubmatch(text, -1) {
			id := memory.ID(idPrefix + "D" + m[1] + ":" + m[2])
			if slices.ContainsFunc(s.Records, func(r memory.Record) bool { return r.ID == id }) {
				ids = append(ids, id)
			}
		}
	}
	return distinct(ids)
}
