package redact

import "fmt"

// Mask masks the secrets in texts that somebody sends to be remembered, and says so in
// a clause without a full stop. It says "" if there are none.
func Mask(texts ...*string) string {
	found := 0
	for _, text := range texts {
		masked, counts := Secrets().Text(*text)
		*text, found = masked, found+counts.Total()
	}
	return Masked(found)
}

// Masked says how many secrets of a text were masked, "" of none.
func Masked(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "1 secret in the text was masked with " + Token("secret")
	}
	return fmt.Sprintf("%d secrets in the text were masked with %s", n, Token("secret"))
}
