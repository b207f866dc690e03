// Package e2e drives the built program the way its users do: from a shell, from
// MCP clients over stdio and HTTP, from several processes at once, and from
// processes that are killed. It holds tests and benchmarks only.
package e2e
