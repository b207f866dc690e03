package engram_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/engram"
)

// TestEveryFieldIsWritten changes each field of each object that was read and finds
// the change in what is written: no field is forgotten.
func TestEveryFieldIsWritten(t *testing.T) {
	d := parsed(t, []byte(sample))
	definition := engram.Query{Scope: engram.Minimal}.Definition()
	narrow := edited(t, tree(t, sample), "/scope_definition", string(definition.Wire().Append(nil)))
	for name, object := range map[string]interface{ Wire() canon.Value }{
		"identity": &d.Identity, "belief": &d.Beliefs[0], "change": &d.Evolution[0], "correction": &d.Corrections[0], "constraint": &d.Constraints[0], "consent": &engram.Consent{ID: "g1"},
		"document": ptr(parsed(t, narrow.Append(nil))),
	} {
		before := object.Wire()
		v := reflect.ValueOf(object).Elem()
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if field.Name == "Value" || field.Name == "Memory" {
				continue
			}
			t.Run("ENGRAM-1-4 "+name+" "+field.Name, func(t *testing.T) {
				old := reflect.ValueOf(v.Field(i).Interface())
				defer func() { v.Field(i).Set(old) }()
				shift(t, v.Field(i))
				if canon.Identical(object.Wire(), before) {
					t.Errorf("not written: %s", before.Append(nil))
				}
			})
		}
		if !canon.Identical(object.Wire(), before) {
			t.Errorf("%s is not as it was", name)
		}
	}
}

func ptr[T any](x T) *T { return &x }

// shift makes a field say something else.
func shift(t *testing.T, v reflect.Value) {
	t.Helper()
	switch x := v.Addr().Interface().(type) {
	case *time.Time:
		*x = at(t, "2027-01-01T00:00:00Z")
	case **int:
		*x = ptr(7)
	case *[]string:
		*x = append([]string{"more"}, *x...)
	case *[]engram.Category:
		*x = append(*x, engram.Health)
	case *[]engram.Consent:
		*x = append(*x, engram.Consent{ID: "g1"})
	case *engram.Issuer:
		x.DID += "x"
	case *engram.Subject:
		x.DisplayName += "x"
	case *engram.Signature:
		x.Value += "x"
	case **engram.Definition:
		*x = ptr(**x)
		(*x).Included = append((*x).Included, "health")
	case *float64:
		*x /= 2
	default:
		v.SetString(v.String() + "x")
	}
}
