package engramhttp

import (
	"net/http"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/memory"
)

// subscribe keeps a runtime's subscription to changes (section 12.5).
func (h *Handler) subscribe(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
	if err := h.permit(r, c, memory.ReadVerb); err != nil {
		return err
	}
	if _, err := parametersOf(r); err != nil {
		return err
	}
	body, err := h.bodyOf(r, true)
	if err != nil {
		return err
	}
	s, err := subscriptionOf(body)
	if err != nil {
		return err
	}
	if s, err = h.subscribes.Subscribe(r.Context(), c, s); err != nil {
		return unknownUser(err)
	}
	send(w, http.StatusCreated, subscriptionValue(s).Append(nil))
	return nil
}

// subscriptionOf reads a subscription; without events it is for all of them.
func subscriptionOf(body canon.Value) (s engram.Subscription, err error) {
	const rule = "ENGRAM-12.5-1"
	if s.URL, err = text(body, "url", 2048, true, rule); err != nil {
		return s, err
	}
	if s.Secret, err = text(body, "secret", 256, true, rule); err != nil {
		return s, err
	}
	if s.Events = engram.EventTypes(); body.Has("events") {
		s.Events = nil
		for _, e := range body.Get("events").Items() {
			s.Events = append(s.Events, engram.EventType(e.Text()))
		}
	}
	return s, s.Check()
}

// subscriptionValue returns a subscription without its secret.
func subscriptionValue(s engram.Subscription) canon.Value {
	events := make([]canon.Value, len(s.Events))
	for i, e := range s.Events {
		events[i] = canon.String(string(e))
	}
	v := canon.Object(member("subscription_id", s.ID), member("url", s.URL), canon.Member{Name: "events", Value: canon.Array(events...)}, member("created_at", engram.FormatInstant(s.CreatedAt)))
	if s.Runtime != "" {
		v = v.With("runtime", canon.String(s.Runtime))
	}
	return v
}

// subscriptions lists subscriptions to the owner.
func (h *Handler) subscriptions(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
	if err := h.permit(r, c, memory.ReadVerb); err != nil {
		return err
	}
	if _, err := h.forOwner(r, c, "sees who is told of changes"); err != nil {
		return err
	}
	list, err := h.subscribes.Subscriptions(r.Context(), c)
	if err != nil {
		return unknownUser(err)
	}
	sendList(w, "subscriptions", list, subscriptionValue)
	return nil
}

// unsubscribe ends a subscription.
func (h *Handler) unsubscribe(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
	if err := h.permit(r, c, memory.ReadVerb); err != nil {
		return err
	}
	if _, err := parametersOf(r); err != nil {
		return err
	}
	id := r.PathValue("id")
	if err := h.subscribes.Unsubscribe(r.Context(), c, id); err != nil {
		if memory.KindOf(err) == memory.NotFound {
			err = &answer{status: http.StatusNotFound, detail: "there is no subscription with this id that this token may end"}
		}
		return err
	}
	send(w, http.StatusOK, canon.Object(member("subscription_id", id), member("status", "deleted")).Append(nil))
	return nil
}
