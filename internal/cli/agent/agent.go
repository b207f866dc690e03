// Package agent holds the commands of satchel agent that keep definitions of agents and
// the states of their runs, send them, and run agents.
package agent

import "github.com/satchel-memory/satchel/internal/cli/agentdoc"

// Cmd is the command satchel agent.
type Cmd struct {
	agentdoc.Commands

	Eval     agentEvalCmd     `cmd:"" help:"Put the test cases of an agent to it, and compare its scores with the thresholds of its definition. No tool that may write is called."`
	Status   agentStatusCmd   `cmd:"" help:"Show or change the status of a definition."`
	Add      agentAddCmd      `cmd:"" help:"Add a definition to the store."`
	List     agentListCmd     `cmd:"" help:"List the agents in the store."`
	Get      agentGetCmd      `cmd:"" help:"Print a definition from the store."`
	Remove   agentRemoveCmd   `cmd:"" help:"Remove an agent for good, with every revision and every checkpoint of it."`
	States   agentStatesCmd   `cmd:"" help:"List the checkpoints in the store."`
	State    agentStateCmd    `cmd:"" help:"Add, print, check, redact, restore and remove checkpoints."`
	Migrate  agentMigrateCmd  `cmd:"" help:"Move a run to another platform: send its checkpoint, or write it to a file."`
	Run      agentRunCmd      `cmd:"" help:"Run an agent: ask its models, call its tools, and ask you for approvals."`
	Runs     agentRunsCmd     `cmd:"" help:"List runs, newest first, and what they wait for."`
	Memory   agentMemoryCmd   `cmd:"" help:"Show what an agent remembers, and forget some of it."`
	Watch    agentWatchCmd    `cmd:"" help:"Show what happens in a run, until it ends."`
	Approve  agentApproveCmd  `cmd:"" help:"Approve the call that a run waits for."`
	Reject   agentRejectCmd   `cmd:"" help:"Reject the call that a run waits for."`
	Resume   agentResumeCmd   `cmd:"" help:"Resume a run that was stopped or approved, or that came as a checkpoint."`
	Cancel   agentCancelCmd   `cmd:"" help:"End a run, also one that another program executes."`
	Grant    agentGrantCmd    `cmd:"" help:"Let an agent use tools of its definition."`
	Triggers agentTriggersCmd `cmd:"" help:"Show what starts an agent by itself, and switch it on or off."`
	Key      agentKeyCmd      `cmd:"" help:"Keep the key of a provider of models."`
}
