// Package model asks models (SC-006, version 3.4, section 4.2): one question, one endpoint,
// one answer. Which endpoint is asked, and what a failure means for a run, is decided by
// package route. A [Client] asks over HTTP; a [Script] answers from a list.
//
//	section 4.2  endpoints and keys            endpoint.go
//	             what a provider knows          profile.go, params.go
//	             params.extended                extended.go
//	             conversations as turns         turns.go, ids.go
//	             the wires, as pure functions   wire.go, openai.go, anthropic.go, gemini.go, ollama.go
//	             the exchange                   client.go, stream.go
//	             failures and their outcome     failure.go, error.go
//	             scripts                        script.go, script_read.go
//
// The wires are written here, not taken from the providers' libraries. Those of OpenAI
// (openai-go v3.96.0) and Anthropic (anthropic-sdk-go v1.84.0) repeat no request if they are
// told so, but they read a dot in a name of params.extended as a path, and describe the machine
// in seven headers of every request. OpenAI's sends the organisation that it finds in the
// environment to whatever address it is given. A program of a few lines, stripped, has 6.1 MB
// with net/http, 25.2 MB and 6 more modules with OpenAI's, 12.3 MB and 18 more with Anthropic's.
package model
