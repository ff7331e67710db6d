// A conversation's page: the one that the address names is put in; previous and next in the list one came from, by key too; reasons bound to the quoted words; notes that stay read.
(() => {
  "use strict";

  const LIST = "impactbench-list";
  const KEYS = "impactbench-keys";
  const here = location.href.split("#")[0];
  const report = document.currentScript.src.replace("conversation.js", "");  // where its pages are: nothing else is led to

  // What a browser keeps from visit to visit; where it keeps nothing so long, until the tab is closed.
  function kept(name) {
    for (const store of ["localStorage", "sessionStorage"]) {
      try {
        const found = window[store].getItem(name);
        if (found !== null) { return found; }
      } catch { /* refused: the next one */ }
    }
    return null;
  }
  function keep(name, value) {
    for (const store of ["localStorage", "sessionStorage"]) {
      try { window[store].setItem(name, value); return; } catch { /* refused or full: the next one */ }
    }
  }

  // ---- the conversation that the address names: ?of=benchmark/model/case, with the set-up before the case at need ----

  const page = document.getElementById("conversation");

  async function put() {
    const of = new URLSearchParams(location.search).get("of") ?? "";
    const [run, name] = [of.slice(0, of.lastIndexOf("/")), of.slice(of.lastIndexOf("/") + 1)];
    const isOurs = run.split("/").every((part) => /^[a-z0-9_-][a-z0-9._~-]*$/.test(part));  // no way out of this report
    const status = document.getElementById("loading");
    status.textContent = "Loading the conversation…";  // in place of what a reader without scripts is told
    let found = null;
    try {
      found = isOurs ? await globalThis.impactbenchReader.partOf(`conversations/${run}.js`, name) : null;
    } catch { /* told below */ }
    if (!found) {
      status.textContent = `There is no conversation ${of} in this report, or its file could not be loaded.`;
      return;
    }
    page.innerHTML = found;  // escaped when the report was written, by the template of all its pages
    document.title = page.querySelector("[data-title]").dataset.title + document.title.slice("Conversation".length);
    upgrade();
    if (location.hash) { location.replace(location.hash); }  // the place on it was not there when it was asked for
    dispatchEvent(new HashChangeEvent("hashchange"));
  }

  function upgrade() {
    // ---- the list one came from ----

    function list() {
      try {
        const found = JSON.parse(sessionStorage.getItem(LIST));
        const came = performance.getEntriesByType("navigation")[0];
        const place = found.pages.indexOf(here);
        const again = came && (came.type === "reload" || came.type === "back_forward");
        const ours = [found.from, ...found.pages].every((page) => page.startsWith(report));
        return ours && place >= 0 && (found.at === here || again) ? { ...found, place } : null;
      } catch { return null; }
    }

    function goAlong(found, page) {
      try { sessionStorage.setItem(LIST, JSON.stringify({ ...found, at: page })); } catch { /* then by the run's order */ }
    }

    function step(link, found, place) {
      const page = found.pages[place];
      if (!page) { link.removeAttribute("href"); return; }
      link.href = page;
      link.addEventListener("click", () => goAlong(found, page));
    }

    function followList(nav, found) {
      const [back, forth] = nav.querySelectorAll(".step");
      step(back, found, found.place - 1);
      step(forth, found, found.place + 1);
      nav.querySelector(".place .number").textContent =
        ((found.before ?? 0) + found.place + 1).toLocaleString("en") + " of " + (found.total ?? found.pages.length).toLocaleString("en");
      const link = nav.querySelector(".place a");
      link.textContent = found.name;
      link.href = found.from;
    }

    const navs = [...document.querySelectorAll("nav.steps")];
    const found = list();
    if (found) { navs.forEach((nav) => followList(nav, found)); }

    // ---- keys ----

    function made(tag, ...inside) {
      const part = document.createElement(tag);
      part.append(...inside);
      return part;
    }

    function keyList() {
      const rows = [[["j", "→"], "Next conversation"], [["k", "←"], "Previous conversation"], [["u"], "Back to the list"],
        [["?"], "Open or close this list"]];
      const list = made("dl", ...rows.map(([names, meaning]) => {
        const shown = names.flatMap((name, place) => (place ? [" or ", made("kbd", name)] : [made("kbd", name)]));
        return made("div", made("dt", ...shown), made("dd", meaning));
      }));
      const hint = made("summary", "Keys: ", made("kbd", "j"), " next, ", made("kbd", "k"), " previous, ", made("kbd", "?"), " all");
      const box = made("input");
      box.type = "checkbox";
      const keys = made("details", hint, list, made("p", made("label", box, " Use these keys")));
      keys.className = "keys";
      return keys;
    }

    const shortcuts = keyList();
    navs.at(-1).after(shortcuts);
    const [previous, next] = navs[0].querySelectorAll(".step");
    const way = { j: next, ArrowRight: next, k: previous, ArrowLeft: previous, u: navs[0].querySelector(".place a") };
    const wanted = shortcuts.querySelector("input");
    wanted.checked = kept(KEYS) !== "off";
    wanted.addEventListener("change", () => keep(KEYS, wanted.checked ? "on" : "off"));

    function typing(target) {
      return target.closest?.("input:not([type=checkbox]), textarea, select, [contenteditable]");
    }

    addEventListener("keydown", (event) => {
      if (!wanted.checked || event.ctrlKey || event.altKey || event.metaKey || typing(event.target)) { return; }
      if (event.key.startsWith("Arrow") && event.target.closest?.(".wide")) { return; }  // it scrolls a wide table
      if (event.key === "?") {
        shortcuts.open = !shortcuts.open;
        shortcuts.querySelector("summary").focus();
      } else if (way[event.key]?.href && !event.shiftKey) {
        way[event.key].click();
      } else { return; }
      event.preventDefault();
    });

    // ---- reasons and the words that they quote ----

    const bound = [...document.querySelectorAll("[data-quotes]")].map((part) => [part, part.dataset.quotes.split(" ")]);
    const lit = { hovered: [], focused: [], chosen: [] };  // the first that is not empty is shown

    function light() {
      const numbers = [lit.hovered, lit.focused, lit.chosen].find((some) => some.length) ?? [];
      for (const [part, own] of bound) { part.classList.toggle("on", own.some((number) => numbers.includes(number))); }
    }

    const numbersAt = (event) => event.target.closest?.("[data-quotes]")?.dataset.quotes.split(" ") ?? [];

    // Within the panel of reasons alone: the page itself stays where the reader is.
    function bringIntoView(number) {
      const panel = document.querySelector(".reasons");
      const reason = document.getElementById("q" + number);
      if (!reason || panel.scrollHeight <= panel.clientHeight) { return; }
      const [own, outer] = [reason.getBoundingClientRect(), panel.getBoundingClientRect()];
      if (own.top < outer.top || own.bottom > outer.bottom) { panel.scrollTop += own.top - outer.top - outer.height / 3; }
    }

    for (const [kind, how] of [["mouseover", "hovered"], ["focusin", "focused"], ["click", "chosen"]]) {
      document.addEventListener(kind, (event) => {
        const numbers = numbersAt(event);
        if (how !== "chosen" || numbers.length) { lit[how] = numbers; }
        light();
        if (numbers.length && event.target.closest(".message")) { bringIntoView(numbers[0]); }
      });
    }
    document.addEventListener("focusout", () => { lit.focused = []; light(); });

    document.addEventListener("click", (event) => {
      const [number] = numbersAt(event);
      if (!number || event.target.closest("a")) { return; }  // a link leads there by itself
      const goal = event.target.closest("mark")
        ? document.getElementById("q" + number)
        : document.getElementById("e" + number)?.nextElementSibling;
      goal?.scrollIntoView({ block: "nearest" });
    });

    // ---- content notes ----

    for (const notice of document.querySelectorAll("details[data-note]")) {
      const name = "impactbench-note-" + notice.dataset.note;
      if (kept(name) === "open") { notice.open = true; notice.classList.add("remembered"); }
      // Only what a reader chose: a link to a quote opens the notice too, and says nothing of the next one.
      notice.querySelector("summary").addEventListener("click", () => keep(name, notice.open ? "closed" : "open"));
    }

    // ---- the address to quote ----

    const address = document.querySelector(".address");
    const copy = document.querySelector(".copy");
    address.textContent = here;
    copy.hidden = false;
    copy.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(here);
        copy.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(address);
      }
    });
  }

  if ("loads" in page.dataset) { put(); } else { upgrade(); }
})();
