// Package notes lets a run remember (AAIF section 4.5). A [Memory] serves one agent in one run.
// It reminds the model before each turn, and offers it the tools satchel_memory_read and
// satchel_memory_write. A note has one of four scopes:
//
//	long_term  of the agent, for all its users; no other agent reads it, unless it is passed on
//	user       of the agent and one person
//	session    of one person's session; it ends with the session
//	task       of one run; it ends with the run
//
// Package notestore keeps the notes. The journal of a run names the notes that were read, and
// holds nothing that they say, so that what is erased is gone.
//
//	who reads what                       memory.go, pass.go
//	before a turn; results of reading    remind.go
//	the four ways to look for notes      rank.go, index.go
//	writing, and the definition's own    write.go, seed.go
//	tools of the model                   tools.go
//	memory_snapshot of a checkpoint      snapshot.go
package notes
