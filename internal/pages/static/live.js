// What changes while a page is open: how much waits, who read, and that there is more to
// see. Nothing moves by itself but numbers; without it, the page is as new as it was loaded.
"use strict";
(() => {
  const body = document.body, was = { ...body.dataset };
  const shown = document.querySelector(".news a");
  if (!was.head || !shown || !window.EventSource) return;
  let stream;

  function tell(words) {
    const here = new URL(location);
    for (const name of ["done", "undo"]) here.searchParams.delete(name);
    shown.href = here;
    shown.textContent = words;
    shown.hidden = !words;
  }

  function more(activity) {
    const waits = activity.waits - was.waiting;
    switch (location.pathname) {
      case "/me/waiting": return waits > 0 ? waits + " new – show" : waits < 0 ? "Something was decided – show" : "";
      case "/me/runs": return (activity.runs || "") !== was.runs ? "Something happened – show" : "";
      case "/me/": case "/me/memories": return activity.new ? (activity.new > 99 ? "Many" : activity.new) + " new – show" : "";
    }
    return "";
  }

  function listen() {
    stream = new EventSource("/me/events?after=" + was.head);
    stream.addEventListener("activity", (event) => {
      const activity = JSON.parse(event.data);
      for (const badge of document.querySelectorAll("[data-waits]")) badge.textContent = activity.waits ? " (" + activity.waits + ")" : "";
      for (const badge of document.querySelectorAll("[data-asks]")) badge.textContent = activity.asks ? " (" + activity.asks + ")" : "";
      if (activity.read !== body.dataset.read) {
        body.dataset.read = activity.read;
        body.dispatchEvent(new Event("live"));
      }
      const words = more(activity);
      if (words !== shown.textContent) tell(words);
    });
  }

  // Browsers have few connections to a server: only the tab in sight takes one.
  document.addEventListener("visibilitychange", () => { stream.close(); if (!document.hidden) listen(); });
  addEventListener("pagehide", () => stream.close());
  addEventListener("pageshow", (event) => { if (event.persisted) listen(); });
  listen();
})();
