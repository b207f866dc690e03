package umpsuite

import "github.com/satchel-memory/satchel/conformance"

// absent returns the rows that cannot be seen over HTTP, and why.
func absent() []conformance.Absence {
	const mcp = "about the MCP binding"
	return []conformance.Absence{
		{"UMP-1-1", "the operations a host is offered are a list of MCP tools"},
		{"UMP-3-3", "needs the MCP binding to compare with"},
		{"UMP-3.1-1", "the HTTP route has no request in which a client could introduce itself"},
		{"UMP-3.1-9", "a duty of clients; this run keeps it, capabilities is its first request"},
		{"UMP-3.5-11", "shows only when the server stops between two writes"},
		{"UMP-4.1-1", mcp},
		{"UMP-4.1-2", mcp},
		{"UMP-4.1-3", mcp},
		{"UMP-4.1-4", mcp},
		{"UMP-4.1-5", mcp},
		{"UMP-4.1-6", mcp},
		{"UMP-4.1-7", mcp},
		{"UMP-4.1-8", mcp},
		{"UMP-4.1-9", mcp},
		{"UMP-4.1-10", mcp},
		{"UMP-4.3-4", "about files without a server"},
		{"UMP-5.1-4", "an act of the owner on the store; there is no operation for it"},
		{"UMP-5.2-6", "shows only inside the server: whether it asks others"},
		{"UMP-5.3-2", "a duty of whoever puts memory before a model; it needs a record that does not verify, and a server serves none"},
		{"UMP-5.3-3", "a duty of whoever takes memory from a peer"},
		{"UMP-5.3-6", "a duty of whoever writes the prompt"},
		{"UMP-5.3-8", "a duty of whoever runs the model"},
		{"UMP-7-7", "needs a record altered in the store by hand"},
		{"UMP-7-8", "about what comes with an implementation"},
		{"UMP1-0-2", "needs the record of another owner and an export of everything"},
		{"UMP1-0-4", "an act of the owner on the store; there is no operation for it"},
		{"UMP1-2.9-1", "needs an agent and the owner, and a run is one caller"},
	}
}
