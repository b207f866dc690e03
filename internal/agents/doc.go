// Package agents keeps the agents of an owner and their checkpoints. It accepts
// definitions (AAIF section 7), and states that arrive from other platforms (section
// 8.2). Package run/host runs them.
//
// A definition is judged in this order, and one that fails is not kept: size and
// syntax; schema, lint and conditions; deprecation; signature; inline secrets; needs
// of the agent that are not met here. A state is judged in this order: checksum,
// migration token, the token's bindings, whether the agent is known, whose run it is,
// and the parts that its agent's policy allows to keep.
//
//	intake.go    section 7            judge.go    sections 4, 5, 12
//	signature.go section 12           receive.go  section 8.2
//	offer.go     sections 6 and 7     list.go     lists
//	policy.go    AAIF-12-10           send.go     departures, and their audit log
//	cycles.go    AAIF-4.3-25
package agents
