package aicf

import "github.com/satchel-memory/satchel/text/redact"

// Redactor replaces what identifies a person, and secrets, by tokens such as
// [EMAIL-REDACTED]. The zero Redactor replaces all that it knows. It is for
// what is taken in: migration and conversion do not redact unless somebody asks
// (AICF-PII-6).
type Redactor struct {
	KeepEmails  bool // mail addresses stay
	KeepPhones  bool // telephone numbers stay
	KeepSSNs    bool // social security numbers of the United States stay
	KeepSecrets bool // keys, tokens, passwords and private keys stay
	// Patterns are replaced besides, after what is built in.
	Patterns []Pattern
	// Fields are names of further fields to look into, such as user_id or app:contact.
	// Free text is looked into anyway.
	Fields []string
	// Sensitive are names of fields whose value is replaced whole.
	Sensitive []string
	// Unknown looks into the lines of sections that the format does not know, too.
	Unknown bool
}

// Pattern is something of one's own to replace.
type Pattern = redact.Pattern

// Counts is how many of each type were replaced: "email", "phone", "ssn", "secret",
// "field", and the names of patterns. What they were, nothing says (AICF-PII-5).
type Counts = redact.Counts

// Text replaces in a text, and returns how many of what. The counts are nil where
// nothing was replaced.
func (r Redactor) Text(text string) (string, Counts) {
	return redact.Redactor{
		KeepEmails: r.KeepEmails, KeepPhones: r.KeepPhones, KeepSSNs: r.KeepSSNs, KeepSecrets: r.KeepSecrets, Patterns: r.Patterns,
	}.Text(text)
}
