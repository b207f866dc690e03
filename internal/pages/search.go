package pages

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// searchPage is what the answer to a question shows.
type searchPage struct {
	frame
	Project  string
	Projects []choice
	On       string // the day at which the memories are true, as 2006-01-02
	As       string // the name of who asks; empty: the owner
	Whom     []choice
	Asker    Asker  // of As
	Refused  string // why As gets no answer
	Withheld []row  // what the owner is given and As is not
	Hits     []hit
	Certain  bool // the first hit probably answers the question
	Lacks    []string
	More     string // the same with more results
	Less     bool   // there were as many as asked for
	Command  string
	Remember string
}

// hit is one memory of an answer.
type hit struct {
	row
	Rank    int
	Pieces  []piece
	Reasons []string
	Score   int // in hundredths
	Signals []signal
}

// signal is one of the numbers behind a rank, in words.
type signal struct {
	Word, Say string
	Value     int // in hundredths
}

// How many results a search shows.
const (
	fewHits  = 8 // as many as an assistant is given
	moreHits = 20
	mostHits = 50
)

// search shows what an assistant is given for a question.
func (h *Handler) search(w http.ResponseWriter, r *http.Request, v visitor) {
	asked := r.URL.Query()
	p := searchPage{frame: h.frame(r, v, "Search", "search"), Project: asked.Get("project"), On: asked.Get("at"), As: asked.Get("as")}
	p.Asked = strings.TrimSpace(asked.Get("q"))
	projects, err := h.backend.ProjectNames(r.Context(), v.caller)
	var askers []Asker
	if err == nil {
		askers, err = h.backend.Askers(r.Context(), v.caller, p.Now)
	}
	p.Projects = projectChoices(projects, p.Project)
	p.Whom, p.Asker = askerChoices(askers, p.As)
	if err == nil && p.As != p.Asker.Name {
		err = &memory.Error{Kind: memory.NotFound}
	}
	if err == nil && p.Asked != "" {
		p.Title = cut(oneLine(p.Asked), 60)
		err = h.answer(r, v, &p, asked.Get("limit"))
	}
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	h.show(w, r, http.StatusOK, "search", p)
}

// answer fills in what the chosen asker is given.
func (h *Handler) answer(r *http.Request, v visitor, p *searchPage, limit string) error {
	q, err := p.query(limit)
	if err != nil {
		return err
	}
	own, lacks, err := h.backend.Search(r.Context(), v.caller, q)
	if err != nil {
		return err
	}
	found := own
	if p.As != "" {
		found, lacks, err = h.backend.SearchAs(r.Context(), v.caller, p.As, q)
		switch memory.KindOf(err) {
		case memory.ForbiddenScope, memory.Unauthorized, memory.Unsupported:
			p.Refused, err = capital(sentence(messageOf(err), "It is refused.")), nil
		default:
			p.Withheld = withheld(own, found, p.Now)
		}
	}
	p.fill(found, lacks, q.Limit)
	return err
}

// lastMinute of a day is when a memory has to be true that is asked for on that day.
const lastMinute = 23*time.Hour + 59*time.Minute

// query is the question that the address means.
func (p *searchPage) query(limit string) (memory.Query, error) {
	q := memory.Query{Text: p.Asked, Scope: memory.Scope{Project: p.Project}, Limit: fewHits}
	if p.On != "" {
		day, err := time.ParseInLocation(time.DateOnly, p.On, p.Now.Location())
		if err != nil {
			return q, invalid("the address names a day that is none; write it as 2026-05-03")
		}
		q.Filter.ValidAt = day.Add(lastMinute)
	}
	if limit != "" {
		n, err := strconv.Atoi(limit)
		if err != nil || n < 1 || n > mostHits {
			return q, invalid("a search shows from 1 to 50 memories")
		}
		q.Limit = n
	}
	return q, nil
}

// fill puts an answer in words.
func (p *searchPage) fill(found []memory.Hit, lacks []memory.Warning, limit int) {
	for i, one := range found {
		p.Hits = append(p.Hits, hitOf(one, i+1, p.Now))
	}
	p.Certain = len(found) > 0 && found[0].Score >= memory.Certain
	for _, l := range lacks {
		p.Lacks = append(p.Lacks, sentence(l.Message, ""))
	}
	if len(found) == limit && limit < mostHits {
		next := moreHits
		if limit >= moreHits {
			next = mostHits
		}
		p.More = pathWith(Root+"search", "q", p.Asked, "project", p.Project, "as", p.As, "at", p.On, "limit", strconv.Itoa(next))
	}
	words, at := []string{"recall", "--why"}, ""
	if p.On != "" {
		at = p.On + "T23:59"
	}
	for _, pair := range [][2]string{{"--project", p.Project}, {"--at", at}} {
		if pair[1] != "" {
			words = append(words, pair[0], quoted(pair[1]))
		}
	}
	if limit != fewHits {
		words = append(words, "--limit", strconv.Itoa(limit))
	}
	p.Command = command(append(words, quoted(cut(p.Asked, 200)))...)
	if p.Asker.Token {
		p.Command = "POST /ump/recall with the token, and with its limits"
	}
	p.Remember = command("remember", "'…'")
}

func hitOf(h memory.Hit, rank int, now time.Time) hit {
	one := hit{row: rowOf(h.Record, now), Rank: rank, Reasons: h.Why, Score: hundredths(h.Score)}
	one.Pieces = marked(one.Text, matchedWords(h.Why))
	s := h.Signals
	one.Signals = []signal{
		{"Fit", "how well the words fit the question", hundredths(s.Similarity)},
		{"Recent", "how new it is", hundredths(s.Recency)},
		{"Weight", "how much it matters, and whether it was of use", hundredths(s.Salience)},
		{"Place", "whether it is of the project asked about", hundredths(s.ScopeMatch)},
	}
	return one
}

func hundredths(x float64) int { return min(100, max(0, int(math.Round(x*100)))) }

// matchedWords returns the quoted words of reasons, in lower case.
func matchedWords(reasons []string) (words []string) {
	for _, reason := range reasons {
		if !strings.HasPrefix(reason, "matches ") && !strings.HasPrefix(reason, "close to ") {
			continue
		}
		for rest := reason; ; {
			at := strings.IndexByte(rest, '"')
			if at < 0 {
				break
			}
			quote, err := strconv.QuotedPrefix(rest[at:])
			if err != nil {
				break
			}
			if word, err := strconv.Unquote(quote); err == nil {
				words = append(words, strings.ToLower(word))
			}
			rest = rest[at+len(quote):]
		}
	}
	return words
}

// help explains the words and the keys of the pages.
func (h *Handler) help(w http.ResponseWriter, r *http.Request, v visitor) {
	h.show(w, r, http.StatusOK, "help", h.frame(r, v, "Help", "help"))
}
