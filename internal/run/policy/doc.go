// Package policy says what a run tells its model, and what it holds the model to (AAIF,
// SC-006, version 3.4, sections 3, 4, 4.9, 5, 7 and 12).
//
//	4, 12.2   what a model is told        prompt.go, context.go, frame.go, html.go, clean.go, inject.go
//	4.9       calls that wait for people  gate.go, digest.go
//	3, 4.9    constraints                 constraints.go, rules.go, judge.go, outcome.go
//	4.8       what a judge rates          rate.go
//	4         inputs and outputs          shapes.go
//	4.9       personal data               personal.go
//	5, 7      what keeps a run away       preflight.go
//
// The package opens no file and no connection, and has no clock: a caller passes in what
// it needs of them. An agent that works for others has to keep their rules as well: every
// constructor takes the definitions of all these agents.
package policy
