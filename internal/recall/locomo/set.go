// Package locomo measures recall over a labelled set in the form of LoCoMo
// (snap-research/LoCoMo): long conversations, and questions that name the turns with their
// answers. It knows nothing of ranking. It measures a function from a question to turns,
// and so judges an index in memory and a whole vault alike.
//
// The rules: one record per turn ([Turn.Record]), one store per conversation, turns stored
// in the order of the dialogue; every question with evidence is asked verbatim; figures are
// means over questions.
package locomo

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Set is a labelled set.
type Set struct {
	Conversations []Conversation
}

// Conversation is one dialogue with the questions about it.
type Conversation struct {
	ID        string
	Turns     []Turn // in the order of the dialogue
	Questions []Question
}

// TurnID names a turn within its conversation, such as "D3:7".
type TurnID string

// Turn is one statement of one person.
type Turn struct {
	ID       TurnID
	Speaker  string
	Text     string
	Caption  string    // the content of the shared image, if there is one
	Observed time.Time // when its session began
}

// Record returns the record that stores a turn, without id and provenance.
func (t Turn) Record(owner memory.DID) memory.Record {
	text := t.Speaker + ": " + t.Text
	if t.Caption != "" {
		text += " [image: " + t.Caption + "]"
	}
	return memory.Record{
		Version: "0.1",
		Kind:    memory.Episodic,
		Body:    memory.Body{Text: text},
		Scope:   memory.Scope{Owner: owner, Visibility: memory.Private},
		Time:    memory.Times{Observed: t.Observed},
	}
}

// Question is asked of a conversation.
type Question struct {
	Text     string
	Category int
	Evidence []TurnID // the turns that answer it, each once; never empty
}

// Load reads the labelled set in the file at path.
func Load(path string) (Set, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Set{}, fmt.Errorf("labelled set: %w", err)
	}
	var samples []sample
	if err := json.Unmarshal(data, &samples); err != nil {
		return Set{}, fmt.Errorf("labelled set %s: %w", path, err)
	}
	var set Set
	for _, s := range samples {
		c, err := s.conversation()
		if err != nil {
			return Set{}, fmt.Errorf("labelled set %s: conversation %s: %w", path, s.ID, err)
		}
		set.Conversations = append(set.Conversations, c)
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

func (s sample) conversation() (Conversation, error) {
	c := Conversation{ID: s.ID}
	for n := 1; ; n++ {
		name := fmt.Sprintf("session_%d", n)
		when, ok := s.Conversation[name+"_date_time"]
		if !ok {
			break
		}
		turns, err := session(s.Conversation[name], when)
		if err != nil {
			return Conversation{}, fmt.Errorf("%s: %w", name, err)
		}
		c.Turns = append(c.Turns, turns...)
	}
	for _, qa := range s.QA {
		q := Question{Text: qa.Question, Category: qa.Category, Evidence: turnIDs(qa.Evidence)}
		if len(q.Evidence) > 0 {
			c.Questions = append(c.Questions, q)
		}
	}
	return c, nil
}

// session reads one session; a date without turns gives an empty one.
func session(data, when json.RawMessage) ([]Turn, error) {
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
		ID      TurnID `json:"dia_id"`
		Text    string
		Caption string `json:"blip_caption"`
	}
	if err := json.Unmarshal(data, &said); err != nil {
		return nil, err
	}
	turns := make([]Turn, len(said))
	for i, t := range said {
		turns[i] = Turn{ID: t.ID, Speaker: t.Speaker, Text: t.Text, Caption: t.Caption, Observed: observed}
	}
	return turns, nil
}

var turnID = regexp.MustCompile(`D:?0*(\d+):0*(\d+)`)

// turnIDs repairs the spellings of evidence in the set: several ids in one string, a colon
// too many, leading zeros, none at all.
func turnIDs(spelled []string) []TurnID {
	var ids []TurnID
	for _, s := range spelled {
		for _, m := range turnID.FindAllStringSubmatch(s, -1) {
			if id := TurnID("D" + m[1] + ":" + m[2]); !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}
