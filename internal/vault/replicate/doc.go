// Package replicate turns an owner's memory into items for the owner's other machines, and
// joins their items with the memory. Package replica defines the items and how they join.
//
// Other parts of the program need not know of machines: [Memory.Since] and [Memory.Join] first
// scan for changes on this machine. They read the change feed, and compare all other data with
// what the last scan found.
//
//	memory.go       [Memory]               tx.go           a transaction: scan first, then work
//	stream.go       items to send          join.go         items that came
//	scan.go         changes on this machine
//	records.go      records: join, insert  facts.go        facts that changes here add
//	form.go         a record's present form by its facts and by related records
//	settle.go       writes present forms   erase.go        erased records
//	collection.go   items that are neither records nor attachments; collections.go lists their kinds
//	attachments.go  attachments            imports.go      imports
//	lessons.go      feedback               logs.go         heads of audit logs
//	machines.go     machines of the owner  remotes.go      state of remotes
//	skip.go         what came from a remote and is not sent back to it
//
// The package stores its state in attachments:
//
//	replica.machine  a machine's id -> replica.Machine
//	replica.log      a machine's id -> the head of its audit log that was received last
//	count.state      "harvested" -> up to where the change feed was scanned; "self" -> this machine's id
//	count.remote     a remote's name -> what is known about it, in JSON
//	replica.facts    a record's id -> replica.Record, without the fields that the row holds
//	count.gone       the keyed mark of a record's id -> replica.Erasure
//	replica.rest     kind and key of an item of a collection -> replica.Known
//	replica.import   key of an import -> its number here
//	replica.lesson   a record and a machine -> replica.Lesson
//	count.skip       a remote and the begin of a range -> a range of this machine's stream that came from the remote
package replicate
