package ump

import (
	"lukechampine.com/blake3"
	"lukechampine.com/blake3/guts"
)

// sum256 returns the BLAKE3 hash of b. The library starts goroutines for more than a chunk of
// bytes, and most records are a little longer than one: those are hashed here, from the
// library's parts, in a quarter of the time.
func sum256(b []byte) [32]byte {
	const most = guts.MaxSIMD * guts.ChunkSize
	if len(b) <= guts.ChunkSize || len(b) > most {
		return blake3.Sum256(b)
	}
	var chunks [most]byte
	key := guts.IV
	root := guts.CompressBuffer(&chunks, copy(chunks[:], b), &key, 0, 0)
	root.Flags |= guts.FlagRoot
	out := guts.WordsToBytes(guts.CompressNode(root))
	return [32]byte(out[:])
}
