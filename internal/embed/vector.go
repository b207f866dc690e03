package embed

import (
	"encoding/binary"
	"errors"
	"math"
)

// Vector is a vector of length 1. Component i is Codes[i] times Scale.
type Vector struct {
	Scale float32
	Codes []int8
}

var errVector = errors.New("this is no vector")

// quantise returns the vector of length 1 with the direction of x. It fails if x has no
// direction, or more than mostDim components.
func quantise(x []float32) (Vector, error) {
	var squares, largest float64
	for _, v := range x {
		f := float64(v)
		squares += float64(f * f)
		largest = max(largest, math.Abs(f))
	}
	if len(x) > mostDim || !(largest > 0) || math.IsInf(squares, 0) || math.IsNaN(squares) {
		return Vector{}, errVector
	}
	v := Vector{Codes: make([]int8, len(x))}
	var length float64 // of the rounded vector, which is made 1
	for i, f := range x {
		code := math.Round(float64(f) / largest * math.MaxInt8)
		v.Codes[i] = int8(code)
		length += float64(code * code)
	}
	v.Scale = float32(1 / math.Sqrt(length))
	return v, nil
}

// cosine returns the similarity of two vectors with equally many components, -1 to 1.
func cosine(v, w Vector) float64 {
	return float64(dot(v.Codes, w.Codes)) * (float64(v.Scale) * float64(w.Scale))
}

// dot multiplies two lists of equally many codes.
func dot(a, b []int8) int32 {
	var s, t, u, v int32
	for len(a) >= 8 && len(b) >= 8 {
		x, y := (*[8]int8)(a), (*[8]int8)(b) // without checks of bounds
		s += int32(x[0])*int32(y[0]) + int32(x[4])*int32(y[4])
		t += int32(x[1])*int32(y[1]) + int32(x[5])*int32(y[5])
		u += int32(x[2])*int32(y[2]) + int32(x[6])*int32(y[6])
		v += int32(x[3])*int32(y[3]) + int32(x[7])*int32(y[7])
		a, b = a[8:], b[8:]
	}
	for i := range min(len(a), len(b)) {
		s += int32(a[i]) * int32(b[i])
	}
	return s + t + u + v
}

// layout is the first byte of a stored vector.
const layout = 1

// Bytes lays a vector out for a store:
//
//	layout  1 byte
//	scale   float32, little-endian
//	codes   1 byte each, two's complement
func (v Vector) Bytes() []byte {
	b := make([]byte, 0, 5+len(v.Codes))
	b = binary.LittleEndian.AppendUint32(append(b, layout), math.Float32bits(v.Scale))
	for _, c := range v.Codes {
		b = append(b, byte(c))
	}
	return b
}

// ParseVector reads the result of Bytes.
func ParseVector(data []byte) (Vector, error) {
	if len(data) < 6 || len(data) > 5+mostDim || data[0] != layout {
		return Vector{}, errVector
	}
	v := Vector{Scale: math.Float32frombits(binary.LittleEndian.Uint32(data[1:])), Codes: make([]int8, len(data)-5)}
	if !(v.Scale > 0 && v.Scale <= 1) {
		return Vector{}, errVector
	}
	for i, c := range data[5:] {
		v.Codes[i] = int8(c)
	}
	return v, nil
}
