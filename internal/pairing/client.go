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

	"github.com/satchel-memory/satchel/internal/sleep"
)

// Client is the machine on which the code is typed. All fields are required.
type Client struct {
	HTTP  *http.Client
	URL   string // of the host, without [Path]
	Code  Code
	Offer []byte // for HostOptions.Secret
	// Check checks the secret before the machine confirms it. If Check fails, Join fails with
	// its error, and the host stores nothing.
	Check func(secret []byte) error
}

// Join returns the secret of the host, once HostOptions.Confirmed succeeded there. It fails with
// [ErrCode] if the host has another code, and with [ErrOver] if the code is good no more. If
// Join fails, the caller should store nothing.
func (c Client) Join(ctx context.Context) (secret []byte, err error) {
	client, err := exchange().Client()
	if err != nil {
		return nil, err
	}
	ke1 := client.LoginInit([]byte(c.Code)).Serialize()
	hello := request{Step: "hello", Proof: ke1}
	welcome, err := c.post(ctx, hello)
	if errors.Is(err, errBusy) { // it has used up no try
		welcome, err = c.retry(ctx, hello)
	}
	if err != nil {
		return nil, err
	}
	ke2, err := client.Deserialize.KE2(welcome.Proof)
	if err != nil {
		return nil, errMalformed
	}
	ke3, _, err := client.LoginFinish(ke2)
	if err != nil {
		_, _ = c.post(ctx, request{Step: "leave", Attempt: welcome.Attempt}) // the host then tells its user at once
		return nil, ErrCode
	}
	proof := ke3.Serialize()
	sealer := newChannel(client.SessionKey(), ke1, welcome.Proof, proof)
	offer, err := sealer.seal(offerLabel, c.Offer)
	if err != nil {
		return nil, err
	}
	answered, err := c.retry(ctx, request{Step: "offer", Attempt: welcome.Attempt, Proof: proof, Sealed: offer})
	if err != nil {
		return nil, err
	}
	if secret, err = sealer.open(secretLabel, answered.Sealed); err != nil {
		return nil, err
	}
	if err = c.Check(secret); err != nil {
		return nil, err
	}
	confirmation, err := sealer.seal(confirmLabel, nil)
	if err != nil {
		return nil, err
	}
	end, err := c.retry(ctx, request{Step: "confirm", Attempt: welcome.Attempt, Sealed: confirmation})
	if err == nil {
		_, err = sealer.open(endLabel, end.Sealed)
	}
	return secret, err
}

// retry sends a request up to five times, since its answer may have been lost.
func (c Client) retry(ctx context.Context, asked request) (answer, error) {
	for wait := time.Second / 4; ; wait *= 2 {
		out, err := c.post(ctx, asked)
		if err == nil || isRefusal(err) || wait > 2*time.Second {
			return out, err
		}
		if err := sleep.For(ctx, wait); err != nil {
			return out, err
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

// errBusy: satchel serve, which passes requests on, answers others. The host has not got this one.
var errBusy = errors.New("the other machine answers others just now; try again")

// errFailed: the host failed, and shows the reason to its own user.
var errFailed = errors.New("the other machine could not do its part; see what satchel pair says there")

func (c Client) post(ctx context.Context, asked request) (out answer, err error) {
	data, err := json.Marshal(asked)
	if err != nil {
		return out, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(c.URL, "/")+Path, bytes.NewReader(data))
	if err != nil {
		return out, err
	}
	r.Header.Set("Content-Type", "application/json")
	response, err := c.HTTP.Do(r)
	if err != nil {
		return out, err
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusTooManyRequests {
		return out, errBusy
	}
	if err := decode(response.Body, MaxAnswer, &out); err != nil {
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
