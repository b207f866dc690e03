// Package exchange is what the converters of definitions share, between AAIF (SC-006
// 3.4.0) and what other platforms keep: how a document of theirs is read so that nothing
// in it is left out unsaid, and how a definition that was written is held to what it
// says when it is read again.
//
// Of a document from elsewhere every member is either taken or lost: [Source] notes what
// was taken, and its Finish lists the rest. Of a definition that leaves, [Lost] compares
// it with what comes back, so that no field can be forgotten. What falls under
// constraints or compliance is listed leaf by leaf, with the requirement that it must not
// be dropped in silence (AAIF-3-4, AAIF-12-6).
//
// Secrets are never carried, in either direction (AAIF-12-3, AAIF-12-4): those of a
// foreign document are left out and reported, and a definition that holds one does not
// leave. A provider that no registry knows is "custom" with its name as provider_id
// (AAIF-10-5). What is made of a foreign document passes [aaif.Validator.Lint] without
// errors: what AAIF does not take is left out and listed.
//
//	source.go    what was taken of a foreign document, and what was not
//	secret.go    credentials in it
//	draft.go     a definition being made
//	settle.go    the definition that becomes of it, as AAIF takes it
//	lost.go      what does not come back of a definition, and why that matters
//	carried.go   what comes back of a definition, and is not in force until it does
//	model.go     providers and addresses of models
//	tool.go      names and schemas of tools
//	approval.go  tools that a person has to approve of
package exchange
