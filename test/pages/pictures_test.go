package pages_test

import (
	"bytes"
	"cmp"
	"flag"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

var pictures = flag.String("pictures", "", "a folder for the pictures of docs/pages.md")

// story fills a store as an owner's is whose assistants were told a few things.
func story(t *testing.T, h *house) {
	t.Helper()
	const shop, book = "github.com/ana/shop", "github.com/ana/cookbook"
	for _, args := range [][]string{
		{"I am allergic to peanuts.", "--kind", "identity"},
		{"My name is Ana; I live in Tartu and work in the afternoon.", "--kind", "identity"},
		{"Use pnpm, never npm.", "--kind", "procedural", "--project", shop},
		{"The shop runs on PostgreSQL 16; reports read from a replica.", "--project", shop},
		{"Deploys go out on Tuesdays, after the smoke test.", "--kind", "procedural", "--project", shop, "--visibility", "shared"},
		{"Prices are kept in cents, as integers.", "--project", shop},
		{"We agreed with the printers in Tartu on 400 copies.", "--kind", "episodic", "--project", book},
		{"Kama is barley, rye, oats and peas, roasted and milled; serve it with buttermilk.", "--project", book, "--visibility", "public"},
		{"Recipes give weights in grams, never in cups.", "--kind", "procedural", "--project", book},
	} {
		h.satchel(t, append([]string{"remember"}, args...)...)
	}
	dinner := strings.TrimSpace(h.satchel(t, "remember", "Dinner is at seven o'clock on weekdays.", "--valid-from", "2025-09-01"))
	h.satchel(t, "revise", dinner, "Dinner is at eight o'clock on weekdays, at seven on Sundays.")
	proposals(t, h)
}

// TestPictures takes the pictures of docs/pages.md, if -pictures names their folder.
func TestPictures(t *testing.T) {
	if *pictures == "" {
		t.Skip("no folder is named by -pictures")
	}
	h := empty(t)
	story(t, h)
	h.recall(t, "claude-code", "When is dinner, and what may I not eat?")
	b := newTab(t)
	b.enter(t, h)
	dinner := b.pathOf(t, "/me/memories", "at eight")
	for _, p := range []struct {
		name, path, theme string
		width             int64
	}{
		{"home", "/me/", "light", 1180}, {"memory", dinner, "light", 1180}, {"search", "/me/search?q=" + url.QueryEscape("what must I not cook for Ana?"), "light", 1180},
		{"waiting", "/me/waiting", "light", 1180}, {"assistants", "/me/assistants", "dark", 1180}, {"phone", "/me/memories?project=github.com/ana/shop", "dark", 390},
	} {
		b.dress(t, p.width, p.theme)
		b.see(t, p.path)
		data, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
		if err == nil {
			data, err = small(data)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(*pictures, p.name+".png"), data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// small returns a PNG with its commonest colours alone, in a third of the bytes.
func small(data []byte) ([]byte, error) {
	from, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	counts := map[color.RGBA]int{}
	for y := range from.Bounds().Dy() {
		for x := range from.Bounds().Dx() {
			counts[color.RGBAModel.Convert(from.At(x, y)).(color.RGBA)]++
		}
	}
	common := slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	var colours color.Palette
	for _, c := range common[:min(len(common), 64)] {
		colours = append(colours, c)
	}
	to := image.NewPaletted(from.Bounds(), colours)
	draw.Draw(to, to.Bounds(), from, image.Point{}, draw.Src)
	var out bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, to)
	return out.Bytes(), err
}

// pathOf returns the address of the first link of a page whose text has these words.
func (b *tab) pathOf(t *testing.T, page, words string) string {
	t.Helper()
	b.see(t, page)
	return eval[string](t, b, `[...document.querySelectorAll("a.text")].find(a => a.textContent.includes("`+words+`")).getAttribute("href")`)
}
