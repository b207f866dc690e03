package operate

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Claude Code, Codex and Gemini CLI share the form of the list of commands for the
// start of a session:
//
//	{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "…"}]}]}}
//
// The list holds groups, and a group holds hooks.

// hookMark is part of the command of every hook that satchel wrote, and of no other.
const hookMark = " brief --here --format hook"

// hookPath leads to the groups of hooks that run at the start of a session.
func hookPath() []string { return []string{"hooks", "SessionStart"} }

// jsonHook returns the member with a hook's command, if satchel wrote that hook.
func jsonHook(text string, hook *jsonNode) (jsonMember, bool) {
	m, ok := hook.member("command")
	if !ok || !hook.object {
		return m, false
	}
	var command string
	err := json.Unmarshal([]byte(text[m.value.start:m.value.end]), &command)
	return m, err == nil && strings.Contains(command, hookMark)
}

// jsonHooks finds satchel's first hook: the array of groups, the group's number, the
// group's array of hooks and the hook's number. Without an array of groups groups is nil,
// and without a hook of satchel's hooks is nil.
func jsonHooks(text string, root *jsonNode) (groups *jsonNode, group int, hooks *jsonNode, hook int, err error) {
	n, deep, err := descend(root, hookPath()[:1])
	if err != nil || deep < 1 {
		return nil, 0, nil, 0, err
	}
	m, ok := n.member(hookPath()[1])
	if !ok {
		return nil, 0, nil, 0, nil
	}
	if groups = m.value; !groups.array {
		return nil, 0, nil, 0, fmt.Errorf("%q is not a list", strings.Join(hookPath(), "."))
	}
	for i, g := range groups.members {
		list, ok := g.value.member("hooks")
		if !ok || !g.value.object || !list.value.array {
			continue
		}
		for j, h := range list.value.members {
			if _, ok := jsonHook(text, h.value); ok {
				return groups, i, list.value, j, nil
			}
		}
	}
	return groups, 0, nil, 0, nil
}

// jsonHookSet adds a hook for the start of a session, in a group of its own. An existing
// hook of satchel's gets the new command and keeps the rest.
func jsonHookSet(text string, hook []setting) (string, error) {
	before := text
	if blank(text) {
		text += "{}\n"
	}
	root, err := parseJSONC(text)
	if err != nil {
		return "", err
	}
	groups, _, hooks, i, err := jsonHooks(text, root)
	if err != nil {
		return "", err
	}
	e := newEdit(text, root)
	item := object([]setting{{"hooks", arrayOf(object(hook))}})
	switch {
	case hooks != nil:
		for _, m := range hook {
			if m.Name == "command" {
				old, _ := jsonHook(text, hooks.members[i].value)
				e.splice(old.value.start, old.value.end, string(m.Value))
			}
		}
	case groups != nil:
		e.insert(groups, "", item)
	default:
		return jsonAdd(before, text, hookPath(), arrayOf(item))
	}
	return e.text, hookUnchanged(before, e.text)
}

// jsonAdd adds a missing member to a document.
func jsonAdd(before, text string, path []string, value json.RawMessage) (string, error) {
	last := len(path) - 1
	after, err := jsonSet(text, path[:last], []setting{{path[last], value}})
	if err != nil {
		return "", err
	}
	return after, hookUnchanged(before, after)
}

// arrayOf is an array with one item.
func arrayOf(item json.RawMessage) json.RawMessage { return json.RawMessage("[" + string(item) + "]") }

// jsonHookRemove removes satchel's hooks for the start of a session, with the group, the
// list and the object if they hold nothing else.
func jsonHookRemove(text string) (string, error) {
	out := text
	for !blank(out) {
		root, err := parseJSONC(out)
		if err != nil {
			return "", err
		}
		groups, i, hooks, j, err := jsonHooks(out, root)
		if err != nil || hooks == nil {
			break // none of satchel's hooks is left
		}
		if len(hooks.members) > 1 {
			out = cut(out, hooks, j)
			continue
		}
		if out = cut(out, groups, i); len(groups.members) == 1 {
			for at := len(hookPath()); at > 0; at-- {
				if out, err = cutEmpty(out, hookPath()[:at]); err != nil {
					return "", err
				}
			}
		}
	}
	return out, hookUnchanged(text, out)
}

// hookUnchanged checks that only satchel's hooks differ.
func hookUnchanged(before, after string) error {
	old, err := withoutHooks(before)
	if err != nil {
		return err
	}
	now, err := withoutHooks(after)
	if err != nil {
		return fmt.Errorf("the edited settings would not be valid: %w", err)
	}
	if !reflect.DeepEqual(old, now) {
		return errors.New("editing would change other settings")
	}
	return nil
}

// withoutHooks returns a document without satchel's hooks, and without the empty lists and
// objects on the way to them.
func withoutHooks(text string) (map[string]any, error) {
	doc := map[string]any{}
	if blank(text) {
		return doc, nil
	}
	root, err := parseJSONC(text)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(strings.NewReader(plain(text, root, nil)))
	dec.UseNumber()
	if err := dec.Decode(&doc); err != nil {
		return nil, err
	}
	hooks, ok := doc["hooks"].(map[string]any)
	if !ok {
		return doc, nil
	}
	groups, ok := hooks["SessionStart"].([]any)
	kept := slices.DeleteFunc(groups, func(g any) bool {
		group, ok := g.(map[string]any)
		return ok && dropHooks(group)
	})
	switch {
	case ok && len(kept) == 0:
		delete(hooks, "SessionStart")
	case ok:
		hooks["SessionStart"] = kept
	}
	if len(hooks) == 0 {
		delete(doc, "hooks")
	}
	return doc, nil
}

// dropHooks removes satchel's hooks from a group, and reports whether the group held
// nothing else.
func dropHooks(group map[string]any) bool {
	hooks, _ := group["hooks"].([]any)
	var kept []any
	for _, h := range hooks {
		member, _ := h.(map[string]any)
		if command, _ := member["command"].(string); !strings.Contains(command, hookMark) {
			kept = append(kept, h)
		}
	}
	found := len(kept) < len(hooks)
	if found {
		group["hooks"] = kept
	}
	return found && len(kept) == 0
}
