// Package exchangetest tests the duties of every converter of definitions (SC-006 3.4.0,
// sections 3, 10 to 12). The tests of a converter call [Writing] and [Reading], and its fuzz
// target calls [Fuzz].
//
// [Writing] converts a definition and reads it back: every difference must be listed. It
// uses the sample of testdata/agent.json, which has every member of every type. It tries
// each member by itself, the sample without each leaf, and random parts with random texts.
// Reflection over the types of package aaif finds the fields, so that none can be forgotten.
//
// A foreign document must make a definition that lints and holds no secret. Each leaf of the
// document shows in the definition, is listed, or is one that the converter names as
// meaningless.
package exchangetest
