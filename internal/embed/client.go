package embed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/satchel-memory/satchel/internal/modelhttp"
	"github.com/satchel-memory/satchel/text/size"
)

// Limits of a request and its answer.
const (
	MostTexts  = 32      // in one request
	mostBytes  = 2000    // of a text; the rest is cut off
	mostDim    = 8192    // components of a vector
	mostAnswer = 8 << 20 // bytes
)

// ErrDimension is the error of vectors with another number of components than expected.
var ErrDimension = errors.New("the server's vectors have another length than before")

var errAnswer = errors.New("the server does not answer as OpenAI's /v1/embeddings does")

// Client asks one model of one server for vectors. It is safe for concurrent use.
type Client struct {
	server *modelhttp.Server
	model  string
	dim    int
}

// NewClient returns a client for a model. dim is the number of components that each vector
// must have; 0: any, the same in one answer. It fails as [modelhttp.New] does.
func NewClient(address, model, key string, dim int) (*Client, error) {
	server, err := modelhttp.New(address, "/embeddings", key)
	if err != nil {
		return nil, err
	}
	return &Client{server, model, dim}, nil
}

// Embed returns the vectors of texts, in their order. It sends at most MostTexts texts and
// mostBytes of each. It fails with ErrDimension, as [modelhttp.Server.Ask] does,
// or because the answer is none.
func (c *Client) Embed(ctx context.Context, texts []string) ([]Vector, error) {
	if len(texts) == 0 || len(texts) > MostTexts {
		return nil, fmt.Errorf("embed %d texts at once: %d are the most", len(texts), MostTexts)
	}
	input := make([]string, len(texts))
	for i, text := range texts {
		input[i] = size.Cut(text, mostBytes)
	}
	data, err := c.server.Ask(ctx, map[string]any{"model": c.model, "input": input, "encoding_format": "float"}, mostAnswer)
	if err != nil {
		return nil, err
	}
	return c.read(data, len(texts))
}

// read reads an answer with n vectors.
func (c *Client) read(data []byte, n int) ([]Vector, error) {
	var answer struct {
		Data []struct {
			Index     *int      `json:"index"`
			Embedding []float32 `json:"embedding"`
		} `json:"data"`
	}
	if err := json.Unmarshal(data, &answer); err != nil || len(answer.Data) != n {
		return nil, errAnswer
	}
	vectors, dim := make([]Vector, n), c.dim
	for i, d := range answer.Data {
		at := i
		if d.Index != nil {
			at = *d.Index
		}
		if at < 0 || at >= n || vectors[at].Codes != nil {
			return nil, errAnswer
		}
		if dim == 0 {
			dim = len(d.Embedding)
		}
		if len(d.Embedding) != dim {
			return nil, ErrDimension
		}
		v, err := quantise(d.Embedding)
		if err != nil {
			return nil, errAnswer
		}
		vectors[at] = v
	}
	return vectors, nil
}

// IsRefused reports whether a server refuses a request because of its content, such as a
// text that is too long for the model. The same request fails again.
func IsRefused(err error) bool {
	refusal, ok := errors.AsType[*modelhttp.Refusal](err)
	return ok && (refusal.Status == 400 || refusal.Status == 413 || refusal.Status == 422)
}

// Background returns the similarity that texts without a common subject have at most,
// nearly always: the mean of all pairs and three times their spread.
func Background(vectors []Vector) float64 {
	var sum, squares, n float64
	for i, v := range vectors {
		for _, w := range vectors[:i] {
			c := cosine(v, w)
			sum += c
			squares += float64(c * c)
			n++
		}
	}
	if n == 0 {
		return 0
	}
	mean := sum / n
	return min(max(mean+3*math.Sqrt(max(squares/n-float64(mean*mean), 0)), 0), .95)
}
