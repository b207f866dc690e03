package aimem

import "github.com/satchel-memory/satchel/codec"

func openRecords(forms codec.Forms, src codec.Source, opt codec.Options) (codec.Reader, error) {
	b, err := Open(byContent(src), readOptions(opt))
	if err != nil {
		return nil, err
	}
	return newRecordReader(forms, b, b.Checksum(), opt, b.Close), nil
}

// readOptions are the options of a stateless reading: ids of other namespaces do no
// harm where nothing is stored.
func readOptions(opt codec.Options) Options {
	lim := opt.Limits
	return Options{ForeignIDs: true, Limits: Limits{Document: lim.Document, Record: lim.Record, Depth: lim.Depth}}
}

// byContent takes the name from a document that has all in one object, whatever it is
// called: a stream of no records has nothing but an envelope.
func byContent(src codec.Source) codec.Source {
	if src.File == nil {
		return src
	}
	head := make([]byte, min(src.Size, detectBytes))
	n, _ := src.File.ReadAt(head, 0)
	if hasMember(head[:n], memberChunks) {
		src.Name = ""
	}
	return src
}

// validateSource reports what breaks the rules of a bundle, in the order of decision
// AD-3.
func validateSource(src codec.Source, opt codec.Options, report func(*codec.ParseError)) error {
	return Validate(byContent(src), readOptions(opt), func(f *Fault) { report(f.parse()) })
}
