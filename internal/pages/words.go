package pages

import (
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// kindWords are the kinds in an owner's words.
var kindWords = map[memory.Kind]string{
	memory.Semantic: "Fact", memory.Episodic: "Event", memory.Procedural: "Rule", memory.Working: "Task", memory.Identity: "About you",
}

// kindWord returns a kind in an owner's word.
func kindWord(k memory.Kind) string {
	if word := kindWords[k]; word != "" {
		return word
	}
	return string(k)
}

// counted returns a number with the fitting noun, and groups of digits told apart.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(n) + " " + many
}

// grouped writes a number with a comma between groups of three digits.
func grouped(n int) string {
	digits := strconv.Itoa(n)
	for at := len(digits) - 3; at > 0 && digits[at-1] != '-'; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// moment is an instant in words: how long ago it is, and exactly.
type moment struct {
	Ago, Exact, ISO string
}

// momentOf puts an instant in words, in the time zone of now. The zero time has none.
func momentOf(at, now time.Time) moment {
	if at.IsZero() {
		return moment{}
	}
	here := at.In(now.Location())
	return moment{Ago: agoOf(here, now), Exact: here.Format("Monday 2 January 2006, 15:04 MST"), ISO: at.UTC().Format(time.RFC3339)}
}

// agoOf says how long ago something was, or the day if that is long ago or still to come.
func agoOf(at, now time.Time) string {
	passed := now.Sub(at)
	switch {
	case passed < -time.Minute:
		return at.Format("2 January 2006")
	case passed < time.Minute:
		return "just now"
	case passed < time.Hour:
		return counted(int(passed/time.Minute), "minute", "minutes") + " ago"
	case passed < 24*time.Hour:
		return counted(int(passed/time.Hour), "hour", "hours") + " ago"
	case passed < 14*24*time.Hour:
		return counted(int(passed/(24*time.Hour)), "day", "days") + " ago"
	}
	return at.Format("2 January 2006")
}

// ownerWord stands for the owner.
const ownerWord = "you"

// fromWhom says who stored a memory: the owner, an assistant, or an import.
func fromWhom(rec memory.Record) string {
	p := rec.Provenance
	if p == nil {
		return ""
	}
	name := ""
	if p.Source != nil {
		name = p.Source.Provider
	}
	switch {
	case p.ActorKind == memory.ByUser:
		return ownerWord
	case p.ActorKind == memory.ByImport && name == "":
		name = p.Method
	case name == "" && !strings.HasPrefix(p.Actor, "did:"):
		name = p.Actor
	}
	if name == "" {
		return "an assistant"
	}
	return cut(name, 40)
}

// bySentence says in a sentence how a memory came to be here.
func bySentence(rec memory.Record) string {
	p := rec.Provenance
	if p == nil {
		return "It does not say where it comes from."
	}
	who := fromWhom(rec)
	switch p.ActorKind {
	case memory.ByUser:
		return "You said so yourself."
	case memory.ByImport:
		return "It was imported from " + who + "."
	case memory.ByScan, memory.ByModel:
		return "It was found in a conversation by " + who + "."
	}
	return capital(who) + " remembered it for you."
}

// capital returns a text with a capital letter first, if it begins with a letter of ASCII.
func capital(text string) string {
	if text == "" || text[0] < 'a' || text[0] > 'z' {
		return text
	}
	return string(text[0]-'a'+'A') + text[1:]
}

// whoSees says who can see a memory.
func whoSees(rec memory.Record) string {
	switch rec.Scope.Visibility {
	case memory.Public:
		return "Anybody who asks a server of yours that was started with --public, the holders of tokens for public memories, you and your assistants."
	case memory.Shared:
		return "You, your assistants, and everybody who holds a token of yours for shared memories."
	}
	where := ""
	if rec.Scope.Project != "" {
		where = " Assistants find it first in sessions on " + cut(rec.Scope.Project, 80) + "."
	}
	return "Only you and the assistants on your machine." + where
}

// mark is a short word beside a memory.
type mark struct{ Word, Class string }

// marksOf says in short what is special about a memory.
func marksOf(rec memory.Record, now time.Time) (all []mark) {
	say := func(applies bool, word, class string) {
		if applies {
			all = append(all, mark{word, class})
		}
	}
	status := rec.Lifecycle.Status.Or()
	say(status == memory.Candidate, "waiting for you", "wait")
	say(status == memory.Tombstoned, "forgotten", "gone")
	say(status == memory.Active && len(rec.SupersededBy) > 0, "replaced", "gone")
	say(status == memory.Active && len(rec.SupersededBy) == 0 && !rec.Time.ValidTo.IsZero() && !now.Before(rec.Time.ValidTo), "no longer true", "gone")
	say(status == memory.Active && now.Before(rec.Time.From()), "not true yet", "wait")
	say(rec.Scope.Visibility == memory.Shared, "shared", "open")
	say(rec.Scope.Visibility == memory.Public, "public", "open")
	say(unseen(rec.Body.Text) > 0, "unseen characters", "bad")
	say(rec.Consent != nil && rec.Consent.Retention != "", "kept for a time", "plain")
	return all
}
