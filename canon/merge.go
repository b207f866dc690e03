package canon

// MergePatch returns target with patch applied (RFC 7396): members that patch
// sets to null go, objects merge, anything else is replaced. Members that stay
// keep their place; new ones come last.
func MergePatch(target, patch Value) Value {
	if patch.typ != TypeObject {
		return patch
	}
	old := target.Members()
	members := make([]Member, 0, len(old)+len(patch.kids.members))
	changes := indexed(patch.kids.members)
	for _, m := range old {
		i := changes.find(patch.kids.members, m.Name)
		if i < 0 {
			members = append(members, m)
			continue
		}
		if change := patch.kids.members[i].Value; change.typ != TypeNull {
			members = append(members, Member{m.Name, MergePatch(m.Value, change)})
		}
	}
	present := indexed(old)
	for _, m := range patch.kids.members {
		if m.Value.typ != TypeNull && present.find(old, m.Name) < 0 {
			members = append(members, Member{m.Name, MergePatch(Value{}, m.Value)})
		}
	}
	return objectOf(members)
}
