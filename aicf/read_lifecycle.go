package aicf

import "strings"

// migratedFrom is the key for a file's original version (AICF-COMPAT-8).
const migratedFrom = "migrated_from"

// declaration reads the version in all its known spellings (AICF-VER-2).
func (r *parser) declaration(b block) Entry {
	d := &Declaration{Origin: b.Origin}
	var other string
	rest := r.fields(b.lines, []member{
		word("version", "AICF-VER-2", &d.Version), word("format_version", "AICF-VER-2", &other),
	}, func(key string) bool { return key == migratedFrom })
	if d.Version == "" && other != "" {
		d.Version = other
	} else if other != "" {
		rest = append(rest, Field{"format_version", Escape(other)})
	}
	if _, ok := ParseVersion(b.id); ok && d.Version == "" {
		d.Version, d.Bare = b.id, true
	}
	for _, field := range rest {
		if _, ok := ParseVersion(field.Raw); ok && field.Key == "" && d.Version == "" {
			d.Version, d.Bare = field.Raw, true
			continue
		}
		d.Extra = append(d.Extra, field)
	}
	return d
}

func (r *parser) session(b block) Entry {
	s := &Session{Origin: b.Origin, ID: b.id}
	s.Extra = r.fields(b.lines, []member{
		word("app_name", "AICF-SESSION-2", &s.AppName),
		word("user_id", "AICF-SESSION-3", &s.UserID),
		stamp("created_at", &s.CreatedAt),
		stamp("last_update_time", &s.LastUpdateTime),
		word("status", "AICF-SESSION-6", &s.Status),
		count("event_count", "AICF-SESSION-7", &s.EventCount),
		count("total_tokens", "AICF-SESSION-8", &s.TotalTokens),
		count("session_duration_seconds", "AICF-SESSION-9", &s.DurationSeconds),
	}, nil)
	return s
}

func (r *parser) conversation(b block) Entry {
	c := &Conversation{Origin: b.Origin, ID: b.id}
	c.Extra = r.fields(b.lines, []member{
		stamp("timestamp_start", &c.TimestampStart),
		stamp("timestamp_end", &c.TimestampEnd),
		count("messages", "AICF-CONV-4", &c.Messages),
		count("tokens", "AICF-CONV-5", &c.Tokens),
		text("topic", "AICF-CONV-6", &c.Topic),
		participants(&c.Participants),
		text("platform", "AICF-CONV-8", &c.Platform),
	}, nil)
	return c
}

// participants reads items between commas, or between pipes if there are any; then empty
// items say nothing.
func participants(to *[]string) member {
	return member{"participants", "AICF-CONV-7", func(r *parser, place int, raw string) string {
		*to = []string{}
		parts := splitRaw(raw)
		if len(parts) < 2 {
			if raw != "" {
				said, _ := Unescape(raw)
				*to = strings.Split(said, ",")
			}
			return ""
		}
		r.find(place, Warning, codePipe, "AICF-CONV-7", "participants stand between pipes; expected commas")
		for _, part := range parts {
			if part != "" {
				said, _ := Unescape(part)
				*to = append(*to, said)
			}
		}
		return ""
	}}
}

func (r *parser) state(b block) Entry {
	s := &State{Origin: b.Origin, Scope: ScopeSession}
	if b.id != "" {
		s.Scope = Word(b.id)
	}
	var status *string
	rest := r.fields(b.lines, []member{
		text("status", "AICF-STATE-2", &status),
		text("actions", "AICF-STATE-3", &s.Actions),
		list("flow", "AICF-STATE-4", &s.Flow),
	}, anyKey)
	if status != nil {
		s.Status = new(Word)
		*s.Status = Word(*status)
	}
	for _, field := range rest {
		switch field.Key {
		case "", "status", "actions", "flow":
			s.Extra = append(s.Extra, field)
		default:
			s.Pairs = append(s.Pairs, pairOf(field))
		}
	}
	return s
}

// ParsePair reads a line of a state as a pair; false: it is no pair.
func ParsePair(line string) (Pair, bool) {
	f, ok := splitField(line)
	return pairOf(f), ok
}

// pairOf decodes a pair, and keeps the spelling if the format would write another
// (AICF-TYPE-6, A-04).
func pairOf(f Field) Pair {
	said, _ := Unescape(f.Raw)
	p := Pair{Key: f.Key, Value: said}
	if Escape(said) != f.Raw {
		p.Raw = f.Raw
	}
	return p
}

// Spelled returns the value of a pair as a file spells it.
func (p Pair) Spelled() string {
	if said, _ := Unescape(p.Raw); p.Raw != "" && said == p.Value {
		return p.Raw
	}
	return Escape(p.Value)
}
