package audit

import (
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Line is an entry for machines, under the names it has in the log. Who knows them adds the
// ids of the records that are still there and the name of the token in question.
type Line struct {
	Number     int64         `json:"number"`
	At         time.Time     `json:"at,omitzero"`
	Act        Act           `json:"act"`
	Who        string        `json:"who,omitempty"`
	Via        string        `json:"via,omitempty"`
	Records    []string      `json:"records,omitempty"`
	IDs        []memory.ID   `json:"ids,omitempty"`
	Run        string        `json:"run,omitempty"`   // the run of an agent that an entry is about, if it is still there
	Call       string        `json:"call,omitempty"`  // the call of that run
	Tool       string        `json:"tool,omitempty"`  // the tool that is called
	Model      string        `json:"model,omitempty"` // the model that is asked
	Count      int           `json:"count,omitempty"`
	Reason     string        `json:"reason,omitempty"`
	Result     string        `json:"result,omitempty"`
	Format     string        `json:"format,omitempty"`
	Import     int64         `json:"import,omitempty"`
	Token      string        `json:"token,omitempty"`
	Name       string        `json:"name,omitempty"`
	Verbs      []memory.Verb `json:"verbs,omitempty"`
	Project    string        `json:"project,omitempty"`
	Agent      string        `json:"agent,omitempty"`
	Needs      []string      `json:"needs,omitempty"`
	Visibility string        `json:"visibility,omitempty"`
	Until      time.Time     `json:"until,omitzero"`
	Producer   string        `json:"producer,omitempty"`
	Checksum   string        `json:"checksum,omitempty"`
	Signature  string        `json:"signature,omitempty"`
}

// Line returns the entry for machines.
func (e Entry) Line() Line {
	return Line{
		Number: e.Number, At: e.At, Act: e.Act, Who: e.Who, Via: e.Via, Records: e.Records, Count: e.Count,
		Reason: e.Reason, Result: e.Result, Format: e.Format, Import: e.Import, Token: e.Token, Verbs: e.Verbs,
		Project: e.Project, Agent: e.Agent, Needs: e.Needs, Visibility: string(e.Visibility), Until: e.Until,
		Producer: e.Producer, Checksum: e.Checksum, Signature: e.Signature,
	}
}
