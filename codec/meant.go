package codec

// mostCompared is how many words are compared with one.
const mostCompared = 200

// Meant returns the known word that is spelled most like another word, and "" where none
// is near. It compares the first 200 known words.
func Meant(word string, known []string) string {
	best, least := "", min(3, (len(word)+1)/2)
	for _, other := range known[:min(len(known), mostCompared)] {
		if n := slips(word, other); 0 < n && n < least {
			best, least = other, n
		}
	}
	return best
}

// longestMeant bounds the words that are compared, in bytes.
const longestMeant = 64

// slips counts the letters that were added, left out or mistaken, two that changed places
// being one.
func slips(a, b string) int {
	if len(a) > longestMeant || len(b) > longestMeant {
		return longestMeant
	}
	var before []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			mistaken := row[j]
			if a[i] != b[j] {
				mistaken++
			}
			next[j+1] = min(mistaken, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
