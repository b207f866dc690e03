package ump

import (
	"math/bits"

	"lukechampine.com/blake3"
	"lukechampine.com/blake3/guts"
)

// sum256 returns the BLAKE3 hash of b. The library starts goroutines for more than a chunk of
// bytes, which pays for long texts only. Most records have one or two chunks.
func sum256(b []byte) [32]byte {
	const long = 8 * guts.ChunkSize
	if len(b) <= guts.ChunkSize || len(b) > long {
		return blake3.Sum256(b)
	}
	key := guts.IV
	root := treeOf(b, &key, 0)
	root.Flags |= guts.FlagRoot
	out := guts.WordsToBytes(guts.CompressNode(root))
	return [32]byte(out[:])
}

// treeOf returns the node over b, whose first chunk has the number counter. The left side of a
// node is as large as a power of two of chunks can be.
func treeOf(b []byte, key *[8]uint32, counter uint64) guts.Node {
	if len(b) <= guts.ChunkSize {
		return guts.CompressChunk(b, key, counter, 0)
	}
	chunks := 1 << (bits.Len(uint(len(b)-1)/guts.ChunkSize) - 1)
	left, right := b[:chunks*guts.ChunkSize], b[chunks*guts.ChunkSize:]
	return guts.ParentNode(guts.ChainingValue(treeOf(left, key, counter)), guts.ChainingValue(treeOf(right, key, counter+uint64(chunks))), key, 0)
}
