package aaif

import "slices"

// CanBecome reports whether a run in one state may pass into another (AAIF-8.1-6):
// running and paused alternate, running waits for an approval or for the result of a
// tool, running and paused migrate, and completed and failed are the end. A run that was
// to move and has not arrived is paused again where it was. Staying is no transition.
func (s RunStatus) CanBecome(next RunStatus) bool { return slices.Contains(s.next(), next) }

// Ended reports whether nothing follows.
func (s RunStatus) Ended() bool { return s == Completed || s == Failed }

func (s RunStatus) next() []RunStatus {
	switch s {
	case Running:
		return []RunStatus{Paused, AwaitingApproval, AwaitingToolResult, Migrating, Completed, Failed}
	case Paused:
		return []RunStatus{Running, Migrating}
	case AwaitingApproval, AwaitingToolResult:
		return []RunStatus{Running, Failed}
	case Migrating:
		return []RunStatus{Completed, Paused}
	}
	return nil
}

// Transition refuses what [RunStatus.CanBecome] does not hold possible.
func Transition(from, to RunStatus) error {
	if from.CanBecome(to) {
		return nil
	}
	return fault(StateTransition, "8.1-6", "/status", "a run in this state cannot become what was asked")
}
