package oauth

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
)

// sealer signs texts that strangers keep for the server: a registration and a request for
// consent. So nobody can fill the server with them, and every server with the secret knows
// them. They can be read, and hold nothing secret.
type sealer struct{ secret []byte }

func newSealer(secret []byte) sealer { return sealer{secret} }

// maxSealed is the most bytes of a text that is sealed; browsers keep no longer cookies.
const maxSealed = 4000

func (s sealer) sum(purpose, text string) []byte {
	key, err := hkdf.Key(sha256.New, s.secret, nil, "satchel oauth "+purpose, sha256.Size)
	if err != nil {
		panic(err) // the length is fixed, and allowed
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text)) //nolint:errcheck // a hash takes everything
	return mac.Sum(nil)
}

// seal returns a value as a text that open knows again for the same purpose.
func (s sealer) seal(purpose string, value any) (string, error) {
	raw, err := json.Marshal(value)
	if err != nil {
		return "", err
	}
	text := base64.RawURLEncoding.EncodeToString(raw)
	return text + "." + base64.RawURLEncoding.EncodeToString(s.sum(purpose, text)), nil
}

// open is the inverse of seal. It reports whether seal made the text for the purpose.
func (s sealer) open(purpose, sealed string, value any) bool {
	text, signature, ok := strings.Cut(sealed, ".")
	if !ok || len(sealed) > maxSealed {
		return false
	}
	given, err := base64.RawURLEncoding.Strict().DecodeString(signature)
	if err != nil || !hmac.Equal(given, s.sum(purpose, text)) {
		return false
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	return err == nil && json.Unmarshal(raw, value) == nil
}
