// Package canon reads JSON strictly and writes it canonically (RFC 8785, the
// JSON Canonicalization Scheme).
//
// Strict means what a signature needs: no doubled member names, no bytes that
// are not UTF-8, no lone surrogates, no comments, no number that a double
// cannot hold, and limits on size and nesting that apply before anything is
// built. Every refusal says of which kind it is, at which JSON Pointer and at
// which byte, and never repeats what the text said.
//
//	canonical form   Check, Canonical        check.go, append.go, stream.go, number.go
//	trees            Parse, Value            parse.go, value.go, edit.go
//	what is not strict  Mend                 mend.go
//	comparing        Equal                   compare.go
//	RFC 6901, 7396   Pointer, At, MergePatch pointer.go, merge.go
//	streams          Elements                elements.go, frame.go
//	large texts      Text                    text.go, outline.go, walk.go, stream.go
//
// The tokenizer behind it is jsontext; nothing else in the module imports it.
package canon
