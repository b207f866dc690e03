package trigger

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

// Webhooks are signed as the Standard Webhooks specification 1.0 says: HMAC-SHA256 over the id
// of the message, its time and its body.

// window is how far the time of a message may be from ours.
const window = 5 * time.Minute

// lasts is how long a message is taken once. Senders whose request failed send it again for days,
// with the same id and the time of the attempt.
const lasts = 3 * 24 * time.Hour

// secretPrefix precedes a secret in base64.
const secretPrefix = "whsec_"

// secretSize is the number of random bytes of a secret.
const secretSize = 32

// longestID is the longest id of a message.
const longestID = 256

// ErrUnsigned: the request has no signature that admits it. Who sent it is told no more.
var ErrUnsigned = errors.New("the signature is missing, wrong or too old")

// NewSecret returns a new secret.
func NewSecret() string {
	b := make([]byte, secretSize)
	_, _ = rand.Read(b) // it never fails
	return secretPrefix + base64.StdEncoding.EncodeToString(b)
}

// Delivery is a request of another program.
type Delivery struct {
	Path      string // below the path of the hooks, without a slash at its beginning
	ID        string // the headers webhook-id, webhook-timestamp and webhook-signature
	Timestamp string
	Signature string
	Body      []byte
}

// Verify fails with [ErrUnsigned] unless the delivery is signed with a secret, now.
func (d Delivery) Verify(secret string, now time.Time) error {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
	if err != nil || len(key) == 0 {
		return fmt.Errorf("the secret is not readable: %w", errors.Join(ErrUnsigned, err))
	}
	seconds, err := strconv.ParseInt(d.Timestamp, 10, 64)
	if err != nil || d.ID == "" || len(d.ID) > longestID || strconv.FormatInt(seconds, 10) != d.Timestamp {
		return ErrUnsigned
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", d.ID, d.Timestamp, d.Body)
	want := mac.Sum(nil)
	signed := false
	for part := range strings.FieldsSeq(d.Signature) {
		text, ok := strings.CutPrefix(part, "v1,")
		got, err := base64.StdEncoding.DecodeString(text)
		signed = signed || ok && err == nil && hmac.Equal(got, want)
	}
	if off := now.Sub(time.Unix(seconds, 0)).Abs(); !signed || off > window {
		return ErrUnsigned
	}
	return nil
}

// Event returns the event of a verified delivery.
func (d Delivery) Event(now time.Time) (Event, error) {
	v, err := aaif.FromJSON(d.Body, aaif.ReadOptions{})
	if err != nil {
		return Event{}, err
	}
	payload := v
	if v.Type() != canon.TypeObject {
		payload = canon.Object(canon.Member{Name: "input", Value: v})
	}
	return Event{Type: Webhook, Payload: payload, Input: v, Key: d.ID, Until: now.Add(lasts)}, nil
}

// Leads reports whether a trigger is for the path of a delivery.
func (d Delivery) Leads(t aaif.Trigger) bool {
	return t.Type == Webhook && d.Path != "" && strings.Trim(t.Webhook, "/") == d.Path
}
