package telemetry

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/satchel-memory/satchel/internal/sleep"
	"google.golang.org/protobuf/proto"
)

// poster sends messages to one address. It is safe for concurrent use.
type poster struct {
	target  Target
	client  *http.Client
	agent   string
	report  *report
	life    context.Context // ends with the exporter
	between time.Duration   // the pause before the first repetition; doubles
}

const (
	usualTimeout = 10 * time.Second
	firstPause   = 500 * time.Millisecond
	maxReply     = 64 << 10
)

func newPoster(life context.Context, t Target, release string, r *report) (*poster, error) {
	if err := checkURL(t.URL); err != nil {
		return nil, err
	}
	t.Timeout = cmp.Or(t.Timeout, usualTimeout)
	// It goes to this address and to no other: no proxy, no redirect.
	c := &http.Client{
		Transport:     &http.Transport{DialContext: t.Dial, TLSClientConfig: t.TLS, ForceAttemptHTTP2: true, MaxConnsPerHost: 2, IdleConnTimeout: 2 * time.Minute},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return &poster{target: t, client: c, agent: "satchel/" + release, report: r, life: life, between: firstPause}, nil
}

// post sends a message, again while the collector is away for a moment, within the target's
// timeout. It reports how that went.
func (p *poster) post(ctx context.Context, m proto.Message) error {
	ctx, cancel := context.WithTimeout(ctx, p.target.Timeout)
	defer cancel()
	defer context.AfterFunc(p.life, cancel)()
	body, err := p.encode(m)
	for pause := p.between; err == nil; pause *= 2 {
		var again bool
		if again, err = p.once(ctx, body); err == nil || !again || sleep.For(ctx, pause) != nil {
			break
		}
		err = nil
	}
	p.report.ended(err)
	return err
}

func (p *poster) encode(m proto.Message) ([]byte, error) {
	body, err := proto.Marshal(m)
	if err != nil || !p.target.Gzip {
		return body, err
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err = w.Write(body)
	err = errors.Join(err, w.Close())
	return packed.Bytes(), err
}

// once sends a body. again says that the collector may take it a little later.
func (p *poster) once(ctx context.Context, body []byte) (again bool, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.target.URL, bytes.NewReader(body))
	if err != nil {
		return false, err
	}
	for name, value := range p.target.Headers {
		r.Header.Set(name, value)
	}
	r.Header.Set("Content-Type", "application/x-protobuf")
	r.Header.Set("User-Agent", p.agent)
	if p.target.Gzip {
		r.Header.Set("Content-Encoding", "gzip")
	}
	answer, err := p.client.Do(r)
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return true, failed.Err // without the address, which may hold a key
	}
	if err != nil {
		return true, err
	}
	defer answer.Body.Close()                                         // nothing more is read from it
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, maxReply)) // so that the connection serves again
	switch answer.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		again = true
	}
	if answer.StatusCode/100 != 2 {
		return again, fmt.Errorf("the collector answers %d", answer.StatusCode)
	}
	return false, nil
}
