// The secret of the link stands behind the # of the address, which browsers send to
// nobody. It goes into the form, and out of the address and the history.
"use strict";
const secret = location.hash.slice(1);
if (secret) {
  history.replaceState(null, "", location.pathname + location.search);
  document.querySelector("input[name=secret]").value = secret;
  document.querySelector(".code").hidden = true;
  const owner = secret.split(".")[1]; // of a link for somebody else than the store's own owner
  if (owner && document.querySelector(".who code")) document.querySelector(".who code").textContent = owner;
  document.querySelector("form.enter button").focus();
}
