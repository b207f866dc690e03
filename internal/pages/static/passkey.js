// Asks the device for a passkey, and sends its answer with the form of the button.
"use strict";
const has = window.PublicKeyCredential && PublicKeyCredential.parseRequestOptionsFromJSON;
for (const button of document.querySelectorAll("[data-passkey]")) {
  if (!has) break;
  const form = button.form;
  button.hidden = false;
  for (const note of form.querySelectorAll("[data-without]")) note.hidden = true;
  button.addEventListener("click", async (event) => {
    event.preventDefault();
    const said = form.querySelector("[data-said]");
    try {
      const token = form.elements.token ? form.elements.token.value : "";
      const got = await fetch(button.dataset.ask, { method: "POST", body: new URLSearchParams({ token }) });
      if (!got.ok) throw new Error(new DOMParser().parseFromString(await got.text(), "text/html").querySelector("main p").textContent);
      const question = await got.json();
      const create = button.dataset.passkey === "create";
      const answer = create
        ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(question) })
        : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(question) });
      form.elements.passkey.value = JSON.stringify(answer.toJSON());
      form.submit();
    } catch (error) {
      said.textContent = error.name === "NotAllowedError" ? "Your device did not answer. Try again." : error.message;
      said.hidden = false;
    }
  });
}
