package codec

// Limits bound what a decoder accepts from a document. Zero in a field means its default.
type Limits struct {
	Document int64 // bytes in a document; default 4 GiB
	Record   int64 // bytes in one record as written; default 4 MiB
	Text     int   // bytes of body.text; default 1 MiB
	Name     int   // bytes in a name, an id, a reference; default 4096
	Items    int   // members of one array; default 10,000
	Depth    int   // nesting of JSON; default 64
	Records  int   // records in a document; default 10 million
	Files    int   // files in a folder; default 100,000
}

// Filled returns l with every zero replaced by its default.
func (l Limits) Filled() Limits {
	fill(&l.Document, 4<<30)
	fill(&l.Record, 4<<20)
	fill(&l.Text, 1<<20)
	fill(&l.Name, 4096)
	fill(&l.Items, 10_000)
	fill(&l.Depth, 64)
	fill(&l.Records, 10_000_000)
	fill(&l.Files, 100_000)
	return l
}

func fill[T int | int64](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}
