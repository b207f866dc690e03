package pages_test

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
)

// device gives a browser a device that keeps passkeys, and says yes to everything.
func (b *tab) device(t *testing.T) {
	t.Helper()
	b.do(t, chromedp.Navigate("about:blank"))
	if _, err := chromedp.Call(b.ctx, webauthn.Enable, webauthn.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	options := &webauthn.VirtualAuthenticatorOptions{Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal,
		HasResidentKey: true, HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true}
	if _, err := chromedp.Call(b.ctx, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{Options: options}); err != nil {
		t.Fatal(err)
	}
}

// TestPasskeys adds a passkey, enters by it, confirms by it, and removes it: A15.
func TestPasskeys(t *testing.T) {
	h := empty(t)
	id := strings.TrimPrefix(strings.TrimSpace(h.satchel(t, "remember", "The harbour is cold.")), "urn:ump:")
	b := newTab(t)
	b.device(t)
	b.enter(t, h)
	b.see(t, "/me/passkeys")
	b.do(t, chromedp.Click("[data-passkey=create]", chromedp.NodeVisible), chromedp.WaitVisible(".row .danger"))
	b.do(t, chromedp.Click(".leave button"))
	b.awaits(t, "You have left")
	b.see(t, "/me/enter")
	b.do(t, chromedp.Click("[data-passkey=get]", chromedp.NodeVisible), chromedp.WaitVisible("header.side"))
	b.see(t, "/me/memories/"+id+"/erase")
	b.do(t, chromedp.Click("[data-passkey=get]", chromedp.NodeVisible), chromedp.WaitVisible("header.side"))
	for range 100 {
		if !strings.Contains(h.list(t), "harbour") {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if list := h.list(t); strings.Contains(list, "harbour") {
		t.Errorf("it is still there: %s", list)
	}
	b.see(t, "/me/passkeys")
	b.do(t, chromedp.Click(".row .danger"), chromedp.WaitVisible(".empty"))
	b.clean(t, "passkeys")
	b.do(t, chromedp.Click(".leave button"))
	b.awaits(t, "You have left")
	b.see(t, "/me/enter")
	b.do(t, chromedp.Click("[data-passkey=get]", chromedp.NodeVisible), chromedp.WaitVisible(`.alone h1`))
	for range 100 {
		if strings.Contains(eval[string](t, b, `document.body ? document.body.innerText : ""`), "lets nobody in") {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Error("a passkey that was removed lets somebody in")
}
