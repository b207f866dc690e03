// Package exchange holds what the converters of definitions share, between AAIF (SC-006
// 3.4.0) and the formats of other platforms. It reads a foreign document so that every
// member is taken or listed as lost, and compares a converted definition with the one that
// comes back.
//
// Every member of a foreign document is either taken or lost: [Source] records the taken
// ones, and its Finish lists the others. [Lost] compares a definition with the one that
// comes back, so that no field can be forgotten. Losses in constraints and compliance are
// listed leaf by leaf, with the requirement that they must not be dropped silently
// (AAIF-3-4, AAIF-12-6).
//
// Converters never carry secrets, in either direction (AAIF-12-3, AAIF-12-4): secrets in a
// foreign document are left out and reported, and a definition with a secret does not
// leave. A provider in no registry is "custom" with its name as provider_id (AAIF-10-5).
// The definition made of a foreign document passes [aaif.Validator.Lint] without errors;
// members that AAIF does not accept are left out and listed.
//
//	source.go    which members of a foreign document were taken
//	secret.go    its credentials
//	draft.go     a definition in the making
//	settle.go    the finished definition, as AAIF accepts it
//	lost.go      the members of a definition that do not come back
//	carried.go   the members that come back, but have no effect meanwhile
//	model.go     providers and addresses of models
//	tool.go      names and schemas of tools
//	approval.go  tools that need a person's approval
package exchange
