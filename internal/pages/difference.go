package pages

import "strings"

// mostDiffer is how many words of each text are compared; longer texts are shown unmarked.
const mostDiffer = 400

// difference marks the words of a text that an earlier one has not, in the order of the
// longest common part. Without an earlier text nothing is marked.
func difference(before, text string) []piece {
	old, words := strings.Fields(before), fieldsKept(text)
	if len(old) == 0 || len(old) > mostDiffer || len(words) > mostDiffer {
		return []piece{{Text: text}}
	}
	kept := commonOf(old, words)
	var all []piece
	for i, w := range words {
		if n := len(all); n > 0 && all[n-1].Marked == !kept[i] {
			all[n-1].Text += w
		} else {
			all = append(all, piece{w, !kept[i]})
		}
	}
	return all
}

// fieldsKept splits a text into words, each with the blanks behind it.
func fieldsKept(text string) (all []string) {
	for text != "" {
		end := strings.IndexAny(text, " \t\n")
		if end < 0 {
			return append(all, text)
		}
		for end < len(text) && strings.ContainsRune(" \t\n", rune(text[end])) {
			end++
		}
		all, text = append(all, text[:end]), text[end:]
	}
	return all
}

// commonOf reports for each word whether it belongs to the longest common part of both
// lists.
func commonOf(old, words []string) []bool {
	same := func(i, j int) bool { return old[i] == strings.TrimSpace(words[j]) }
	length := longestCommon(len(old), len(words), same)
	kept := make([]bool, len(words))
	for i, j := 0, 0; i < len(old) && j < len(words); {
		switch {
		case same(i, j) && length[i][j] == length[i+1][j+1]+1:
			kept[j] = true
			i, j = i+1, j+1
		case length[i+1][j] >= length[i][j+1]:
			i++
		default:
			j++
		}
	}
	return kept
}

// longestCommon returns how long the longest common part of two lists is from each pair of
// places on.
func longestCommon(n, m int, same func(i, j int) bool) [][]int {
	length := make([][]int, n+1)
	for i := range length {
		length[i] = make([]int, m+1)
	}
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			length[i][j] = max(length[i+1][j], length[i][j+1])
			if same(i, j) {
				length[i][j] = max(length[i][j], length[i+1][j+1]+1)
			}
		}
	}
	return length
}
