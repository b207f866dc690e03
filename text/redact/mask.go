package redact

import "fmt"

// Mask masks the secrets in texts that a caller wants to store. It returns a clause about
// that without a full stop, or "" if there are none.
func Mask(texts ...*string) string {
	found := 0
	for _, text := range texts {
		masked, counts := Secrets().Text(*text)
		*text, found = masked, found+counts.Total()
	}
	return Masked(found)
}

// Masked returns a clause that says how many secrets of a text were masked, or "" for none.
func Masked(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "1 secret in the text was masked with " + Token("secret")
	}
	return fmt.Sprintf("%d secrets in the text were masked with %s", n, Token("secret"))
}
