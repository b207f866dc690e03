package aimemhttp

import (
	"mime"
	"net/http"
	"strings"

	"github.com/satchel-memory/satchel/aimem"
)

// mediaOf reads the Content-Type of a body (decision AD-22): a bundle, JSON, which it
// accepts as a bundle, or a stream. A missing one means JSON.
func mediaOf(r *http.Request) (stream bool, err error) {
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return false, wrongMedia("send the body without Content-Encoding")
	}
	said := r.Header.Values("Content-Type")
	if len(said) == 0 || len(said) == 1 && said[0] == "" {
		return false, nil
	}
	if len(said) > 1 {
		return false, wrongMedia("send one Content-Type")
	}
	media, parameters, err := mime.ParseMediaType(said[0])
	if err != nil {
		return false, wrongMedia("the Content-Type cannot be read; send " + aimem.MediaType)
	}
	switch media {
	case aimem.MediaType, "application/json":
	case aimem.StreamMediaType:
		stream = true
	default:
		return false, wrongMedia("send the body as " + aimem.MediaType + ", application/json or " + aimem.StreamMediaType)
	}
	if charset, ok := parameters["charset"]; ok && !strings.EqualFold(charset, "utf-8") {
		return false, wrongMedia("a bundle is of UTF-8")
	}
	if version, ok := parameters["version"]; ok && version != aimem.Version {
		return false, &aimem.Fault{Code: aimem.UnsupportedVersion, Rule: "AIMEM-6.1-1", Detail: "the media type names a version other than 1"}
	}
	return stream, nil
}

func wrongMedia(detail string) error {
	return &aimem.Fault{Code: aimem.UnsupportedMediaType, Rule: "AIMEM-3.2-2", Detail: detail}
}
