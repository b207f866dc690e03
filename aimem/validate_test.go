package aimem_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/aimem"
)

func violations(t *testing.T, text string) []string {
	t.Helper()
	var got []string
	if err := aimem.Validate(source("x", text), aimem.Options{}, func(f *aimem.Fault) {
		got = append(got, string(f.Code)+" "+f.Pointer+" "+f.Rule)
		if f.Detail == "" {
			t.Errorf("%s says nothing", f.Code)
		}
	}); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestValidateReportsEverything(t *testing.T) {
	text := `{"format":"other","version":"1","producer":"UP","tenant_id":"","scope":"SINCE","checksum":"sha256:00","edges":null,
	"entities":[{"id":"x","name":"","kind":"k","created_at":""}],
	"chunks":[{"id":"urn:aimem:a:1","content":"","content_hash":"md5","memory_type":"f","zone":"z","is_pinned":0,"created_at":"now","tags":["",1],"embedding":"!"},7,{"id":"urn:aimem:a:1"}],
	"chunk_entities":[{"chunk_id":"urn:aimem:a:9","entity_id":"y"}]}`
	want := strings.Split(strings.TrimSpace(`
bad_format /format AIMEM-2.1-2
invalid_producer /producer AIMEM-2.1-6
invalid_tenant_id /tenant_id AIMEM-2.1-8
missing_field /exported_at AIMEM-2.1-1
since_missing /since AIMEM-2.1-11
invalid_type /edges AIMEM-2.1-16
checksum_mismatch /checksum AIMEM-2.8-7
invalid_urn /entities/0/id AIMEM-2.5-2
empty_entity_name /entities/0/name AIMEM-2.5-3
invalid_entity_kind /entities/0/kind AIMEM-2.5-4
invalid_timestamp /entities/0/created_at AIMEM-2.5-5
empty_content /chunks/0/content AIMEM-2.2-5
bad_hash_format /chunks/0/content_hash AIMEM-2.2-9
invalid_memory_type /chunks/0/memory_type AIMEM-2.2-14
invalid_zone /chunks/0/zone AIMEM-2.2-16
invalid_type /chunks/0/is_pinned AIMEM-2.2-17
invalid_timestamp /chunks/0/created_at AIMEM-2.2-20
invalid_tag /chunks/0/tags/0 AIMEM-2.2-21
invalid_tag /chunks/0/tags/1 AIMEM-2.2-21
bad_embedding /chunks/0/embedding AIMEM-2.7-2
invalid_type /chunks/1 AIMEM-2.2-1
missing_field /chunks/2/content AIMEM-2.2-2
missing_field /chunks/2/memory_type AIMEM-2.2-2
missing_field /chunks/2/created_at AIMEM-2.2-2
duplicate_chunk_id /chunks/2/id AIMEM-2.3-5
ce_chunk_unknown /chunk_entities/0/chunk_id AIMEM-2.6-2
ce_entity_unknown /chunk_entities/0/entity_id AIMEM-2.6-3`), "\n")
	if diff := cmp.Diff(want, violations(t, text)); diff != "" {
		t.Errorf("violations differ (-want +got):\n%s", diff)
	}
}

// TestValidateIsBounded: 10,000 violations are enough.
func TestValidateIsBounded(t *testing.T) {
	text := `{` + bareEnvelope + `,"checksum":"sha256:00","chunks":[` + strings.Repeat("7,", 20_000) + `7]}`
	if n := len(violations(t, text)); n != 10_000 {
		t.Errorf("%d violations", n)
	}
}

// TestFaultsSayNothingOfContent: what is refused is not repeated.
func TestFaultsSayNothingOfContent(t *testing.T) {
	const canary = "cAnArY"
	for _, text := range []string{
		withChunks(t, strings.ReplaceAll(chunkOf(canary, `,"content_hash":"`+canary+`","zone":"`+canary+`","tags":["",3],"embedding":"`+canary+`"`), `"fact"`, `"`+canary+`"`)),
		`{"format":"` + canary, `{"format":"` + canary + `"}`, canary,
	} {
		if err := aimem.Validate(source("x", text), aimem.Options{}, func(f *aimem.Fault) {
			if strings.Contains(f.Error(), canary) {
				t.Error(f)
			}
		}); err != nil {
			t.Error(err)
		}
	}
}
