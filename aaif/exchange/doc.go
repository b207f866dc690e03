// Package exchange holds the parts that converters of definitions share, between AAIF
// (SC-006 3.4.0) and the formats of other platforms. It reads a foreign document, and takes
// every member or lists it as lost. It converts a definition and back, and compares the two.
//
// [Source] records the members that a converter takes from a foreign document, and its
// Finish lists the others as lost. [Lost] compares a definition with what came back
// of it, so that no field can be forgotten. Losses in constraints and compliance are listed
// leaf by leaf, with the requirement that nobody may drop them silently (AAIF-3-4,
// AAIF-12-6).
//
// Converters never carry secrets, in either direction (AAIF-12-3, AAIF-12-4). They leave out
// and report secrets in a foreign document, and refuse to export a definition with a secret.
// A provider in no registry is "custom" with its name as provider_id (AAIF-10-5). The
// definition made of a foreign document passes [aaif.Validator.Lint] without errors.
// Converters leave out and list members that AAIF does not accept.
//
//	source.go    the taken members of a foreign document
//	secret.go    its credentials
//	draft.go     a definition under construction
//	settle.go    the finished definition, as AAIF accepts it
//	lost.go      the members of a definition that do not come back
//	carried.go   the members that come back, but have no effect meanwhile
//	model.go     providers and addresses of models
//	tool.go      names and schemas of tools
//	approval.go  tools that need a person's approval
package exchange
