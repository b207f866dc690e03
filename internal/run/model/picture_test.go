package model

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/route"
)

// drawn returns a picture of a size in a format.
func drawn(t *testing.T, format string, width int) []byte {
	t.Helper()
	var b bytes.Buffer
	of := image.NewPaletted(image.Rect(0, 0, width, 1), color.Palette{color.Black, color.White})
	err := map[string]func() error{
		"png": func() error { return png.Encode(&b, of) }, "jpeg": func() error { return jpeg.Encode(&b, of, nil) }, "gif": func() error { return gif.Encode(&b, of, nil) },
	}[format]()
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestPictureMedia: the bytes say what a picture is, whatever a tool calls it.
func TestPictureMedia(t *testing.T) {
	lossless := func(bits string) []byte {
		return []byte("RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00/" + bits + "\x07\x10\x11\x11\x88\x88\xfe\x07\x00")
	}
	lossy := func(wide string) []byte {
		return []byte("RIFF\x16\x00\x00\x00WEBPVP8 \x0a\x00\x00\x00\x30\x01\x00\x9d\x01\x2a" + wide + "\x01\x00")
	}
	extended := func(high string) []byte {
		return []byte("RIFF\x16\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" + high)
	}
	webp := lossless("\x00\x00\x00\x10")
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"png": {drawn(t, "png", 2), "image/png"}, "jpeg": {drawn(t, "jpeg", 2), "image/jpeg"}, "gif": {drawn(t, "gif", 2), "image/gif"}, "webp": {webp, "image/webp"},
		"nothing": {nil, ""}, "text": {[]byte("<html>"), ""}, "svg": {[]byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`), ""},
		"png, cut": {drawn(t, "png", 2)[:20], ""}, "jpeg, cut": {drawn(t, "jpeg", 2)[:12], ""}, "gif, cut": {[]byte("GIF89a"), ""}, "webp, cut": {webp[:14], ""},
		"a side of 8001": {drawn(t, "png", 8001), ""}, "a side of 8000": {drawn(t, "png", 8000), "image/png"},
		"webp, a side of 8001": {lossless("\x40\x1f\x00\x10"), ""}, "webp, a side of 8000": {lossless("\x3f\x1f\x00\x10"), "image/webp"}, "webp, 16384 high": {lossless("\x00\xc0\xff\x0f"), ""},
		"lossy webp, a side of 8001": {lossy("\x41\x1f"), ""}, "lossy webp, a side of 8000, enlarged": {lossy("\x40\x5f"), "image/webp"}, "lossy webp, no side": {lossy("\x00\x00"), ""},
		"extended webp, a side of 8001": {extended("\x40\x1f\x00"), ""}, "extended webp, a side of 8000": {extended("\x3f\x1f\x00"), "image/webp"}, "webp of another kind": {bytes.Replace(webp, []byte("VP8L"), []byte("ALPH"), 1), ""},
	} {
		if got := PictureMedia(c.data); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// TestSees: models of three providers take pictures, others where the operator says so.
func TestSees(t *testing.T) {
	yes, no := true, false
	o := route.Operator{Models: []route.Model{{Target: route.Target{Provider: "ollama", Model: "eye"}, Pictures: &yes}, {Target: route.Target{Provider: "openai", Model: "deaf"}, Pictures: &no},
		{Target: route.Target{Provider: "mistral", Model: "m"}, Pictures: &yes}, {Target: route.Target{Provider: "google", Model: "g"}}}}
	for of, want := range map[route.Target]bool{
		{Provider: "anthropic", Model: "m"}: true, {Provider: "openai", Model: "m"}: true, {Provider: "google", Model: "g"}: true, {Provider: "vertex_ai", Model: "m"}: true,
		{Provider: "ollama", Model: "m"}: false, {Provider: "ollama", Model: "eye"}: true, {Provider: "openai", Model: "deaf"}: false, {Provider: "acme", Model: "m"}: false,
		{Provider: "mistral", Model: "m"}: false, {Provider: "groq", Model: "m"}: false,
	} {
		if got := sees(o, of); got != want {
			t.Errorf("%s: got %t", of, got)
		}
	}
}

// TestUnseen: a model reads of every picture that it is not shown, and the request stays as it was.
func TestUnseen(t *testing.T) {
	r := Request{Messages: []aaif.Message{{Role: "user", Content: "Look."}, {Role: "tool", Content: "two pictures", CallID: "a"}, {Role: "tool", Content: "none", CallID: "b"}},
		Pictures: map[string][]Picture{"a": {{"image/png", []byte("1")}, {"image/gif", []byte("2")}}}}
	for media, want := range map[string]string{
		"":                    "two pictures\n[picture 1 is not shown: this model takes no pictures]\n[picture 2 is not shown: this model takes no pictures]",
		"image/png":           "two pictures\n[picture 2 is not shown: this model takes image/png]",
		"image/gif image/png": "two pictures",
	} {
		got := r.seen(strings.Fields(media))
		if got.Messages[1].Content != want || got.Messages[2].Content != "none" || len(got.Pictures["a"]) != len(strings.Fields(media)) {
			t.Errorf("%q: got %q and %d pictures", media, got.Messages[1].Content, len(got.Pictures["a"]))
		}
	}
	if r.Messages[1].Content != "two pictures" || len(r.Pictures["a"]) != 2 {
		t.Error("the request was changed")
	}
	for wire := range formats() {
		if media := pictureMedia(wire); !slices.Contains(media, "image/png") || slices.Contains(media, "image/svg+xml") {
			t.Errorf("%s takes %q", wire, media)
		}
	}
}

// TestPicturesOfGemini3: newer models take pictures in the result itself.
func TestPicturesOfGemini3(t *testing.T) {
	r := samples(t)["pictures"]
	r.Model = "gemini-3-pro"
	body, _ := geminiBody(profileOf("google"), r)
	result, ok := body.At("/contents/2/parts/1/functionResponse")
	if !ok || result.Get("name").Text() != "clock" || result.Get("parts").Len() != 2 || strings.Contains(string(body.Append(nil)), "The result of clock") {
		t.Errorf("got %s", body.Append(nil))
	}
}
