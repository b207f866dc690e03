package main

import "github.com/alecthomas/kong"

// cli is the tree of commands and the flags they share.
type cli struct {
	Store   string      `help:"The store: a folder, or a PostgreSQL database as postgres://USER@HOST/DATABASE. Default: $$SATCHEL_STORE, else the data folder of this system." placeholder:"DIR|URL"`
	Home    string      `help:"With a database, the folder of its operator's keys and token. Default: $$SATCHEL_HOME, else satchel-postgres in the data folder." placeholder:"DIR"`
	For     *string     `name:"owner" help:"Act for this owner of the store instead of its operator, by DID or label." placeholder:"DID|LABEL"`
	JSON    bool        `help:"Results as JSON on standard output."`
	Quiet   bool        `short:"q" help:"No messages, only results, warnings and errors."`
	Version versionFlag `help:"Print the release and what it conforms to."`

	Init initCmd `cmd:"" group:"begin" help:"Make a store and the owner's key."`

	Connect connectCmd `cmd:"" group:"begin" help:"Let a host use the store: write its MCP entry and its standing instructions."`
	Doctor  doctorCmd  `cmd:"" group:"begin" help:"Check the store, keys, permissions and hosts; say how to mend what is found."`

	Remember rememberCmd `cmd:"" group:"memory" help:"Remember a text."`
	Recall   recallCmd   `cmd:"" group:"memory" help:"Find what answers a question, best first."`
	Brief    briefCmd    `cmd:"" group:"memory" help:"Show what a new session should know, within a budget."`
	List     listCmd     `cmd:"" group:"memory" help:"List what is remembered."`
	Get      getCmd      `cmd:"" group:"memory" help:"Show one memory."`
	History  historyCmd  `cmd:"" group:"memory" help:"Show every version of a memory, oldest first."`
	Revise   reviseCmd   `cmd:"" group:"memory" help:"Replace a memory by a newer version; the old one stays in its history."`
	Forget   forgetCmd   `cmd:"" group:"memory" help:"Forget memories."`
	Erase    eraseCmd    `cmd:"" group:"memory" help:"Erase everything of the owner's, for good; the key stays."`
	Projects projectsCmd `cmd:"" group:"memory" help:"List projects; join those that are one."`

	Passport    passportCmd    `cmd:"" group:"context" help:"Show who you are to assistants, or change it."`
	Belief      beliefCmd      `cmd:"" group:"context" help:"List, state, correct, confirm, archive and delete beliefs."`
	Corrections correctionsCmd `cmd:"" group:"context" help:"Decide what assistants propose to correct."`
	Constraint  constraintCmd  `cmd:"" group:"context" help:"Set hard rules for assistants, list and delete them."`
	Context     contextCmd     `cmd:"" group:"context" help:"Print what an assistant starts from, of the store or of a signed export."`

	Import   importCmd   `cmd:"" group:"files" help:"Take in memories from a file, a folder, an archive or standard input."`
	Export   exportCmd   `cmd:"" group:"files" help:"Write memories to a file or a folder."`
	Convert  convertCmd  `cmd:"" group:"files" help:"Convert a document to another format, without the store."`
	Diff     diffCmd     `cmd:"" group:"files" help:"Say what two documents or stores hold differently."`
	Inspect  inspectCmd  `cmd:"" group:"files" help:"Say what a document is and holds."`
	Validate validateCmd `cmd:"" group:"files" help:"List every violation in a document."`
	Sign     signCmd     `cmd:"" group:"files" help:"Sign the owner's records in a UMP document, or a bundle."`
	Verify   verifyCmd   `cmd:"" group:"files" help:"Check hashes and signatures in a UMP document, of a bundle, of an Engram export, or of memories in the store."`
	Backup   backupCmd   `cmd:"" group:"files" help:"Write the store, keys included, to one file."`
	Restore  restoreCmd  `cmd:"" group:"files" help:"Make a store from a backup."`

	Owner   ownerCmd   `cmd:"" group:"trust" help:"Let owners in, say how much they may keep, remove them, list them; go over to another key."`
	Keys    keysCmd    `cmd:"" group:"files" help:"Show the keys that sign; sign bundles with a new one, or let them leave under another name."`
	Trust   trustCmd   `cmd:"" group:"files" help:"Say by which keys the bundles and exports of others are theirs."`
	Token   tokenCmd   `cmd:"" group:"trust" help:"Issue, list, inspect and revoke capability tokens."`
	Consent consentCmd `cmd:"" group:"trust" help:"Agree to something once and for all, list that, take it back."`
	Audit   auditCmd   `cmd:"" group:"trust" help:"Show who did what, and verify that nobody changed that."`

	MCP   mcpCmd   `cmd:"" name:"mcp" group:"serve" help:"Speak MCP on standard input and output, for a host to start."`
	Serve serveCmd `cmd:"" group:"serve" help:"Serve HTTP: UMP, MCP, bundles, contexts for assistants, and agents."`

	Keep storeCmd `cmd:"" name:"store" group:"serve" help:"Look after the store: its schema, where it lies, what was deleted from it."`

	Distill     distillCmd     `cmd:"" group:"files" help:"Make a context file of a conversation, or with --propose facts that wait for you."`
	AICF        aicfCmd        `cmd:"" name:"aicf" group:"files" help:"Look after context files: append, look up, search, consolidate, seal."`
	Agent       agentCmd       `cmd:"" group:"files" help:"Look after definitions of agents and what belongs to them: write, validate, compare, sign, convert, keep, let runs go on elsewhere."`
	Engram      engramCmd      `cmd:"" group:"serve" help:"Start from the memory that a store of Engram keeps, as a runtime does."`
	Conformance conformanceCmd `cmd:"" group:"serve" help:"Try whether a server keeps a specification."`
}

func groups() []kong.Group {
	return []kong.Group{
		{Key: "begin", Title: "Begin:"},
		{Key: "memory", Title: "Memory:"},
		{Key: "context", Title: "What assistants start from:"},
		{Key: "files", Title: "Documents:"},
		{Key: "trust", Title: "Letting others in:"},
		{Key: "serve", Title: "For hosts and programs:"},
	}
}
