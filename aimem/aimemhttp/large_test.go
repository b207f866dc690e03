package aimemhttp_test

import (
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/aimem/aimemhttp"
	"github.com/satchel-memory/satchel/canon"
)

// heavy is a brain of chunks that say much.
type heavy struct{ brain }

func (b *heavy) Chunks(yield func(aimem.Chunk) error) error {
	text := canon.String(strings.Repeat("much ", 12_000))
	for i := range b.chunks {
		if err := yield(aimem.Chunk{Value: chunk("home", i).With("content", text)}); err != nil {
			return err
		}
	}
	return nil
}

// TestLarge exports what is larger than 16 MiB, in both forms, without holding it.
func TestLarge(t *testing.T) {
	const chunks, least = 700, 40 << 20
	for _, c := range []struct{ name, path string }{
		{"AIMEM-3.1-10 the stream of a large brain", "/v1/brain/export/stream"},
		{"AIMEM-3.1-16 a large brain whole", "/v1/brain/export"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, &service{walked: &heavy{brain{chunks: chunks}}}, aimemhttp.Options{})
			r, err := http.NewRequestWithContext(t.Context(), "GET", s.URL+c.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer owner")
			before := heap()
			got, err := s.Client().Do(r)
			if err != nil || got.StatusCode != 200 {
				t.Fatalf("%v %v", got, err)
			}
			defer func() { _ = got.Body.Close() }()
			size, most := int64(0), uint64(0)
			for {
				n, err := io.CopyN(io.Discard, got.Body, 4<<20)
				size += n
				most = max(most, heap())
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if grown := int64(most) - int64(before); size < least || grown > 16<<20 {
				t.Errorf("%d bytes came, and %d more were in use", size, grown)
			}
		})
	}
}

// heap returns the bytes in use that are still needed.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
