package recall

import (
	"context"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Options control a search. The zero value is good.
type Options struct {
	// Now is the time of the question, for "yesterday" and for recency. Zero: nothing is
	// recent, and only dates with a year are understood.
	Now time.Time
	// Postings bounds how many postings are read before candidates are; 0: 32768, eight
	// times as many with Apart. More are read only if too few of the found records are
	// allowed.
	Postings int
	// Depth bounds how many allowed candidates are ranked exactly; 0: 256. Fewer are read
	// if the others cannot reach the answer. Apart adds a quarter as many for each word of
	// the question.
	Depth int
	// Owner is the owner whose records come before equally good shared records of others;
	// empty: nobody.
	Owner memory.DID
	// Nearest are documents whose meaning an embedder finds close to the question's; none:
	// words alone count.
	Nearest []Near
	// View returns the part of a record that the caller may see, and a record without an ID
	// if that is nothing; nil: all of it. The whole answer depends on that part alone:
	// nobody can find a record by a hidden word, or learn a hidden word from scores,
	// signals, reasons or the budget. Hits carry the whole record all the same.
	View func(memory.Record) memory.Record
	// Apart says that the caller sees only a part of the index and must not learn of the
	// rest. The answer is the one that an index of that part alone would give. Hidden
	// records that match cost reading. If the search would read more than Postings, or more
	// than thirty-two times Depth, they influence which records the answer is chosen from,
	// but never what it says of them. Nearest must contain visible records only.
	Apart bool
	// Sound is called for a record that is about to enter the answer, and only then, since
	// it may take long; nil: every record is sound. Other records enter no answer. An error
	// ends the search.
	Sound func(memory.Record) (bool, error)
	// VerifyAhead is called for records that Sound is likely to be called for next, so that it
	// may verify several at once; nil: Sound verifies each.
	VerifyAhead func([]memory.Record)
	// Scratch is memory for the search to use, which holds nothing that another one reads;
	// nil: it has its own.
	Scratch *Scratch
}

// Scratch is memory that one search after the other may use, to spare the garbage collector.
// It holds numbers and scores of documents, and none of their words.
type Scratch struct {
	docs, spare []scoredDoc // of a sum, by descending number
	waiting     []scoredDoc // scores that are not in the sum yet, term by term
	ends        []int       // where those of a term end
	window      window
	added       []scoredDoc // see withNeighbours
	occurs      occurrences
}

// Near is a document close to the question in meaning.
type Near struct {
	Doc        Doc
	Similarity float64 // 0 to 1
}

// Explanation describes how the search reached an answer.
type Explanation struct {
	Terms      []string // the terms searched for: stems, relatives of words, kinds
	Rounds     int      // of reading postings; more than one if few records were allowed
	Postings   int      // postings read
	Candidates int      // candidates fetched
	Allowed    int      // candidates allowed
}

const (
	defaultPostings = 32768
	defaultDepth    = 256
	defaultLimit    = 8
	maxLimit        = 50
)

// Search answers a query from an owner's index, best hits first; ties go to the later
// created, then to the lesser id. Equal arguments give equal answers. Any text is a
// question, and one without words has no answer.
//
// It looks up the question's words from the rarest on, until the remaining common ones
// cannot change much, and within a budget of postings. The time of a search therefore
// hardly grows with the number of memories. It fetches the best candidates by postings,
// stage by stage, and allow decides on each before anything is ranked. allow checks owner,
// visibility, consent, retention, status, validity, hard scope and the query's filter. A
// refused record takes no other's place and lends nothing. Search reads the others word by
// word and scores them.
//
// Other wordings of the question (query.Also) are searched for as well, see [searchAll].
//
// An error is the index's or the context's.
func Search(ctx context.Context, idx Index, query memory.Query, opt Options, allow func(memory.Record) bool) ([]memory.Hit, Explanation, error) {
	if also := otherWordings(query); len(also) > 0 {
		return searchAll(ctx, idx, query, also, opt, allow)
	}
	s := newSearch(idx, query, opt, allow)
	if err := s.find(ctx); err != nil {
		return nil, s.explanation, err
	}
	answer, err := s.answer(ctx)
	return answer, s.explanation, err
}

// find reads the question and its candidates.
func (s *search) find(ctx context.Context) error {
	docs, average, err := s.idx.Size(ctx)
	if err != nil || docs == 0 {
		return err
	}
	s.average, s.docs = max(average, 1), float64(docs)
	if s.opt.Apart {
		s.docs = apartDocs
	}
	s.question = understand(s.query.Text, s.opt.Now, &s.stem)
	s.question.only = s.query.Filter.Kinds
	df, err := s.question.frequencies(ctx, s.idx, !s.opt.Apart)
	if err != nil {
		return err
	}
	if !s.opt.Apart {
		s.question.statements = max(0, 1-float64(s.question.turns)/float64(docs))
	}
	s.question.weigh(df, docs, average*float64(docs))
	if err := s.collect(ctx); err != nil {
		return err
	}
	if s.opt.Apart {
		if err := s.respellApart(ctx, docs); err != nil {
			return err
		}
	}
	for _, t := range s.question.terms {
		s.explanation.Terms = append(s.explanation.Terms, t.term)
	}
	return nil
}

// search is the state of one search.
type search struct {
	idx   Index
	query memory.Query
	opt   Options
	allow func(memory.Record) bool
	whole bool // ranks records by their text, not by their index entries

	stem        stemmer
	question    question
	inOrder     []placedTerm // the question's terms
	termPlaces  []int        // see readEntry
	average     float64      // words in a document
	docs        float64      // number of documents, as far as the caller may know it
	near        map[Doc]float64
	asked       map[Doc]bool // documents requested from the index
	read        map[Doc]*reading
	readings    []*reading
	ranked      []rankedReading // of readings; nil: not known
	matching    int             // number of matching documents
	rejected    int             // number of unsound ones
	explanation Explanation
}

func newSearch(idx Index, query memory.Query, opt Options, allow func(memory.Record) bool) *search {
	if opt.Postings <= 0 {
		opt.Postings = defaultPostings
		if opt.Apart {
			opt.Postings = apartPostings
		}
	}
	if opt.Depth <= 0 {
		opt.Depth = defaultDepth
	}
	if query.Limit <= 0 {
		query.Limit = defaultLimit
	}
	query.Limit = min(query.Limit, maxLimit)
	if opt.Scratch == nil {
		opt.Scratch = new(Scratch)
	}
	s := &search{
		idx: idx, query: query, opt: opt, allow: allow,
		whole: opt.Apart || opt.View != nil || slices.Contains(query.Prefer, preferDepth),
		asked: make(map[Doc]bool), read: make(map[Doc]*reading), near: make(map[Doc]float64),
	}
	for _, n := range opt.Nearest {
		s.near[n.Doc] = min(max(n.Similarity, 0), 1)
	}
	return s
}

// collect reads candidates.
func (s *search) collect(ctx context.Context) error {
	near := make([]Doc, 0, len(s.opt.Nearest))
	for _, n := range s.opt.Nearest {
		near = append(near, n.Doc)
	}
	collect := s.collectApart
	if !s.opt.Apart {
		s.question.shorten()
		collect = s.collectBest
	}
	s.inOrder = s.question.inOrder()
	s.stem.lookFor(s.question)
	return collect(ctx, near)
}

// collectBest reads candidates until enough are allowed, or there are no more. If the
// budget cut a round short and it found too few, another round with more follows.
func (s *search) collectBest(ctx context.Context, near []Doc) error {
	if err := s.fetch(ctx, near); err != nil {
		return err
	}
	for budget, depth := s.opt.Postings, s.opt.Depth; ; budget, depth = 4*budget, 4*depth {
		g, err := gather(ctx, s.idx, s.question, s.average, budget, depth, s.opt.Scratch)
		if err != nil {
			return err
		}
		s.explanation.Rounds++
		s.explanation.Postings += g.read
		more, err := s.wantsMore(ctx, &g)
		for ; more; more, err = s.wantsMore(ctx, &g) {
			if err := s.fetch(ctx, g.next(min(stage, s.opt.Depth))); err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
		if s.matching >= s.query.Limit || !g.truncated {
			return nil
		}
	}
}

// Candidates are read in stages, until the next could not enter the answer. reach is the
// highest score of a record, nearly always, as a multiple of what its postings promise.
const (
	stage = 64
	reach = .7
)

// wantsMore reports whether gathered, unread documents may belong to the answer.
func (s *search) wantsMore(ctx context.Context, g *candidateHeap) (bool, error) {
	for {
		switch {
		case len(g.heap) == 0:
			return false, nil
		case s.matching < s.query.Limit:
			return true, nil
		case len(s.readings) >= s.opt.Depth:
			return false, nil
		}
		last, err := s.last(ctx)
		if err != nil || reach*g.best() >= s.question.total*last {
			return err == nil, err
		}
		// Nothing more is wanted if the first hits, which are read whole only now, are sound.
		rejected := s.rejected
		if _, err := s.choose(ctx, s.rank()); err != nil || s.rejected == rejected {
			return false, err
		}
	}
}

// fetch reads the documents of docs that were not requested before and are allowed.
func (s *search) fetch(ctx context.Context, docs []Doc) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	fresh := docs[:0]
	for _, d := range docs {
		if !s.asked[d] {
			s.asked[d] = true
			fresh = append(fresh, d)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	found, err := s.candidates(ctx, fresh)
	if err != nil {
		return err
	}
	s.explanation.Candidates += len(found)
	entries := found[:0]
	for _, c := range found {
		switch {
		case !s.allow(*c.Record):
		case c.Entry == nil:
			s.readWhole(c)
		default:
			entries = append(entries, c)
		}
	}
	unread := s.readEntries(entries)
	if len(unread) == 0 {
		return nil
	}
	whole, err := s.idx.Candidates(ctx, unread)
	for _, c := range whole {
		if s.allow(*c.Record) {
			s.readWhole(c)
		}
	}
	return err
}

// candidates returns the index entries of documents, or their records if the search needs
// those.
func (s *search) candidates(ctx context.Context, docs []Doc) ([]Candidate, error) {
	if s.whole {
		return s.idx.Candidates(ctx, docs)
	}
	return s.idx.Entries(ctx, docs)
}

// readWhole reads what the caller may see of a record.
func (s *search) readWhole(c Candidate) {
	seen := c.Record
	if s.opt.View != nil {
		part := s.opt.View(*seen)
		seen = &part
	}
	if seen.ID != "" {
		s.add(s.stem.read(c, seen, s.question))
	}
}

// add adds a reading of an allowed record.
func (s *search) add(r *reading) {
	s.explanation.Allowed++
	r.near = s.near[r.Doc]
	if r.found || r.near > 0 {
		s.matching++
	}
	s.read[r.Doc] = r
	s.readings, s.ranked = append(s.readings, r), nil
}
