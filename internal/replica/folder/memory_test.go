package folder_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// notes is a memory of notes: a note is a set of texts, each signed by the owner, and joins
// by union. An erased note is gone for good. Fields are exported so that a copy is a
// round trip through JSON.
type notes struct {
	Owner   memory.DID
	Me      replica.Machine
	Items   map[string]*held // by kind and key
	Seq     int64
	Sizes   map[string]int // nothing but a place for tests to count in
	secret  []byte
	failing error // of the next Join
}

// held is an item.
type held struct {
	Item replica.Item
	Seq  int64
	From string // the remote from which it came as it is; empty: it began or changed here
}

var _ replica.Memory = (*notes)(nil)

func (n *notes) Self() replica.Machine { return n.Me }

func (n *notes) Machines(context.Context) ([]replica.Machine, error) {
	var all []replica.Machine
	for _, h := range n.Items {
		if h.Item.Kind == "machine" {
			all = append(all, machineOf(h.Item))
		}
	}
	return all, nil
}

func (n *notes) Since(_ context.Context, remote string, after replica.Position, max int) ([]replica.Item, replica.Position, bool, error) {
	var items []replica.Item
	upto, size := after, 0
	for _, h := range n.bySeq(after.Changes) {
		if size >= max && len(items) > 0 {
			return items, upto, true, nil
		}
		upto.Changes = h.Seq
		if remote != "" && h.From == remote {
			continue
		}
		items = append(items, h.Item)
		size += len(h.Item.Data)
	}
	return items, upto, false, nil
}

func (n *notes) bySeq(after int64) []*held {
	all := slices.Collect(maps.Values(n.Items))
	all = slices.DeleteFunc(all, func(h *held) bool { return h.Seq <= after })
	slices.SortFunc(all, func(a, b *held) int { return cmp.Compare(a.Seq, b.Seq) })
	return all
}

func (n *notes) Join(_ context.Context, remote string, m replica.Message) (replica.Joined, error) {
	var done replica.Joined
	if err := n.failing; err != nil {
		n.failing = nil
		return done, err
	}
	for _, item := range m.Items {
		if err := n.check(item); err != nil {
			return done, err
		}
	}
	for _, item := range m.Items {
		if n.gone(item) {
			continue
		}
		was := n.Items[string(item.Kind)+item.Key]
		if was != nil {
			joined := join(was.Item, item)
			if bytes.Equal(joined.Data, was.Item.Data) {
				continue
			}
			done.Changed++
			from := ""
			if bytes.Equal(joined.Data, item.Data) {
				from = remote
			}
			n.set(joined, from)
			continue
		}
		done.Added++
		n.set(item, remote)
		if item.Kind == "gone" {
			done.Erased += n.sweep()
		}
	}
	return done, nil
}

func (n *notes) Erased(_ context.Context, after replica.Position) ([]string, replica.Position, error) {
	var marks []string
	upto := after
	for _, h := range n.bySeq(after.Changes) {
		upto.Changes = h.Seq
		if h.Item.Kind == "gone" {
			marks = append(marks, h.Item.Key)
		}
	}
	return marks, upto, nil
}

func (n *notes) Marks(items []replica.Item) (marks []string) {
	for _, item := range items {
		if item.Kind == "note" {
			marks = append(marks, n.mark(item.Key))
		}
	}
	return marks
}

func (n *notes) Marked(_ context.Context, items []replica.Item) ([]bool, error) {
	var marked []bool
	for _, item := range items {
		marked = append(marked, n.gone(item))
	}
	return marked, nil
}

// set puts an item in place as the newest.
func (n *notes) set(item replica.Item, from string) {
	n.Seq++
	n.Items[string(item.Kind)+item.Key] = &held{Item: item, Seq: n.Seq, From: from}
}

func (n *notes) mark(key string) string {
	mac := hmac.New(sha256.New, n.secret)
	mac.Write([]byte(key))
	return hex.EncodeToString(mac.Sum(nil))
}

func (n *notes) gone(item replica.Item) bool {
	return item.Kind == "note" && n.Items["gone"+n.mark(item.Key)] != nil
}

// sweep removes what is gone.
func (n *notes) sweep() int {
	before := len(n.Items)
	maps.DeleteFunc(n.Items, func(_ string, h *held) bool { return n.gone(h.Item) })
	return before - len(n.Items)
}

// check verifies an item.
func (n *notes) check(item replica.Item) error {
	switch item.Kind {
	case "gone":
		return nil
	case "machine":
		return machineOf(item).Verify(n.Owner)
	case "note":
		key, err := keys.Public(n.Owner)
		if err != nil {
			return err
		}
		for text, signature := range texts(item) {
			if !ed25519.Verify(key, []byte(item.Key+"\x00"+text), signature) {
				return fmt.Errorf("%w: a note", replica.ErrUnsigned)
			}
		}
		return nil
	}
	return fmt.Errorf("%w: kind %q", replica.ErrMalformed, item.Kind)
}

// join joins two items of the same key.
func join(a, b replica.Item) replica.Item {
	switch a.Kind {
	case "note":
		all := texts(a)
		maps.Copy(all, texts(b))
		return noteItem(a.Key, all)
	case "machine":
		x, y := machineOf(a), machineOf(b)
		if !y.Removed.IsZero() && x.Removed.IsZero() || x.Removed.Equal(y.Removed) && y.Renamed > x.Renamed {
			return b
		}
	}
	return a
}

func texts(item replica.Item) map[string][]byte {
	all := map[string][]byte{}
	_ = json.Unmarshal(item.Data, &all) // what is none has no texts
	return all
}

func noteItem(key string, all map[string][]byte) replica.Item {
	data, _ := json.Marshal(all) // a map of bytes
	return replica.Item{Kind: "note", Key: key, Data: data}
}

func machineOf(item replica.Item) replica.Machine {
	var m replica.Machine
	_ = json.Unmarshal(item.Data, &m) // what is none is signed by nobody
	return m
}

func machineItem(m replica.Machine) replica.Item {
	data, _ := json.Marshal(m)
	return replica.Item{Kind: "machine", Key: string(m.ID), Data: data}
}

// remember adds a text to a note.
func (n *notes) remember(owner keys.Private, key, text string) {
	item := noteItem(key, map[string][]byte{text: owner.Sign([]byte(key + "\x00" + text))})
	if n.gone(item) {
		return
	}
	if was := n.Items["note"+key]; was != nil {
		item = join(was.Item, item)
	}
	n.set(item, "")
}

// erase erases a note.
func (n *notes) erase(key string) {
	item := replica.Item{Kind: "gone", Key: n.mark(key), Data: []byte{1}}
	if n.Items["gone"+item.Key] == nil {
		n.set(item, "")
	}
	n.sweep()
}

// learn adds or changes a machine.
func (n *notes) learn(m replica.Machine) {
	item := machineItem(m)
	if was := n.Items["machine"+item.Key]; was != nil {
		item = join(was.Item, item)
	}
	n.set(item, "")
}

// says lists all that the memory holds, in order.
func (n *notes) says() string {
	var lines []string
	for key, h := range n.Items {
		lines = append(lines, fmt.Sprintf("%s %s", key, h.Item.Data))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// remotes keeps what machines know about remotes.
type remotes map[string][]byte

func (r remotes) Remote(_ context.Context, name string) ([]byte, error) { return r[name], nil }

func (r remotes) SetRemote(_ context.Context, name string, old, now []byte) error {
	if !bytes.Equal(r[name], old) {
		return replica.ErrBusy
	}
	r[name] = now
	return nil
}

// added is when machines of tests were added.
func added() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }
