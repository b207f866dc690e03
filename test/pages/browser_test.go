package pages_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browserPath returns the browser of this machine, "" if there is none.
func browserPath() string {
	for _, name := range []string{os.Getenv("SATCHEL_CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path
		}
	}
	return ""
}

// tab is a window of a browser with cookies of its own, and what went wrong in it.
type tab struct {
	ctx context.Context

	mu       sync.Mutex
	wrong    []string // errors, violations and dialogs
	outside  []string // requests that leave the origin
	requests []string
	origin   string
}

// noNetwork makes every name unknown to a browser but those of this machine: A17.
const noNetwork = "MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost, EXCLUDE 127.0.0.1"

// notShown are parts of a browser's own surroundings that it would load for each window anew,
// which takes as long as some pages; and what chromedp switches off itself.
const notShown = "Translate,BlinkGenPropertyTrees,WebUIOmniboxPopup,WebUIOmniboxAimPopup"

// browser is the one of all tests that need no flags of their own.
var browser struct {
	sync.Once
	ctx  context.Context
	stop func()
	err  error
}

// closeBrowser ends the browser of all tests.
func closeBrowser() {
	if browser.stop != nil {
		browser.stop()
	}
}

// startBrowser starts a browser that reaches this machine only.
func startBrowser(flags ...chromedp.ExecAllocatorOption) (ctx context.Context, stop func(), err error) {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browserPath()), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("host-resolver-rules", noNetwork), chromedp.Flag("lang", "en"),
		chromedp.Flag("disable-features", notShown))
	allocated, ended := chromedp.NewExecAllocator(context.Background(), append(options, flags...)...)
	ctx, cancel := chromedp.NewContext(allocated)
	return ctx, func() { cancel(); ended() }, chromedp.Do(ctx)
}

// newTab opens a window with cookies of its own, in a browser that reaches this machine
// only. Where there are flags, the browser is the test's own.
func newTab(t testing.TB, flags ...chromedp.ExecAllocatorOption) *tab {
	t.Helper()
	browser.Do(func() { browser.ctx, browser.stop, browser.err = startBrowser() })
	ctx, stop, err := browser.ctx, func() {}, browser.err
	if len(flags) > 0 {
		ctx, stop, err = startBrowser(flags...)
	}
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(ctx, chromedp.WithNewBrowserContext())
	limited, done := context.WithTimeout(ctx, 9*time.Minute)
	t.Cleanup(func() { done(); cancel(); stop() })
	b := &tab{ctx: limited}
	if err := chromedp.Listen(limited, b.hear); err != nil {
		t.Fatal(err)
	}
	// Others have windows, too; without the focus a page asks no passkey.
	if _, err := chromedp.Call(b.ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}); err != nil {
		t.Fatal(err)
	}
	return b
}

// hear notes what must not happen.
func (b *tab) hear(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.wrong = append(b.wrong, "exception: "+e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		if e.Type == "error" || e.Type == "warning" {
			b.wrong = append(b.wrong, "console: "+string(e.Type))
		}
	case *log.EventEntryAdded:
		if e.Entry.Level != "info" && !strings.Contains(e.Entry.Text, "status of 404") && !strings.Contains(e.Entry.Text, "status of 403") {
			b.wrong = append(b.wrong, "log: "+e.Entry.Text+" "+e.Entry.URL)
		}
	case *page.EventJavascriptDialogOpening:
		b.wrong = append(b.wrong, "dialog: "+e.Message)
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
		if b.origin != "" && !strings.HasPrefix(e.Request.URL, b.origin) && !strings.HasPrefix(e.Request.URL, "data:") {
			b.outside = append(b.outside, e.Request.URL)
		}
	}
}

// troubles returns what went wrong since the last call.
func (b *tab) troubles() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := append(b.wrong, b.outside...)
	b.wrong, b.outside, b.requests = nil, nil, nil
	return all
}

func (b *tab) do(t testing.TB, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	ctx, done := context.WithTimeout(b.ctx, time.Minute)
	defer done()
	if err := chromedp.Do(ctx, steps...); err != nil {
		t.Fatal(err)
	}
}

// eval runs a script in the page.
func eval[T any](t testing.TB, b *tab, script string) T {
	t.Helper()
	ctx, done := context.WithTimeout(b.ctx, time.Minute)
	defer done()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%.80s: %v", script, err)
	}
	return value
}

// enter lets the browser in as a person does: by the link, and a click.
func (b *tab) enter(t testing.TB, h *house, args ...string) {
	t.Helper()
	l := h.open(t, args...)
	b.origin = l.origin()
	b.do(t, chromedp.Navigate(l.URL), chromedp.Click("form.enter button:not([data-passkey])", chromedp.NodeVisible), chromedp.WaitVisible("header.side"))
}

// see loads a page and returns the status of the answer.
func (b *tab) see(t testing.TB, path string) int64 {
	t.Helper()
	ctx, done := context.WithTimeout(b.ctx, time.Minute)
	defer done()
	got, err := chromedp.Run(ctx, chromedp.NavigateResponse(b.origin+path))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return got.Status
}

// dress sets the size of the window and the theme.
func (b *tab) dress(t testing.TB, width int64, theme string) {
	t.Helper()
	b.do(t, chromedp.EmulateViewport(width, 900))
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}, {Name: "prefers-reduced-motion", Value: "reduce"}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features}); err != nil {
		t.Fatal(err)
	}
}

// picture keeps a picture of the whole page, if SATCHEL_PICTURES names a folder for them.
func (b *tab) picture(t testing.TB, name string) {
	t.Helper()
	dir := os.Getenv("SATCHEL_PICTURES")
	if dir == "" {
		return
	}
	ctx, done := context.WithTimeout(b.ctx, time.Minute)
	defer done()
	data, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), data, 0o644)
	}
	if err != nil {
		t.Error(err)
	}
}

// clean reports troubles as errors of the test.
func (b *tab) clean(t testing.TB, where string) {
	t.Helper()
	if all := slices.Compact(b.troubles()); len(all) > 0 {
		t.Errorf("%s: %q", where, all)
	}
}
