// Package mapping makes memory records of an AICF context file, and a context file of memory
// records. Both directions give back what went in.
//
// An entry says what a record says as far as it can. The whole record stands beside it in a
// section of its own, and the record keeps as residue what only the file says.
//
//	the format                 format.go reader.go writer.go validate.go
//	files and their parts      source.go piece.go
//	entries to records         builder.go draft.go state.go decision.go scale.go
//	links, vectors, carried    entity_links.go links.go carried.go
//	records to entries         export.go record_piece.go
//	the file as it was         file.go previous.go residue.go
package mapping
