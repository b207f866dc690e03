package umpsuite

// row is a row that cannot be seen over HTTP, whatever the server does.
type row struct{ id, keyword, level, title, reason string }

// absent returns the rows that cannot be seen over HTTP, and why.
func absent() []row {
	const mcp = "about the MCP binding"
	return []row{
		{"UMP-1-1", implied, "L2", "Nothing is offered beyond one record type and six operations, plus the optional tier.", "the operations a host is offered are a list of MCP tools"},
		{"UMP-3-3", implied, "L1", "HTTP and MCP under its dotted names give the same answer to the same request; the names with underscores show models a view of it.", "needs the MCP binding to compare with"},
		{"UMP-3.1-1", implied, "L1", "A client may introduce itself, and need not.", "the HTTP route has no request in which a client could introduce itself"},
		{"UMP-3.1-9", must, "L1", "A client of ours asks what is offered before it relies on it.", "a duty of clients; this run keeps it, capabilities is its first request"},
		{"UMP-3.5-11", implied, "L2", "Successor and end of the old record are written together or not at all.", "shows only when the server stops between two writes"},
		{"UMP-4.1-1", implied, "L2", "Each of the six operations is a tool under its reserved name.", mcp},
		{"UMP-4.1-2", implied, "L3", "The feedback tool comes with the top level.", mcp},
		{"UMP-4.1-3", implied, "L1", "Hosts that refuse dots in a name are served as well, with a view for models: one framed text.", mcp},
		{"UMP-4.1-4", implied, "L1", "Under the dotted names the tools' schemas are the shapes of section 3, as over HTTP.", mcp},
		{"UMP-4.1-5", implied, "L1", "A refusal is a tool result marked as an error; under the dotted names it has the envelope, as over HTTP.", mcp},
		{"UMP-4.1-6", may, "L1", "Memories can be browsed as read-only resources.", mcp},
		{"UMP-4.1-7", implied, "L1", "A project with slashes in its name has an address.", mcp},
		{"UMP-4.1-8", may, "L1", "A client makes do with a server that lists fewer tools.", mcp},
		{"UMP-4.1-9", implied, "L1", "Any MCP client connects over stdio or streamable HTTP.", mcp},
		{"UMP-4.1-10", implied, "L1", "The tools' descriptions say that memory is not to be trusted.", mcp},
		{"UMP-4.3-4", implied, "L0", "Files are read and written without a server.", "about files without a server"},
		{"UMP-5.1-4", implied, "L2", "Records of an owner without a DID can be brought under one.", "an act of the owner on the store; there is no operation for it"},
		{"UMP-5.2-6", implied, "L3", "A token is verified without asking anybody.", "shows only inside the server: whether it asks others"},
		{"UMP-5.3-2", must, "L3", "What is signed is verified before a model sees it.", "a duty of whoever puts memory before a model; it needs a record that does not verify, and a server serves none"},
		{"UMP-5.3-3", must, "L3", "What a top-level peer sends unsigned is dropped.", "a duty of whoever takes memory from a peer"},
		{"UMP-5.3-6", mustNot, "L3", "Memory is never pasted into a system prompt.", "a duty of whoever writes the prompt"},
		{"UMP-5.3-8", mustNot, "L3", "Orders inside a memory are not carried out.", "a duty of whoever runs the model"},
		{"UMP-7-7", implied, "L3", "A record altered at rest is not served.", "needs a record altered in the store by hand"},
		{"UMP-7-8", implied, "L1", "Vectors and a conformance run come with the program.", "about what comes with an implementation"},
		{"UMP1-0-2", implied, "L2", "A 0.1 record whose owner's key is not here is kept and shown as what it is; an export of a 1.0 memory leaves it out and names it.", "needs the record of another owner and an export of everything"},
		{"UMP1-0-4", implied, "L2", "0.1 is no version to be negotiated: a memory that speaks 1.0 goes back only while it is empty.", "an act of the owner on the store; there is no operation for it"},
		{"UMP1-2.9-1", implied, "L2", "A candidate stays a candidate until the owner confirms it, whatever remember answered.", "needs an agent and the owner, and a run is one caller"},
	}
}
