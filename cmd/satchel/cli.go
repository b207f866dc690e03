package main

import "github.com/alecthomas/kong"

// cli is the tree of commands and the flags they share.
type cli struct {
	Store   string      `help:"Where your memory lies: a folder, or a PostgreSQL database as postgres://USER@HOST/DATABASE. Default: $$SATCHEL_STORE, else a folder among this system's data." placeholder:"DIR|URL"`
	Home    string      `help:"With a database: the folder with the keys and the token. Default: $$SATCHEL_HOME, else satchel-postgres among this system's data." placeholder:"DIR"`
	For     *string     `name:"owner" help:"Act for this owner of the store, by DID or label. Default: the operator." placeholder:"DID|LABEL"`
	JSON    bool        `help:"Print results as JSON."`
	Quiet   bool        `short:"q" help:"Print results, warnings and errors, and no messages. Ids are whole."`
	Verbose bool        `short:"v" help:"Say more on standard error: which store, what was searched, how long it took."`
	Color   string      `default:"auto" enum:"auto,always,never" help:"Colour results: auto (on a terminal, unless NO_COLOR is set), always or never." placeholder:"WHEN"`
	Version versionFlag `help:"Print the release, and the specifications it follows."`

	Init     initCmd     `cmd:"" group:"core" help:"Make your memory and the key that signs it."`
	Connect  connectCmd  `cmd:"" group:"core" help:"Let an assistant use your memory."`
	Remember rememberCmd `cmd:"" group:"core" help:"Remember a text."`
	Recall   recallCmd   `cmd:"" group:"core" help:"Find the memories that answer a question, best first."`
	List     listCmd     `cmd:"" group:"core" help:"List memories, newest first."`
	Get      getCmd      `cmd:"" group:"core" help:"Show one memory."`
	Revise   reviseCmd   `cmd:"" group:"core" help:"Replace a memory by a newer version. The history keeps the old version."`
	Forget   forgetCmd   `cmd:"" group:"core" help:"Forget memories."`
	Brief    briefCmd    `cmd:"" group:"core" help:"Print the memories that a new session should start with."`
	Import   importCmd   `cmd:"" group:"core" help:"Import memories from a file, a folder, an archive or standard input."`
	Export   exportCmd   `cmd:"" group:"core" help:"Write memories to a file or a folder."`
	Doctor   doctorCmd   `cmd:"" group:"core" help:"Check the store, keys, permissions and hosts, and say how to mend each fault."`

	History  historyCmd  `cmd:"" group:"tidy" help:"Show every version of a memory, oldest first."`
	Projects projectsCmd `cmd:"" group:"tidy" help:"List projects; join two names of one project."`
	Erase    eraseCmd    `cmd:"" group:"tidy" help:"Erase everything an owner keeps, for good. The key stays."`

	Passport    passportCmd    `cmd:"" group:"self" help:"Show or change who you are to assistants."`
	Belief      beliefCmd      `cmd:"" group:"self" help:"List, add, correct, confirm, archive and delete beliefs about you."`
	Corrections correctionsCmd `cmd:"" group:"self" help:"Confirm or reject what assistants propose."`
	Constraint  constraintCmd  `cmd:"" group:"self" help:"List, add, confirm and delete hard rules for assistants."`
	Context     contextCmd     `cmd:"" group:"self" help:"Print the text that an assistant starts with."`

	Convert  convertCmd  `cmd:"" group:"files" help:"Convert a document to another format. No store is needed."`
	Diff     diffCmd     `cmd:"" group:"files" help:"Compare two documents or stores."`
	Inspect  inspectCmd  `cmd:"" group:"files" help:"Show the format and the contents of a document."`
	Validate validateCmd `cmd:"" group:"files" help:"List every violation in a document."`
	Distill  distillCmd  `cmd:"" group:"files" help:"Make a context file of a conversation, or propose facts from it."`
	AICF     aicfCmd     `cmd:"" name:"aicf" group:"files" help:"Work with context files: append, look up, search, consolidate, seal."`

	Backup  backupCmd  `cmd:"" group:"safe" help:"Write the store, keys included, to one file."`
	Restore restoreCmd `cmd:"" group:"safe" help:"Make a store from a backup."`
	Keep    storeCmd   `cmd:"" name:"store" group:"safe" help:"Show, migrate, scrub and move the store."`
	Keys    keysCmd    `cmd:"" group:"safe" help:"Show and change the keys that sign bundles and exports."`
	Sign    signCmd    `cmd:"" group:"safe" help:"Sign the owner's records in a UMP document, or sign a bundle."`
	Verify  verifyCmd  `cmd:"" group:"safe" help:"Check the hashes and signatures of a document, or of memories in the store."`

	Token   tokenCmd   `cmd:"" group:"share" help:"Issue, list, inspect and revoke tokens that let others read or write."`
	Consent consentCmd `cmd:"" group:"share" help:"Grant, list and revoke standing consents."`
	Trust   trustCmd   `cmd:"" group:"share" help:"Trust the keys of others, by which their bundles and exports are checked."`
	Owner   ownerCmd   `cmd:"" group:"share" help:"Add and remove owners, set their quotas, and change an owner's key."`
	Audit   auditCmd   `cmd:"" group:"share" help:"Show who did what, and check that nobody changed that log."`

	Serve  serveCmd  `cmd:"" group:"serve" help:"Serve your memory over HTTP, to programs and other machines."`
	MCP    mcpCmd    `cmd:"" name:"mcp" group:"serve" help:"Speak MCP on standard input and output. A host starts this command."`
	Engram engramCmd `cmd:"" group:"serve" help:"Use the memory of a store of Engram, as an assistant does."`

	Agent       agentCmd       `cmd:"" group:"agents" help:"Write, check, sign, convert and keep definitions of agents and their runs."`
	Conformance conformanceCmd `cmd:"" group:"agents" help:"Test whether a server follows a specification."`

	Completion completionCmd `cmd:"" group:"terminal" help:"Print the completion script for a shell."`
	Man        manCmd        `cmd:"" group:"terminal" help:"Write the manual: man pages or Markdown, one page for each command."`
	Complete   completeCmd   `cmd:"" name:"__complete" group:"terminal" hidden:""`
}

// groups lists the headings of the commands, each a thing that people want to do.
func groups() []kong.Group {
	return []kong.Group{
		{Key: "core", Title: "Start here:"},
		{Key: "tidy", Title: "Look closer and tidy up:"},
		{Key: "self", Title: "Say who you are:"},
		{Key: "files", Title: "Work with files of memories:"},
		{Key: "safe", Title: "Keep it safe:"},
		{Key: "share", Title: "Share with others:"},
		{Key: "serve", Title: "Serve programs:"},
		{Key: "agents", Title: "Build agents and servers:"},
		{Key: "terminal", Title: "Set up this terminal:"},
	}
}
