// Package codectest tests a [codec.Format] with one suite for the promises that every
// format keeps. A format's test file is a few lines: [Run] with its Format, or a [Suite]
// with settings of the format.
//
//	what is promised                                                    file
//	canonical bytes survive decoding and encoding unchanged             bytes.go
//	the model survives encoding and decoding, field by field, but for   fields.go
//	what a Loss admits
//	a document cut short, a doubled member, deep nesting are refused    hostile.go
//	every limit is kept                                                 limits.go
//	a document is recognised, and nothing else is                       detect.go
//
// The suite finds fields by reflection over memory.Record, and limits over codec.Limits: a
// new one without a sample here fails the suite.
package codectest
