// Package tool offers the tools of an agent to a model and calls them (AAIF, SC-006 3.4.0,
// section 4.4): functions, MCP servers, HTTP endpoints, operations of OpenAPI.
//
//	section 4.4   what is offered, and its nature    offer.go
//	              functions: commands of the operator  function.go, process.go
//	              hooks; answers in tests              hook.go, stub.go
//	              mcp                                  mcp.go, mcp_offer.go, mcp_result.go
//	              http                                 http.go, template.go, answer.go
//	              openapi                              openapi.go
//	              auth, env_var, vault_ref             auth.go, secret.go, oauth.go, sigv4.go
//	              schemas of arguments and results     schema.go
//	              cache, rate_limit                    cache.go, limit.go
//	section 12    endpoints are untrusted; grants      egress.go, outbound.go, operator.go
//
// No call is ever repeated, neither here nor by a library under this package: connections
// are not kept for a second request, and the MCP client neither answers questions of a
// server nor resumes a stream. An [Error] says whether the tool may have acted.
//
// # What counts as an answer
//
// Answers of 2xx are results. Answers of 4xx, 501 and 505 are results with IsError: the
// tool said no. Any other 5xx, a redirect and a broken answer say nothing about the effect
// of a call. For a tool that is not proven to be read-only they are errors with the outcome
// [Unknown]; for a read-only tool they are results with IsError. The same holds for errors
// of JSON-RPC: those about the request (-32700 to -32600 but for -32603) are results, others
// leave the effect of a write unknown. A function answers by its exit code, and leaves its
// effect unknown if a signal ended it.
package tool
