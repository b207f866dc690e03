package aaifhttp

import (
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/memory"
)

// jsonType is the media type of JSON documents. cborName is that of CBOR without the
// profile in [aaif.CBORMediaType].
const (
	jsonType = "application/json"
	cborName = "application/cbor"
)

// documents returns the media types of documents.
func documents() []string { return []string{jsonType, aaif.CBORMediaType} }

// profile returns the profile of CBOR documents.
func profile() string {
	_, parameters, err := mime.ParseMediaType(aaif.CBORMediaType)
	if err != nil { // impossible for a constant
		return ""
	}
	return parameters["profile"]
}

// mediaOf returns the media type of a body, one of taken. It refuses a body without a
// media type, which pages of other sites could send.
func mediaOf(r *http.Request, taken ...string) (string, error) {
	said := r.Header.Values("Content-Type")
	coding := r.Header.Get("Content-Encoding")
	wrong := wrongMedia("send the body as Content-Type: " + strings.Join(taken, ", or ") + ", in UTF-8 and without Content-Encoding")
	if len(said) != 1 || coding != "" && !strings.EqualFold(coding, "identity") {
		return "", wrong
	}
	media, parameters, err := mime.ParseMediaType(said[0])
	if err != nil {
		return "", wrong
	}
	if charset, ok := parameters["charset"]; ok && !strings.EqualFold(charset, "utf-8") {
		return "", wrong
	}
	if p, ok := parameters["profile"]; ok && media == cborName && p != profile() {
		return "", wrongMedia("the profile of the CBOR is not that of AAIF, " + profile())
	}
	for _, t := range taken {
		if name, _, _ := strings.Cut(t, ";"); name == media {
			return media, nil
		}
	}
	return "", wrong
}

// documentOf reads a body as JSON or CBOR, by its media type.
func (h *Handler) documentOf(w http.ResponseWriter, r *http.Request, most int64) ([]byte, error) {
	media, err := mediaOf(r, documents()...)
	if err != nil {
		return nil, err
	}
	raw, err := h.body(w, r, most)
	if err != nil {
		return nil, err
	}
	if aaif.IsCBOR(raw) != (media == cborName) && len(raw) > 0 {
		return nil, wrongMedia("the body is not " + media + ", which its Content-Type says it is")
	}
	return raw, nil
}

// wantsCBOR reports which encoding a client prefers (AAIF-9-4). The default is JSON.
func wantsCBOR(r *http.Request) (cbor bool, err error) {
	said := strings.Join(r.Header.Values("Accept"), ",")
	if strings.TrimSpace(said) == "" {
		return false, nil
	}
	json, binary := weight{}, weight{}
	for part := range strings.SplitSeq(said, ",") {
		media, parameters, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		q, err := strconv.ParseFloat(parameters["q"], 64)
		if err != nil || q < 0 || q > 1 {
			q = 1
		}
		named, ours := parameters["profile"]
		switch {
		case media == "*/*":
			json.set(1, q)
			binary.set(1, q)
		case media == "application/*":
			json.set(2, q)
			binary.set(2, q)
		case media == jsonType:
			json.set(3, q)
		case media == cborName && (!ours || named == profile()):
			binary.set(3, q)
		}
	}
	if json.q == 0 && binary.q == 0 {
		return false, &answer{status: http.StatusNotAcceptable, code: notAcceptable, detail: "documents are given as " + strings.Join(documents(), ", or ")}
	}
	return binary.q > json.q, nil
}

// weight is a client's preference for an encoding. The most specific entry decides.
type weight struct {
	exact int
	q     float64
}

func (w *weight) set(exact int, q float64) {
	if exact >= w.exact {
		w.exact, w.q = exact, q
	}
}

// sendDocument answers with a document in the preferred encoding, or with 304 if the
// client has it. tag identifies its content.
func sendDocument(w http.ResponseWriter, r *http.Request, v canon.Value, tag string) error {
	cbor, err := wantsCBOR(r)
	if err != nil {
		return err
	}
	media, body := jsonType, []byte(nil)
	if cbor {
		media, tag = aaif.CBORMediaType, tag+"-cbor"
		if body, err = aaif.ToCBOR(v); err != nil {
			return &memory.Error{Kind: memory.Internal, Op: "export", Err: err}
		}
	} else {
		body = v.Append(nil)
	}
	w.Header().Set("Vary", "Accept")
	w.Header().Set("Cache-Control", "private, no-cache")
	httpkit.SendTagged(w, r, media, body, tag)
	return nil
}
