package recall

import (
	"strconv"
	"strings"
	"sync"
)

// numberWords are the English words of numbers below a hundred.
var numberWords = sync.OnceValue(func() map[string]int {
	words := make(map[string]int)
	for i, w := range strings.Fields(`zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
fifteen sixteen seventeen eighteen nineteen`) {
		words[w] = i
	}
	for i, w := range strings.Fields(`twenty thirty forty fifty sixty seventy eighty ninety`) {
		words[w] = 10 * (i + 2)
	}
	return words
})

// scale returns the factor of a word or letter behind a number.
func scale(word string) float64 {
	switch word {
	case "k", "thousand":
		return 1e3
	case "million", "mio":
		return 1e6
	case "billion", "bn":
		return 1e9
	}
	return 0
}

// numbers adds to tokens the numbers that are spelled in words, and those that words
// multiply: twelve thousand and 12k are 12000, six and a half is 6.5.
func numbers(tokens []token) []token {
	var sum []token // nil as long as it is the same as tokens
	for i := 0; i < len(tokens); {
		value, n := numberAt(tokens[i:])
		if n > 0 && sum == nil {
			sum = append(make([]token, 0, len(tokens)+4), tokens[:i]...)
		}
		if n > 0 {
			t := tokens[i]
			sum = append(sum, t)
			t.term, t.flags = strconv.FormatFloat(value, 'f', -1, 64), t.flags&ends|other|number
			sum = append(append(sum, t), tokens[i+1:i+n]...)
		} else if sum != nil {
			sum = append(sum, tokens[i])
		}
		i += max(n, 1)
	}
	if sum == nil {
		return tokens
	}
	return sum
}

// withoutParts returns tokens with each number of several words as one token: a question for
// fifty thousand does not ask for fifty.
func withoutParts(tokens []token) []token {
	var left []token
	for i := 0; i < len(tokens); {
		_, n := numberAt(tokens[i:])
		if n > 2 && tokens[i+1].is(other) { // the first word, the number and further words
			t := tokens[i+1]
			t.flags &^= other
			left = append(left, t)
			i += n
			continue
		}
		left = append(left, tokens[i])
		i++
	}
	return left
}

// longestNumber is the most words of a number.
const longestNumber = 12

// numberAt returns the number that tokens begin with, and how many of them it takes. It
// returns 0, 0 if there is none, or if its only word is in digits.
func numberAt(tokens []token) (value float64, taken int) {
	if _, small := numberWords()[tokens[0].word]; !small && !tokens[0].is(number) {
		return 0, 0
	}
	var words []string
	var places []int // of words among tokens
	for i, t := range tokens {
		if t.is(whole | other) {
			continue
		}
		if len(words) == longestNumber || len(words) > 0 && t.is(ends) {
			break
		}
		words, places = append(words, t.word), append(places, i)
	}
	value, n := readNumber(words)
	if n == 0 {
		return 0, 0
	}
	return value, places[n-1] + 1
}

// readNumber reads a number in words, or in digits with a word that multiplies them, and
// returns how many words it has; 0, 0 for another.
func readNumber(words []string) (value float64, n int) {
	total, part, spelled, digits := 0.0, 0.0, false, false
read:
	for i, word := range words {
		small, isSmall := numberWords()[word]
		tens := int(part) % 100
		switch {
		case i == 0 && isNumber(word) && len(word) <= 9:
			part, _ = strconv.ParseFloat(word, 64)
			digits = true
		case isSmall && !digits && (tens == 0 || tens >= 20 && tens%10 == 0 && small < 10):
			part, spelled = part+float64(small), true
		case word == "hundred" && part > 0 && part < 100:
			part, spelled, digits = part*100, true, false
		case scale(word) > 0 && part > 0:
			total, part, spelled, digits = total+part*scale(word), 0, true, false
		case word == "and" && n > 0 && !digits, word == "a" && n > 0 && i+1 < len(words) && words[i+1] == "half":
			continue // it counts if a number follows
		case word == "half" && n > 0 && words[i-1] == "a":
			return total + part + .5, i + 1
		default:
			break read
		}
		n = i + 1
	}
	if !spelled || n == 1 && words[0] == "one" {
		return 0, 0
	}
	return total + part, n
}
