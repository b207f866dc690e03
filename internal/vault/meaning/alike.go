package meaning

import (
	"context"
	"crypto/sha256"
	"slices"

	"github.com/satchel-memory/satchel/internal/embed"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/redact"
)

// mostAlike is how many vectors of texts without records a process remembers for an owner.
const mostAlike = 4096

// textKey names a text under an owner's settings.
type textKey struct {
	settings int64
	text     [32]byte
}

// Alike returns how close texts that are no records are to a question, 0 to 1 for each. notice
// says in words why it does not, if the owner uses no server or the server does not answer; else
// it is empty. Secrets are masked before anything is sent. The vectors stay in memory.
func (s *Service) Alike(ctx context.Context, owner memory.DID, question string, texts []string) (near []float64, notice string, err error) {
	c, err := s.current(ctx, owner)
	switch {
	case err != nil:
		return nil, "", err
	case !c.on():
		return nil, "there is no server of embeddings", nil
	}
	all := append(slices.Clone(texts), question)
	for i := range all {
		redact.Mask(&all[i])
	}
	vectors, failure, err := s.vectorsWithin(ctx, 20*s.wait, owner, c, func(ctx context.Context, e Embedder) ([]embed.Vector, error) {
		return s.vectorsOf(ctx, owner, c, e, all)
	})
	if failure != "" || err != nil {
		return nil, failure, err
	}
	m := embed.NewMatrix(c.Dim)
	for i, v := range vectors[:len(texts)] {
		_ = m.Add(int64(i), v) // a vector of another size is close to nothing
	}
	near = make([]float64, len(texts))
	for _, found := range m.Nearest(vectors[len(texts)], len(texts), c.Floor, true) {
		near[found.Doc] = (found.Cosine - c.Floor) / (1 - c.Floor)
	}
	return near, "", nil
}

// vectorsOf returns the vectors of texts, and asks for those that it does not remember.
func (s *Service) vectorsOf(ctx context.Context, owner memory.DID, c current, e Embedder, texts []string) ([]embed.Vector, error) {
	o := s.of(owner)
	vectors := make([]embed.Vector, len(texts))
	var missing []int
	o.mu.Lock()
	for i, text := range texts {
		var known bool
		if vectors[i], known = o.alike[textKey{c.number, sha256.Sum256([]byte(text))}]; !known {
			missing = append(missing, i)
		}
	}
	o.mu.Unlock()
	for some := range slices.Chunk(missing, embed.MostTexts) {
		ask := make([]string, len(some))
		for i, at := range some {
			ask[i] = texts[at]
		}
		got, err := e.Embed(ctx, ask)
		if err != nil {
			return nil, err
		}
		o.mu.Lock()
		if o.alike == nil || len(o.alike)+len(some) > mostAlike {
			o.alike = map[textKey]embed.Vector{}
		}
		for i, at := range some {
			vectors[at] = got[i]
			o.alike[textKey{c.number, sha256.Sum256([]byte(texts[at]))}] = got[i]
		}
		o.mu.Unlock()
	}
	return vectors, nil
}
