// Keys for people who like them, and dates as the reader writes them, in the reader's time
// zone. Everything here is a link, a field or a text that works without.
"use strict";
const pages = { h: "/me/", m: "/me/memories", w: "/me/waiting", s: "/me/search", t: "/me/timeline", p: "/me/projects", i: "/me/imports", a: "/me/assistants", o: "/me/sharing", l: "/me/audit" };
let going = false;

const writes = (e) => e.closest("input, select, textarea");

function move(by) {
  const links = [...document.querySelectorAll("[data-rows] > li > a.text, .waits > li > .acts [data-key=y]")];
  if (!links.length) return false;
  const at = links.indexOf(document.activeElement);
  const next = links[at < 0 ? (by > 0 ? 0 : links.length - 1) : at + by];
  if (next) {
    next.focus();
    next.scrollIntoView({ block: "nearest" });
  }
  return true;
}

// press uses the button or link that has a key, that of the row in focus first.
function press(key) {
  const row = document.activeElement.closest("[data-rows] > li");
  const link = row && row.querySelector("a.text");
  const mark = `[data-key="${key}"]`;
  const found = (row && row.querySelector(mark)) || document.querySelector(mark);
  if (found) found.click();
  else if (key === "c" && link) location.assign(link.href + "/correct");
  else return false;
  return true;
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const key = event.key;
  if (writes(event.target)) {
    if (key === "Escape") event.target.blur();
    return;
  }
  if (going) {
    going = false;
    if (pages[key]) location.assign(pages[key]);
    return;
  }
  switch (key) {
    case "g": going = true; setTimeout(() => { going = false; }, 1500); return;
    case "/": document.getElementById("find").focus(); break;
    case "?": location.assign("/me/help"); break;
    case "j": if (!move(1)) return; break;
    case "k": if (!move(-1)) return; break;
    case "x": {
      const row = document.activeElement.closest("[data-rows] > li");
      const box = row && row.querySelector("input[type=checkbox]");
      if (!box) return;
      box.click();
      break;
    }
    case "c": case "f": case "y": case "n": case "u": if (!press(key)) return; break;
    default: return;
  }
  event.preventDefault();
});

const day = new Intl.DateTimeFormat(navigator.languages, { dateStyle: "long" });
const minute = new Intl.DateTimeFormat(navigator.languages, { dateStyle: "full", timeStyle: "short" });

// Texts with a year name a date; the others say how long ago something was.
function writeDates() {
  for (const time of document.querySelectorAll("time[datetime]:not([data-local])")) {
    const at = new Date(time.dateTime);
    if (isNaN(at)) continue;
    if (/\d{4}/.test(time.textContent)) time.textContent = (time.title ? day : minute).format(at);
    time.title = minute.format(at);
    time.dataset.local = "";
  }
}
writeDates();
document.addEventListener("htmx:after:swap", writeDates);
