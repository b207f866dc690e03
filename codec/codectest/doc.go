// Package codectest holds the promises that every [codec.Format] keeps, as one
// suite of tests. A format's test file is a few lines: [Run] with its Format,
// or a [Suite] where the format needs to be told apart.
//
//	what is promised                                                    file
//	canonical bytes survive decoding and encoding unchanged             bytes.go
//	the model survives encoding and decoding, field by field, but for   fields.go
//	what a Loss admits
//	a document cut short, a doubled member, deep nesting are refused    hostile.go
//	every limit is kept                                                 limits.go
//	a document is recognised, and nothing else is                       detect.go
//
// Fields are found by reflection over memory.Record, and limits over
// codec.Limits: one that is added and has no sample here fails the suite.
package codectest
