package chatgpt

import (
	"slices"
	"time"

	"github.com/satchel-memory/satchel/canon"
)

// bridge finds the node above each missing parent of which no node says that it is its
// child, as when several nodes in a row are missing.
func (t *tree) bridge() {
	parents, ends := map[string]bool{}, []string(nil)
	for _, id := range t.order {
		parents[t.nodes[id].Get("parent").Text()] = true
	}
	for _, id := range t.order {
		leads := func(child canon.Value) bool {
			return child.Text() != "" && !t.has(child.Text()) && !parents[child.Text()]
		}
		if slices.ContainsFunc(t.nodes[id].Get("children").Items(), leads) {
			ends = append(ends, id)
		}
	}
	bridged := 0
	for _, id := range t.order {
		parent := t.nodes[id].Get("parent").Text()
		if _, known := t.above[parent]; known || !t.isCut(id) || bridged == mostBridged {
			continue
		}
		bridged++
		above := t.latest(ends, id)
		if above == "" && !t.at(id).IsZero() {
			above = t.latest(t.leaves(parents), id)
		}
		if above != "" {
			t.above[parent] = above
		}
	}
}

// mostBridged is how many gaps of a conversation are bridged: each takes a walk through it.
const mostBridged = 100

// leaves returns the nodes that no node answers and that name no child.
func (t *tree) leaves(parents map[string]bool) (leaves []string) {
	for _, id := range t.order {
		if !parents[id] && t.nodes[id].Get("children").Len() == 0 && !t.at(id).IsZero() {
			leaves = append(leaves, id)
		}
	}
	return leaves
}

// latest returns the latest of some nodes that is no later than a node and does not follow
// it; empty: there is none.
func (t *tree) latest(ids []string, before string) (latest string) {
	until, below := t.at(before), t.below(before)
	for _, id := range ids {
		at := t.at(id)
		late := !until.IsZero() && at.After(until)
		if !late && !below[id] && (latest == "" || !at.Before(t.at(latest))) {
			latest = id
		}
	}
	return latest
}

// below returns a node and the nodes that follow it.
func (t *tree) below(id string) map[string]bool {
	answers := map[string][]string{}
	for _, id := range t.order {
		parent := t.parent(id)
		answers[parent] = append(answers[parent], id)
	}
	below := map[string]bool{id: true}
	for next := []string{id}; len(next) > 0; next = next[1:] {
		for _, answer := range answers[next[0]] {
			if !below[answer] {
				below[answer] = true
				next = append(next, answer)
			}
		}
	}
	return below
}

// at returns when a node's message was made.
func (t *tree) at(id string) time.Time { return instant(t.nodes[id].Get("message").Get("create_time")) }
