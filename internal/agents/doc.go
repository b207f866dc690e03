// Package agents keeps the agents of an owner and their checkpoints: it takes
// definitions in (AAIF section 7), and states that come from other platforms (section
// 8.2). It runs none.
//
// A definition is judged in this order, and of one that fails nothing is kept: size and
// syntax; schema, lint and conditions; whether it is deprecated; its signature; inline
// secrets; what its agent needs and is not there. A state: checksum, migration token,
// what the token binds, whether the agent is known, whose run it is, and what its agent's
// policy lets be kept of it.
//
//	intake.go    section 7            judge.go    sections 4, 5, 12
//	signature.go section 12           receive.go  section 8.2
//	offer.go     sections 6 and 7     list.go     what is kept
//	policy.go    AAIF-12-10           send.go     what leaves, and the audit log of that
//	circle.go    AAIF-4.3-25
package agents
