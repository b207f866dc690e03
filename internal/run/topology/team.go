package topology

import (
	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/condition"
	"github.com/satchel-memory/satchel/canon"
)

// Outcome is a step that was begun or skipped, and what became of it.
type Outcome struct {
	Step      string // as [Task] names it
	Alias     string // of the agent; "" for the agent that has the team
	Running   bool   // it has no result yet
	Output    string
	Code      string // "" unless the step failed
	Text      string // why it failed, or was skipped
	Skipped   bool
	Cancelled bool
}

// succeeded reports whether the step has an output.
func (o Outcome) succeeded() bool {
	return !o.Running && !o.Skipped && !o.Cancelled && o.Code == ""
}

// Task is a step that is to begin.
type Task struct {
	Step  string // unique in the team; without "/"
	Alias string // of the agent, see [Members]; "" for the own model of the agent that has the team
	Input canon.Value
	Merge bool // it makes one result of the outputs of others, which Input holds
	Slot  int  // from 0: its place among the steps that run side by side; -1: it runs alone
}

// Move is what a team does next. If it begins nothing and is not done, it waits for steps
// that are running.
type Move struct {
	Begin  []Task
	Cancel []string  // running steps that are to stop, by their names
	Skip   []Outcome // steps that were passed over; they count as told from now on
	Notes  []Note
	Done   bool
	Output string // of the team, once it is Done without a Code
	// Code and Text say why the team failed, and FailedStep at which agent.
	Code, Text, FailedStep string
}

// Note is something that a run reports and that does not stop it.
type Note struct {
	Code    string // such as [condition.EventHint]
	Pointer string // into the definition
	Text    string
}

// The codes of failures.
const (
	NoMatch    = "ROUTE_NO_MATCH"        // no subagent is eligible
	notReached = "CONSENSUS_NOT_REACHED" // the outputs do not agree, and nobody decides
)

// stepUnused is the code of a note about members of a definition that have no effect.
const stepUnused = "orchestration.unused"

// arrangement is how a team works.
type arrangement int

const (
	pipeline arrangement = iota
	router
	swarm
)

// Team is how the agents of a definition work together. It is safe for concurrent use.
type Team struct {
	arrangement arrangement
	parallel    bool
	workers     []member // in order
	fallbacks   []member
	evaluators  []member
	synthesizer *member // nil: the agent's own model merges
	consensus   aaif.Consensus
	referee     string // alias; "" for none
	unused      []Note
}

// New returns the team of a definition; nil if its agent works alone. of returns the
// definition of a subagent, false if it is not known, as for an agent on another platform.
// The error is a *codec.ParseError: a condition cannot be read, or nobody is there to decide
// (AAIF-4.3-12, AAIF-4.3-13).
func New(c *condition.Compiler, d aaif.Definition, of func(alias string) (aaif.Definition, bool)) (*Team, error) {
	o := d.Agent.Orchestration
	all, err := compiled(c, d)
	if err != nil {
		return nil, err
	}
	t := &Team{parallel: o.Parallel, consensus: o.Consensus}
	switch {
	case len(o.Pipeline) > 0:
		t.arrangement, t.parallel = pipeline, false
		t.workers = line(d, all)
		if t.consensus.Strategy != "" {
			t.leaves("/agent/orchestration/consensus", "a pipeline has one output, on which nobody has to agree")
		}
	case o.Role == aaif.Router:
		t.arrangement = router
		t.cast(d, all, of)
	default:
		t.arrangement = swarm
		t.cast(d, all, of)
	}
	if len(t.workers)+len(t.fallbacks) == 0 {
		return nil, nil
	}
	return t, t.decidable()
}

// AsksOwnModel reports whether the own model of the agent that has the team may be asked; that
// of an agent without a team, which is nil, always is.
func (t *Team) AsksOwnModel() bool {
	if t == nil {
		return true
	}
	merges := t.arrangement == swarm || t.arrangement == router && t.parallel
	switch t.consensus.Strategy {
	case majorityVote, bestOfN, refereed, firstSuccess:
		merges = false
	}
	return merges && (t.synthesizer == nil || t.synthesizer.when != nil)
}

// Next returns what the team does next. input is that of the team; variables are an object
// or undefined. so holds every step that was begun or skipped, those with a result in the
// order of their results.
func (t *Team) Next(input, variables canon.Value, so []Outcome) Move {
	s := &scene{Team: t, input: input, variables: variables, so: so, of: map[string]Outcome{}, told: map[string]bool{}}
	for _, o := range so {
		s.of[o.Step] = o
	}
	if len(so) == 0 {
		s.move.Notes = append(s.move.Notes, t.unused...)
	}
	switch t.arrangement {
	case pipeline:
		s.pipeline()
	case router:
		s.route()
	default:
		s.swarm()
	}
	return s.move
}

// scene is a team at one moment.
type scene struct {
	*Team
	input, variables canon.Value
	so               []Outcome
	of               map[string]Outcome // by step
	told             map[string]bool    // sites of hints that this move has a note of
	move             Move
}

func (s *scene) begin(t Task) { s.move.Begin = append(s.move.Begin, t) }

func (s *scene) done(output string) { s.move.Done, s.move.Output = true, output }

func (s *scene) fail(code, text, step string) {
	s.move.Done, s.move.Code, s.move.Text, s.move.FailedStep = true, code, text, step
}

// failAs ends the team with what ended a step (AAIF-4.3-8).
func (s *scene) failAs(o Outcome) {
	code, step := o.Code, o.Alias
	if code == "" {
		code = string(aaif.Cancelled)
	}
	if step == "" {
		step = ownMerge
	}
	s.fail(code, o.Text, step)
}
