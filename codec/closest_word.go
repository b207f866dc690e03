package codec

// mostCompared is the number of words that ClosestWord compares.
const mostCompared = 200

// ClosestWord returns the known word with the spelling most like word, and "" if none is
// near. It compares the first 200 known words.
func ClosestWord(word string, known []string) string {
	best, least := "", min(3, (len(word)+1)/2)
	for _, other := range known[:min(len(known), mostCompared)] {
		if n := Distance(word, other); 0 < n && n < least {
			best, least = other, n
		}
	}
	return best
}

// longestCompared bounds the compared words, in bytes.
const longestCompared = 64

// Distance returns how many letters must be added, removed, changed or swapped with their
// neighbour to turn a into b. It does not compare words of more than 64 bytes: their
// distance is 64.
func Distance(a, b string) int {
	if len(a) > longestCompared || len(b) > longestCompared {
		return longestCompared
	}
	x, y := []rune(a), []rune(b)
	var before []int
	last := make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row := make([]int, len(y)+1)
		row[0] = i
		for j := 1; j <= len(y); j++ {
			changed := 1
			if x[i-1] == y[j-1] {
				changed = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+changed)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(y)]
}
