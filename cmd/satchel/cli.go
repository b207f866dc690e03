package main

import (
	"github.com/alecthomas/kong"

	"github.com/satchel-memory/satchel/internal/cli/agent"
	"github.com/satchel-memory/satchel/internal/cli/beliefs"
	"github.com/satchel-memory/satchel/internal/cli/conform"
	"github.com/satchel-memory/satchel/internal/cli/contextfiles"
	"github.com/satchel-memory/satchel/internal/cli/documents"
	"github.com/satchel-memory/satchel/internal/cli/machines"
	"github.com/satchel-memory/satchel/internal/cli/memories"
	"github.com/satchel-memory/satchel/internal/cli/operate"
	"github.com/satchel-memory/satchel/internal/cli/service"
	"github.com/satchel-memory/satchel/internal/cli/sharing"
)

// sharedFlags are the flags of all commands.
type sharedFlags struct {
	Store   string      `help:"Where your memory lies: a folder, or a PostgreSQL database as postgres://USER@HOST/DATABASE. Default: $$SATCHEL_STORE, else a folder among this system's data." placeholder:"DIR|URL"`
	Home    string      `help:"With a database: the folder with the keys and the token. Default: $$SATCHEL_HOME, else satchel-postgres among this system's data." placeholder:"DIR"`
	For     *string     `name:"owner" help:"Act for this owner of the store, by DID or label. Default: the operator." placeholder:"DID|LABEL"`
	JSON    bool        `help:"Print results as JSON."`
	Quiet   bool        `short:"q" help:"Print results, warnings and errors, and no messages. Ids are whole."`
	Verbose bool        `short:"v" help:"Say more on standard error: which store, what was searched, how long it took."`
	Color   string      `default:"auto" enum:"auto,always,never" help:"Colour results: auto (on a terminal, unless NO_COLOR is set), always or never." placeholder:"WHEN"`
	Version versionFlag `help:"Print the release, and the specifications it follows."`
}

// commands is the tree of commands.
type commands struct {
	Shared sharedFlags `embed:""`

	Init     operate.InitCmd      `cmd:"" group:"core" help:"Make your memory and the key that signs it."`
	Connect  operate.ConnectCmd   `cmd:"" group:"core" help:"Let an assistant use your memory."`
	Remember memories.RememberCmd `cmd:"" group:"core" help:"Remember a text."`
	Recall   memories.RecallCmd   `cmd:"" group:"core" help:"Find the memories that answer a question, best first."`
	List     memories.ListCmd     `cmd:"" group:"core" help:"List memories, newest first."`
	Get      memories.GetCmd      `cmd:"" group:"core" help:"Show one memory."`
	Revise   memories.ReviseCmd   `cmd:"" group:"core" help:"Replace a memory by a newer version. The history keeps the old version."`
	Forget   memories.ForgetCmd   `cmd:"" group:"core" help:"Forget memories."`
	Undo     memories.UndoCmd     `cmd:"" group:"core" help:"Take back what you forgot, revised, confirmed or rejected in the last half hour."`
	Brief    memories.BriefCmd    `cmd:"" group:"core" help:"Print the memories that a new session should start with."`
	Import   documents.ImportCmd  `cmd:"" group:"core" help:"Import memories from a file, a folder, an archive or standard input."`
	Export   documents.ExportCmd  `cmd:"" group:"core" help:"Write memories to a file or a folder."`
	Open     operate.OpenCmd      `cmd:"" group:"core" help:"Show your memory in a browser."`
	Doctor   operate.DoctorCmd    `cmd:"" group:"core" help:"Check the store, keys, permissions and hosts, and say how to mend each fault."`

	History  memories.HistoryCmd  `cmd:"" group:"tidy" help:"Show every version of a memory, oldest first."`
	Projects memories.ProjectsCmd `cmd:"" group:"tidy" help:"List projects; join two names of one project."`
	Erase    memories.EraseCmd    `cmd:"" group:"tidy" help:"Erase everything an owner keeps, for good. The key stays."`
	Embed    operate.EmbedCmd     `cmd:"" group:"tidy" help:"Find memories by meaning too, with a server that you name. Off by default."`

	Passport    beliefs.PassportCmd    `cmd:"" group:"self" help:"Show or change who you are to assistants."`
	Belief      beliefs.BeliefCmd      `cmd:"" group:"self" help:"List, add, correct, confirm, archive and delete beliefs about you."`
	Corrections beliefs.CorrectionsCmd `cmd:"" group:"self" help:"Confirm or reject what assistants propose."`
	Constraint  beliefs.ConstraintCmd  `cmd:"" group:"self" help:"List, add, confirm and delete hard rules for assistants."`
	Context     beliefs.ContextCmd     `cmd:"" group:"self" help:"Print the text that an assistant starts with."`

	Convert  documents.ConvertCmd  `cmd:"" group:"files" help:"Convert a document to another format. No store is needed."`
	Diff     documents.DiffCmd     `cmd:"" group:"files" help:"Compare two documents or stores."`
	Inspect  documents.InspectCmd  `cmd:"" group:"files" help:"Show the format and the contents of a document."`
	Validate documents.ValidateCmd `cmd:"" group:"files" help:"List every violation in a document."`
	Distill  documents.DistillCmd  `cmd:"" group:"files" help:"Make a context file of a conversation, or propose facts from it."`
	AICF     contextfiles.Cmd      `cmd:"" name:"aicf" group:"files" help:"Work with context files: append, look up, search, consolidate, seal."`

	Backup  operate.BackupCmd   `cmd:"" group:"safe" help:"Write the store, keys included, to one file."`
	Restore operate.RestoreCmd  `cmd:"" group:"safe" help:"Make a store from a backup."`
	Keep    operate.StoreCmd    `cmd:"" name:"store" group:"safe" help:"Show, migrate, scrub and move the store."`
	Keys    sharing.KeysCmd     `cmd:"" group:"safe" help:"Show and change the keys that sign bundles and exports."`
	Sign    documents.SignCmd   `cmd:"" group:"safe" help:"Sign the owner's records in a UMP document, or sign a bundle."`
	Verify  documents.VerifyCmd `cmd:"" group:"safe" help:"Check the hashes and signatures of a document, or of memories in the store."`

	Pair    machines.PairCmd    `cmd:"" group:"machines" help:"Let another machine of yours share this memory: show a code for satchel init --join."`
	Sync    machines.SyncCmd    `cmd:"" group:"machines" help:"Sync your machines: directly, or through a folder that another program copies."`
	Devices machines.DevicesCmd `cmd:"" group:"machines" help:"List, rename, remove and accept your machines."`

	Token   sharing.TokenCmd   `cmd:"" group:"share" help:"Issue, list, inspect and revoke tokens that let others read or write."`
	Consent sharing.ConsentCmd `cmd:"" group:"share" help:"Grant, list and revoke standing consents."`
	Trust   sharing.TrustCmd   `cmd:"" group:"share" help:"Trust the keys of others, by which their bundles and exports are checked."`
	Owner   sharing.OwnerCmd   `cmd:"" group:"share" help:"Add and remove owners, set their quotas, and change an owner's key."`
	Audit   auditCmd           `cmd:"" group:"share" help:"Show who did what, and check that nobody changed that log."`
	Pause   operate.PauseCmd   `cmd:"" group:"share" help:"Refuse a connected host for a while. Its entry stays."`
	Resume  operate.ResumeCmd  `cmd:"" group:"share" help:"Let a paused host in again."`

	Serve   operate.ServeCmd  `cmd:"" group:"serve" help:"Serve your memory over HTTP, to programs and other machines."`
	Service service.Cmd       `cmd:"" group:"serve" help:"Let satchel serve run whenever you are logged in, and upgrade it."`
	MCP     operate.MCPCmd    `cmd:"" name:"mcp" group:"serve" help:"Speak MCP on standard input and output. A host starts this command."`
	Engram  beliefs.EngramCmd `cmd:"" group:"serve" help:"Use the memory of a store of Engram, as an assistant does."`

	Agent       agent.Cmd   `cmd:"" group:"agents" help:"Write, check and keep definitions of agents, run them, and move their runs."`
	Conformance conform.Cmd `cmd:"" group:"agents" help:"Test whether a server follows a specification."`

	Completion completionCmd `cmd:"" group:"terminal" help:"Print the completion script for a shell."`
	Man        manCmd        `cmd:"" group:"terminal" help:"Write the manual: man pages or Markdown, one page for each command."`
	Complete   completeCmd   `cmd:"" name:"__complete" group:"terminal" hidden:""`
}

// groups lists the headings of the commands; each is a purpose of users.
func groups() []kong.Group {
	return []kong.Group{
		{Key: "core", Title: "Start here:"},
		{Key: "tidy", Title: "Look closer and tidy up:"},
		{Key: "self", Title: "Say who you are:"},
		{Key: "files", Title: "Work with files of memories:"},
		{Key: "safe", Title: "Keep it safe:"},
		{Key: "machines", Title: "Use it on several machines:"},
		{Key: "share", Title: "Share with others:"},
		{Key: "serve", Title: "Serve programs:"},
		{Key: "agents", Title: "Build agents and servers:"},
		{Key: "terminal", Title: "Set up this terminal:"},
	}
}

// auditCmd is the command satchel audit.
type auditCmd struct {
	Show   sharing.AuditShowCmd   `cmd:"" default:"withargs" help:"Show who did what, latest last."`
	Verify sharing.AuditVerifyCmd `cmd:"" help:"Check whether somebody changed the log."`
	Reads  operate.AuditReadsCmd  `cmd:"" help:"Show which memories assistants were given, latest last."`
}
