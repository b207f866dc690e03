package engram

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// EventType says what happened to a belief or a correction (section 12.5).
type EventType string

// The events that a runtime can subscribe to.
const (
	BeliefAdded        EventType = "belief.added"
	BeliefUpdated      EventType = "belief.updated"
	BeliefDeleted      EventType = "belief.deleted"
	CorrectionResolved EventType = "correction.resolved"
)

// EventTypes returns all event types.
func EventTypes() []EventType {
	return []EventType{BeliefAdded, BeliefUpdated, BeliefDeleted, CorrectionResolved}
}

// Event names the object of an event, and nothing of its content.
type Event struct {
	Type EventType
	ID   string
}

// Subscription is the address where a runtime receives changes.
type Subscription struct {
	ID        string
	URL       string // https
	Events    []EventType
	Secret    string // signs deliveries; empty in answers that do not reveal it
	Runtime   string // the subscriber
	CreatedAt time.Time
}

// Subscriber is a [Backend] that notifies runtimes of changes. The vault implements it.
type Subscriber interface {
	// Subscribe keeps a subscription of the caller, within what the caller may have.
	Subscribe(ctx context.Context, c memory.Caller, s Subscription) (Subscription, error)
	// Unsubscribe ends a subscription: a runtime its own, the owner any.
	Unsubscribe(ctx context.Context, c memory.Caller, id string) error
	// Subscriptions lists the subscriptions to the owner, without their secrets.
	Subscriptions(ctx context.Context, c memory.Caller) ([]Subscription, error)
}

// Delivery is a message to a subscriber. It holds nothing of the memory: the receiver asks
// for the changes with its token.
type Delivery struct {
	Subscription
	GeneratedAt time.Time // as of [Delta]
	Happened    []Event
}

// maxEvents is how many events one delivery names.
const maxEvents = 1000

// Events returns the events of a delta that have one of the wanted types.
func (d Delta) Events(wanted []EventType) []Event {
	var list []Event
	tell := func(t EventType, id string) {
		if slices.Contains(wanted, t) && len(list) < maxEvents {
			list = append(list, Event{t, id})
		}
	}
	for _, b := range d.Added {
		tell(BeliefAdded, b.ID)
	}
	for _, b := range d.Updated {
		tell(BeliefUpdated, b.ID)
	}
	for _, t := range d.Deleted {
		tell(BeliefDeleted, t.ID)
	}
	for _, c := range d.Corrections {
		if c.Status == Confirmed || c.Status == Rejected {
			tell(CorrectionResolved, c.ID)
		}
	}
	return list
}

// Body returns a delivery as it is sent.
func (d Delivery) Body() []byte {
	items := make([]canon.Value, len(d.Happened))
	for i, e := range d.Happened {
		items[i] = canon.Object(canon.Member{Name: "type", Value: canon.String(string(e.Type))}, canon.Member{Name: "id", Value: canon.String(e.ID)})
	}
	var o object
	o.must("engram_version", Version)
	o.must("subscription_id", d.ID)
	o.must("generated_at", exactInstant(d.GeneratedAt))
	o.add("events", canon.Array(items...))
	return o.value().AppendCanonical(nil)
}

// SignatureHeader carries a delivery's signature.
const SignatureHeader = "Engram-Signature"

// SignDelivery returns the signature of a delivery sent at a time: t=UNIX,v1=HEX, where HEX
// is the HMAC-SHA256 of "UNIX.BODY" under the secret.
func SignDelivery(secret string, at time.Time, body []byte) string {
	stamp := strconv.FormatInt(at.Unix(), 10)
	return "t=" + stamp + ",v1=" + hex.EncodeToString(deliveryMAC(secret, stamp, body))
}

func deliveryMAC(secret, stamp string, body []byte) []byte {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = mac.Write(append([]byte(stamp+"."), body...)) // never fails
	return mac.Sum(nil)
}

// VerifyDelivery reports whether a signature matches a delivery and is no further from now
// than [Skew].
func VerifyDelivery(header, secret string, body []byte, now time.Time) bool {
	stamp, mac, ok := strings.Cut(strings.TrimPrefix(header, "t="), ",v1=")
	sent, err := strconv.ParseInt(stamp, 10, 64)
	got, bad := hex.DecodeString(mac)
	if !ok || err != nil || bad != nil || now.Sub(time.Unix(sent, 0)).Abs() > Skew {
		return false
	}
	return hmac.Equal(got, deliveryMAC(secret, stamp, body))
}

// The least and the most bytes of a secret, and the most of an address.
const (
	minSecret = 16
	maxSecret = 256
	maxHook   = 2048
)

// Check refuses an invalid subscription with a [*Fault].
func (s Subscription) Check() error {
	refuse := func(what string) error {
		return &Fault{Code: InvalidRequest, Rule: "ENGRAM-12.5-1", Detail: what}
	}
	u, err := url.Parse(s.URL)
	switch {
	case err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.Fragment != "" || len(s.URL) > maxHook:
		return refuse("url is the https address that is to be told, without a user or a fragment")
	case len(s.Events) == 0 || slices.ContainsFunc(s.Events, func(e EventType) bool { return !slices.Contains(EventTypes(), e) }):
		return refuse("events are some of belief.added, belief.updated, belief.deleted and correction.resolved")
	case len(s.Secret) < minSecret || len(s.Secret) > maxSecret:
		return refuse("secret is a text of 16 to 256 bytes that nobody can guess: deliveries are signed with it")
	}
	return nil
}
