package engramruntime

import "github.com/satchel-memory/satchel/conformance"

// absent returns the rows about readers of contexts that a runtime which prints a prompt and
// ends does not show.
func absent() []conformance.Absence {
	const (
		once   = "it shows over time, and a runtime is started anew for each case"
		choice = "the standard leaves it to the runtime"
		more   = "it takes more of the runtime than its prompt shows"
		inside = "it is about what the runtime has of a belief, not what it prints"
		stable = "it is asked of a runtime that knows 1.0"
		docs   = "it is about documentation"
	)
	return []conformance.Absence{
		{"ENGRAM-3.4-8", inside},
		{"ENGRAM-3.4-10", inside},
		{"ENGRAM-3.4-23", inside},
		{"ENGRAM-3.4-25", inside},
		{"ENGRAM-3.4-27", once},
		{"ENGRAM-3.8-6", choice},
		{"ENGRAM-3.9-DIFF-11", more},
		{"ENGRAM-3.10-3", stable},
		{"ENGRAM-3.10-8", stable},
		{"ENGRAM-5-8", more},
		{"ENGRAM-6-1", docs},
		{"ENGRAM-12.5-2", more},
		{"ENGRAM-12.6-3", choice},
		{"ENGRAM-12.6-5", choice},
	}
}
