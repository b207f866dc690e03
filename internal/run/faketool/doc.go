// Package faketool serves tools for tests, and counts what is done to them: an HTTP tool
// and an MCP server at one address ([Server]), and children of the test's own program that
// are an MCP server over standard input and output, or a function ([Child]).
//
//	ANY    /call/NAME     a call of the tool NAME, which writes unless the method is GET, HEAD or OPTIONS
//	ANY    /mcp           an MCP server with the tools read, write, picture
//	GET    /counts        {"NAME": {"calls": 2, "writes": 1, "keys": {"KEY": 2}}}
//	PUT    /faults/NAME   a [Fault] as JSON, from the next call on; {} ends it
//
// Counts are kept by name, whichever way a tool is called. A call that carries an
// idempotency key that was seen before writes again, unless the fault says that the tool
// honours keys. What a test may set in Go may be set over HTTP, so that a program that was
// killed can be judged from outside.
package faketool
