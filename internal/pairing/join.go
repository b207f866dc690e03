package pairing

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Joining is how a machine joins.
type Joining struct {
	Client *http.Client
	URL    string // of the host, without [Path]
	Code   Code
	Offer  []byte
	// Check refuses a gift before the machine confirms it.
	Check func(gift []byte) error
}

// Join returns the gift of the host, once the host has written that this machine takes
// part. If it fails, this machine should write nothing.
func (j Joining) Join(ctx context.Context) (gift []byte, err error) {
	client, err := exchange().Client()
	if err != nil {
		return nil, err
	}
	ke1 := client.LoginInit([]byte(j.Code)).Serialize()
	welcome, err := j.post(ctx, request{Step: "hello", Proof: ke1})
	if err != nil {
		return nil, err
	}
	ke2, err := client.Deserialize.KE2(welcome.Proof)
	if err != nil {
		return nil, errMalformed
	}
	ke3, _, err := client.LoginFinish(ke2)
	if err != nil {
		_, _ = j.post(ctx, request{Step: "leave", Attempt: welcome.Attempt}) // so that the host can tell its user at once
		return nil, ErrCode
	}
	proof := ke3.Serialize()
	c := newChannel(client.SessionKey(), ke1, welcome.Proof, proof)
	offer, err := c.seal(offerLabel, j.Offer)
	if err != nil {
		return nil, err
	}
	given, err := j.insist(ctx, request{Step: "offer", Attempt: welcome.Attempt, Proof: proof, Sealed: offer})
	if err != nil {
		return nil, err
	}
	if gift, err = c.open(giftLabel, given.Sealed); err != nil {
		return nil, err
	}
	if err = j.Check(gift); err != nil {
		return nil, err
	}
	confirmation, err := c.seal(confirmLabel, nil)
	if err != nil {
		return nil, err
	}
	end, err := j.insist(ctx, request{Step: "confirm", Attempt: welcome.Attempt, Sealed: confirmation})
	if err == nil {
		_, err = c.open(endLabel, end.Sealed)
	}
	return gift, err
}

// insist repeats a request whose answer may have been lost.
func (j Joining) insist(ctx context.Context, asked request) (answer, error) {
	for wait := time.Second / 4; ; wait *= 2 {
		out, err := j.post(ctx, asked)
		if err == nil || isRefusal(err) || wait > 2*time.Second {
			return out, err
		}
		select {
		case <-ctx.Done():
			return out, ctx.Err()
		case <-time.After(wait):
		}
	}
}

func isRefusal(err error) bool {
	for _, kind := range codes() {
		if errors.Is(err, kind) {
			return true
		}
	}
	return errors.Is(err, errFailed)
}

// errFailed: the host refused for a reason that it tells its own user.
var errFailed = errors.New("the other machine could not do its part; see what satchel pair says there")

func (j Joining) post(ctx context.Context, asked request) (out answer, err error) {
	data, err := json.Marshal(asked)
	if err != nil {
		return out, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(j.URL, "/")+Path, bytes.NewReader(data))
	if err != nil {
		return out, err
	}
	r.Header.Set("Content-Type", "application/json")
	response, err := j.Client.Do(r)
	if err != nil {
		return out, err
	}
	defer response.Body.Close()
	if err := decode(response.Body, &out); err != nil {
		if response.StatusCode != http.StatusOK {
			return out, fmt.Errorf("the other machine answers %s: is satchel pair running there?", response.Status)
		}
		return out, err
	}
	if out.Error == nil && response.StatusCode == http.StatusOK {
		return out, nil
	}
	if out.Error != nil {
		if kind, known := codes()[out.Error.Code]; known {
			return out, kind
		}
	}
	return out, errFailed
}
