// Package exchangetest tests what every converter of definitions has to keep (SC-006
// 3.4.0, sections 3, 10 to 12). The tests of a converter call [Writing] and [Reading], and
// its fuzz target calls [Fuzz].
//
// A definition that leaves and comes back differs in nothing that is not listed: for the
// sample of testdata/agent.json, which has every member of every type, for each member by
// itself, without each leaf, and for random parts with random texts. The fields are found
// by reflection over the types of package aaif, so that none can be forgotten. A document
// from elsewhere makes a definition that lints and holds no secret, and each of its leaves
// shows in the definition, is listed, or is named by the converter as saying nothing.
package exchangetest
