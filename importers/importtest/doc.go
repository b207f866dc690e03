// Package importtest tests an importer: it runs the importer's vectors, and checks the
// promises that all importers keep. They make drafts that a store can author, and the same
// drafts every time; reading and validating agree; damaged input causes no panic.
//
// A vector is one txtar file. Its comment holds a sentence and these headers:
//
//	rule: MCPMEM-3        the rule shown, from the importer's package comment
//	expect: ok            or a kind of failure, such as invalid_record
//	at: line 2 /name      place of a failure, after the file in a folder
//	as: folder            read in/ as a folder even if it holds one file
//	project: example      Options.Project
//	undated: yes          the file has no time, as standard input
//	limits: {"Name": 8}   Options.Limits
//	detect: no            the importer must not claim this input
//
// The files below in/ are the input. want holds one JSON object per line: the
// records in order, then the losses. Running with -update writes it again; read
// what changed.
package importtest
