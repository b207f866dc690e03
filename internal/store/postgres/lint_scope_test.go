package postgres

import (
	"regexp"
	"slices"
	"strings"
)

// scope is a statement or a subquery, without the subqueries in it.
type scope struct {
	text   string
	into   string          // the table it inserts into
	from   []string        // what it reads or changes, as it is written
	tables []ref           // of these, the tables of owners
	named  map[string]bool // the aliases whose owner is $1, empty: that of the only table
	moves  bool            // it gives rows another owner
	many   bool            // it inserts more rows than one by VALUES
}

// ref is a table and the name by which a scope knows it.
type ref struct{ name, alias string }

// scopes takes a statement apart.
func scopes(text string) []scope {
	var all []scope
	for {
		start, end := innermost(text)
		if start < 0 {
			return append(all, newScopes(text)...)
		}
		all = append(all, newScopes(text[start+1:end])...)
		text = text[:start] + "§" + text[end+1:]
	}
}

// innermost finds a subquery that holds no other.
func innermost(text string) (start, end int) {
	heads := regexp.MustCompile(`(?i)\((SELECT|INSERT|UPDATE|DELETE|WITH)\b`).FindAllStringIndex(text, -1)
	if len(heads) == 0 {
		return -1, -1
	}
	start = heads[len(heads)-1][0]
	depth := 0
	for i := start; i < len(text); i++ {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return start, i
			}
		}
	}
	return -1, -1
}

var tokens = regexp.MustCompile(`''|\$\d+|[\w§.]+|::|[<>!]=|<>|\S`)

// newScopes looks at each part of a union.
func newScopes(text string) (all []scope) {
	if !regexp.MustCompile(`(?i)^(SELECT|INSERT|UPDATE|DELETE|WITH)\b`).MatchString(text) {
		return nil
	}
	words, depth, start := tokens.FindAllString(text, -1), 0, 0
	for i, word := range words {
		depth += deeper(word)
		if depth == 0 && is(word, "UNION", "INTERSECT", "EXCEPT") {
			all = append(all, newScope(words[start:i]))
			start = i
		}
	}
	return append(all, newScope(words[start:]))
}

func is(word string, any ...string) bool { return slices.Contains(any, strings.ToUpper(word)) }

// deeper says how much deeper it is after a word.
func deeper(word string) int {
	switch {
	case word == "(", is(word, "CASE"):
		return 1
	case word == ")", is(word, "END"):
		return -1
	}
	return 0
}

// at returns a word, empty: there is none.
func at(words []string, i int) string {
	if i < 0 || i >= len(words) {
		return ""
	}
	return words[i]
}

func newScope(words []string) scope {
	q := scope{text: strings.Join(words, " "), named: make(map[string]bool)}
	depth, clause, outer, conflict := 0, "", "", false
	for i, word := range words {
		depth += deeper(word)
		before := at(words, i-1)
		switch {
		case is(word, "FROM", "JOIN", "USING", "UPDATE") && !is(before, "DISTINCT"), word == "," && depth == 0 && is(clause, "FROM", "USING", "JOIN", "CROSS", "ON"):
			q.add(words[i+1:])
		case is(word, "INTO"):
			q.into = ownedName(at(words, i+1))
		}
		if is(word, "JOIN") {
			outer = strings.ToUpper(before)
			if outer == "OUTER" {
				outer = strings.ToUpper(at(words, i-2))
			}
		}
		if depth == 0 && is(word, clauses...) {
			clause = strings.ToUpper(word)
			conflict = conflict || clause == "CONFLICT"
			if is(clause, "WHERE", "ON") && !conflict && !is(at(words, i+1), "CONFLICT") {
				q.name(conjuncts(clauseOf(words[i+1:])), clause == "ON", outer)
			}
		}
		q.moves = q.moves || is(word, "OWNER") && clause == "SET" &&
			(is(before, "SET", ",") && depth == 0 || before == "(" && is(at(words, i-2), "SET"))
		q.many = q.many || clause == "VALUES" && word == "," && depth == 0
	}
	return q
}

// clauses are the words with which a clause begins.
var clauses = []string{"SELECT", "FROM", "USING", "WHERE", "ON", "SET", "VALUES", "CONFLICT", "RETURNING", "GROUP", "ORDER", "HAVING", "LIMIT",
	"OFFSET", "WINDOW", "FOR", "JOIN", "LEFT", "RIGHT", "FULL", "INNER", "CROSS", "NATURAL", "DO"}

// clauseOf returns the words up to the next clause.
func clauseOf(words []string) []string {
	depth := 0
	for i, word := range words {
		if depth += deeper(word); depth < 0 || depth == 0 && (word == "," || is(word, clauses...)) {
			return words[:i]
		}
	}
	return words
}

// conjuncts returns the conditions that hold all at once.
func conjuncts(words []string) (all []string) {
	depth, start := 0, 0
	for i, word := range words {
		depth += deeper(word)
		switch {
		case depth == 0 && is(word, "OR"):
			return nil
		case depth == 0 && is(word, "AND"):
			all = append(all, strings.Join(words[start:i], " "))
			start = i + 1
		}
	}
	return append(all, strings.Join(words[start:], " "))
}

// name notes whose owner conditions name. Those of an outer join say nothing of rows
// that find no partner.
func (q *scope) name(conditions []string, joined bool, outer string) {
	for _, c := range conditions {
		m := regexp.MustCompile(`^(?:(\w+)\.)?owner = \$1(?: :: uuid)?(?: §)?$`).FindStringSubmatch(c)
		if m == nil || joined && is(outer, "RIGHT", "FULL") {
			continue
		}
		if joined && is(outer, "LEFT") && (len(q.tables) == 0 || q.tables[len(q.tables)-1].alias != m[1]) {
			continue
		}
		q.named[m[1]] = true
	}
}

// add notes the table of owners that words begin with, if they do.
func (q *scope) add(words []string) {
	for is(at(words, 0), "ONLY", "LATERAL", "(") {
		words = words[1:]
	}
	q.from = append(q.from, at(words, 0))
	name := ownedName(at(words, 0))
	if name == "" {
		return
	}
	alias := at(words, 1)
	if is(alias, "AS") {
		alias = at(words, 2)
	}
	if !regexp.MustCompile(`^\w+$`).MatchString(alias) || slices.Contains(keywords, strings.ToUpper(alias)) {
		alias = name
	}
	q.tables = append(q.tables, ref{name, alias})
}

// keywords may follow the name of a table.
var keywords = append([]string{"UNION", "TABLESAMPLE", "DEFAULT", "OVERRIDING", "FETCH"}, clauses...)

// ownedName returns the name of a table of owners, in whatever schema, and nothing of
// another.
func ownedName(name string) string {
	name = name[strings.LastIndex(name, ".")+1:]
	for _, t := range owned {
		if strings.EqualFold(t.name, name) {
			return t.name
		}
	}
	return ""
}
