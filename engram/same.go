package engram

import "slices"

// The functions below report whether two objects say the same in all fields, whatever JSON
// they were read from.

func (i Identity) same(j Identity) bool {
	return i.DisplayName == j.DisplayName && i.Timezone == j.Timezone && i.Locale == j.Locale && i.Role == j.Role && i.Bio == j.Bio &&
		sameList(i.Domains, j.Domains) && i.CreatedAt.Equal(j.CreatedAt) && i.LastUpdated.Equal(j.LastUpdated)
}

func (b Belief) same(c Belief) bool {
	return b.ID == c.ID && b.Category == c.Category && b.Key == c.Key && b.Text == c.Text && b.ValueType == c.ValueType &&
		b.Confidence == c.Confidence && b.Source == c.Source && b.Status == c.Status && sameDays(b.StaleAfter, c.StaleAfter) && sameList(b.Tags, c.Tags) &&
		b.CreatedAt.Equal(c.CreatedAt) && b.LastConfirmed.Equal(c.LastConfirmed) && b.DeletedAt.Equal(c.DeletedAt)
}

func (c Change) same(d Change) bool {
	return c.ID == d.ID && c.Belief == d.Belief && c.Old == d.Old && c.New == d.New && c.Trigger == d.Trigger &&
		c.Context == d.Context && c.Note == d.Note && c.ChangedAt.Equal(d.ChangedAt)
}

func (c Correction) same(d Correction) bool {
	return c.ID == d.ID && c.Belief == d.Belief && c.By == d.By && c.Old == d.Old && c.New == d.New && c.Method == d.Method &&
		c.Note == d.Note && c.Status == d.Status && c.Runtime == d.Runtime && c.CorrectedAt.Equal(d.CorrectedAt) && c.ObservedAt.Equal(d.ObservedAt)
}

func (k Constraint) same(l Constraint) bool {
	return k.ID == l.ID && k.Rule == l.Rule && k.Category == l.Category && k.Scope == l.Scope && k.SetBy == l.SetBy && k.Status == l.Status &&
		k.Note == l.Note && k.CreatedAt.Equal(l.CreatedAt) && k.DeletedAt.Equal(l.DeletedAt)
}

// same compares the envelopes of documents.
func (d Document) same(e Document) bool {
	return d.Version == e.Version && d.Schema == e.Schema && d.Kid == e.Kid && d.Issuer == e.Issuer && d.Subject == e.Subject && d.Scope == e.Scope &&
		d.Signature == e.Signature && d.IssuedAt.Equal(e.IssuedAt) && d.ExpiresAt.Equal(e.ExpiresAt) && sameDefinition(d.Definition, e.Definition)
}

func sameDefinition(d, e *Definition) bool {
	if d == nil || e == nil {
		return d == e
	}
	return sameList(d.Included, e.Included) && sameList(d.Excluded, e.Excluded) && d.Purpose == e.Purpose && d.IssuedTo == e.IssuedTo && d.ValidUntil.Equal(e.ValidUntil)
}

func sameDays(a, b *int) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// sameList distinguishes an absent list from an empty one.
func sameList[S ~string](a, b []S) bool { return (a == nil) == (b == nil) && slices.Equal(a, b) }
