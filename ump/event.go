package ump

import (
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// EventJSON returns the data of an event as subscribers get it (section 3.8,
// decision UD-27): {"type","id","record"}, without the record where there is
// none any more. It is one line.
func EventJSON(e memory.Event) ([]byte, error) {
	m := members{
		{Name: "type", Value: canon.String(string(e.Type))},
		{Name: "id", Value: canon.String(string(e.ID))},
	}
	if e.Record != nil {
		record, err := formOf(e.Record)
		if err != nil {
			return nil, err
		}
		m.value("record", record)
	}
	return canon.Object(m...).Append(nil), nil
}
