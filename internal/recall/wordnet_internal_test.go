package recall

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A synset is a meaning, and the words that have it.
type synset struct {
	words    []string
	pointers []pointer
}

// pointer leads from a synset to another: from one word of it to one of the other if those
// are not 0.
type pointer struct {
	kind      string
	to        string
	from, dst int
}

// sense is a synset of a word, and the part of the word's uses that have it.
type sense struct {
	*synset
	part float64
}

// wordnet is the database of WordNet, see wndb(5WN).
type wordnet struct {
	synsets map[string]*synset // by part of speech and offset
	words   map[string][]sense
	parts   map[string]map[*synset]float64
	used    map[string]float64 // how often a word is used in definitions, examples and tagged texts
	narrow  map[*synset]int    // the number of narrower meanings
}

// How a meaning's part is counted: in how many places of tagged texts a word has it. A
// meaning that was not seen there counts as if it had been, the less the further down it is.
const unseen = .5

// readWordnet reads the files of a folder.
func readWordnet(folder string) (w wordnet, err error) {
	w = wordnet{synsets: make(map[string]*synset), words: make(map[string][]sense), parts: make(map[string]map[*synset]float64),
		used: make(map[string]float64), narrow: make(map[*synset]int)}
	tagged := make(map[string]float64) // by word, part of speech and number of the sense
	err = eachLine(filepath.Join(folder, "cntlist.rev"), func(f []string, _ string) {
		lemma, rest, _ := strings.Cut(f[0], "%")
		speech := strings.Replace(rest[:1], "5", "3", 1) // an adjective of a cluster
		times, _ := strconv.ParseFloat(f[2], 64)
		tagged[lemma+" "+speech+" "+f[1]] += times
	})
	speeches := []struct{ file, mark, digit string }{{"noun", "n", "1"}, {"verb", "v", "2"}, {"adj", "a", "3"}, {"adv", "r", "4"}}
	for _, s := range speeches {
		if err == nil {
			err = eachLine(filepath.Join(folder, "data."+s.file), func(f []string, gloss string) {
				w.synsets[s.mark+f[0]] = readSynset(f)
				for _, word := range strings.FieldsFunc(strings.ToLower(gloss), func(r rune) bool { return r < 'a' || r > 'z' }) {
					w.used[word]++
				}
			})
		}
	}
	for _, s := range speeches {
		if err == nil {
			err = eachLine(filepath.Join(folder, "index."+s.file), func(f []string, _ string) {
				n, _ := strconv.Atoi(f[2])
				for i, offset := range f[len(f)-n:] {
					times := tagged[fmt.Sprintf("%s %s %d", f[0], s.digit, i+1)]
					w.used[f[0]] += 2 * times
					w.words[f[0]] = append(w.words[f[0]], sense{w.synsets[s.mark+offset], times + unseen/float64(i+1)})
				}
			})
		}
	}
	for word, all := range w.words {
		sum := 0.0
		for _, m := range all {
			sum += m.part
		}
		w.parts[word] = make(map[*synset]float64)
		for i := range all {
			all[i].part /= sum
			w.parts[word][all[i].synset] = all[i].part
		}
	}
	return w, err
}

// eachLine calls do with the fields of each line of a file, and what follows a bar.
func eachLine(path string, do func(fields []string, gloss string)) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if line := lines.Text(); !strings.HasPrefix(line, " ") { // the licence
			entry, gloss, _ := strings.Cut(line, "|")
			do(strings.Fields(entry), gloss)
		}
	}
	return lines.Err()
}

// readSynset reads the fields of a line of data. A name keeps its capital letters.
func readSynset(f []string) *synset {
	s := new(synset)
	words, _ := strconv.ParseInt(f[3], 16, 32)
	f = f[4:]
	for range words {
		word, _, _ := strings.Cut(f[0], "(")
		s.words = append(s.words, word)
		f = f[2:]
	}
	pointers, _ := strconv.Atoi(f[0])
	f = f[1:]
	for range pointers {
		from, _ := strconv.ParseInt(f[3][:2], 16, 32)
		to, _ := strconv.ParseInt(f[3][2:], 16, 32)
		s.pointers = append(s.pointers, pointer{f[0], f[2] + f[1], int(from), int(to)})
		f = f[4:]
	}
	return s
}

// How much of a meaning's part each step to another leaves, and how many steps there may be
// to narrower and wider ones.
const (
	narrower    = .6
	wider       = .4
	similar     = .5
	derived     = .8 // another part of speech of the word itself
	derivedToo  = .5 // of a synonym
	steps       = 2
	mostNarrow  = 500 // a meaning with more narrower ones says little
	leastNear   = .1
	leastUsed   = 2 // of a neighbour
	mostPerWord = 10
)

// neighbours returns how near other words are to a word: the part of its uses in which both
// mean nearly the same, times the root of the part of the other's.
func (w wordnet) neighbours(word string) map[string]float64 {
	near := make(map[string]float64)
	for _, m := range w.words[word] {
		w.walk(word, m.synset, "", m.part, 0, 0, near)
	}
	return near
}

// walk notes the words of a synset, or the one word of it, and those of further ones in the
// same direction.
func (w wordnet) walk(word string, s *synset, direction string, left float64, only, walked int, near map[string]float64) {
	for i, other := range s.words {
		if other != word && (only == 0 || only == i+1) {
			near[other] = max(near[other], left*math.Sqrt(w.parts[other][s]))
		}
	}
	for _, p := range s.pointers {
		to := w.synset(p.to)
		further := walked < steps && (direction == "" || direction == p.kind)
		switch {
		case p.kind == "~" && further:
			w.walk(word, to, "~", left*narrower, 0, walked+1, near)
		case p.kind == "@" && further && w.narrower(to) <= mostNarrow:
			w.walk(word, to, "@", left*wider, 0, walked+1, near)
		case direction != "":
		case p.kind == "+" || p.kind == `\`:
			part := derived
			if s.words[p.from-1] != word {
				part = derivedToo
			}
			w.walk(word, to, "+", left*part, p.dst, steps, near)
		case strings.Contains("& ^ = * > $", p.kind):
			w.walk(word, to, "&", left*similar, 0, steps, near)
		}
	}
}

// synset returns the synset at a place, of whatever kind of adjective.
func (w wordnet) synset(place string) *synset {
	if s := w.synsets[place]; s != nil {
		return s
	}
	return w.synsets["a"+place[1:]]
}

// narrower returns the number of meanings narrower than s, and s itself.
func (w wordnet) narrower(s *synset) int {
	if w.narrow[s] == 0 {
		w.narrow[s] = 1
		for _, p := range s.pointers {
			if p.kind == "~" || p.kind == "~i" {
				w.narrow[s] += w.narrower(w.synset(p.to))
			}
		}
	}
	return w.narrow[s]
}
