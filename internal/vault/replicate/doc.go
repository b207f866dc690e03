// Package replicate reads an owner's memory as items, and joins those of the owner's other
// machines with it. Package replica holds the rules.
//
// What happened on this machine is found out when machines meet: [Memory.Since] and
// [Memory.Join] first harvest the change feed and compare what lies beside the records with
// what was known of it. So no other part of the program knows of machines.
//
// The package keeps its state beside the records, in attachments:
//
//	replica.machine  a machine of the owner: its id -> replica.Machine
//	replica.log      a machine's id -> the head of its audit log that was heard last
//	count.state      "harvested" -> how far the change feed was read; "self" -> this machine
//	count.remote     a remote's name -> what is known about it
//	replica.facts    a record's id -> replica.Record, without what its row holds
//	count.gone       the keyed mark of a record's id -> replica.Erasure
//	replica.rest     kind and key of another item -> what was known of it at the last harvest
//	replica.import   key of an import -> its number here
//	replica.lesson   a record and a machine -> replica.Lesson
//	count.skip       a remote and where the range begins -> a range of this machine's stream that came from it
package replicate
