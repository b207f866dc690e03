package documents

import (
	"github.com/satchel-memory/satchel/engram"
)

// Counts are the numbers of beliefs and other items in a memory.
type Counts struct {
	Beliefs     map[engram.Status]int `json:"beliefs"`
	Changes     int                   `json:"evolution"`
	Corrections int                   `json:"corrections"`
	Pending     int                   `json:"pending"`
	Constraints int                   `json:"constraints"`
}

// CountsOf counts the items in an Engram memory.
func CountsOf(m engram.Memory) Counts {
	n := Counts{Beliefs: map[engram.Status]int{}, Changes: len(m.Evolution), Corrections: len(m.Corrections)}
	for _, b := range m.Beliefs {
		n.Beliefs[b.Status]++
	}
	for _, k := range m.Corrections {
		if k.Status == engram.Pending {
			n.Pending++
		}
	}
	for _, k := range m.Constraints {
		if k.Status != string(engram.Deleted) {
			n.Constraints++
		}
	}
	return n
}
