package bundle

import (
	"encoding/base64"
	"encoding/binary"
	"errors"

	"github.com/satchel-memory/satchel/memory"
)

func edgeKey(source, target memory.ID, kind string) string {
	return string(source) + "\x00" + string(target) + "\x00" + kind
}

func linkKey(record memory.ID, entity string) string { return string(record) + "\x00" + entity }

func vectorKey(record memory.ID, model string) string { return string(record) + "\x00" + model }

// vector is an embedding that was imported with a chunk. Nothing computes with it.
type vector struct {
	model  string
	floats []byte // little-endian float32, one after the other
}

// dim returns the number of components.
func (x vector) dim() int { return len(x.floats) / 4 }

// bytes lays a vector out for the store:
//
//	length of model   uvarint
//	model             UTF-8
//	components        float32, little-endian
func (x vector) bytes() []byte {
	b := binary.AppendUvarint(nil, uint64(len(x.model)))
	b = append(b, x.model...)
	return append(b, x.floats...)
}

var errVector = errors.New("the stored vector is damaged")

// storedVector decodes a vector from the layout of bytes.
func storedVector(data []byte) (vector, error) {
	n, size := binary.Uvarint(data)
	if size <= 0 || n > uint64(len(data)-size) {
		return vector{}, errVector
	}
	rest := data[size:]
	x := vector{model: string(rest[:n]), floats: rest[n:]}
	if len(x.floats)%4 != 0 {
		return vector{}, errVector
	}
	return x, nil
}

// text returns the vector in the form that bundles use (AIMEM 2.7).
func (x vector) text() string { return base64.StdEncoding.EncodeToString(x.floats) }
