// Filters of lists, the list that a conversation is opened from, the population of intervals, models to follow, the way from an id to its case, and notices that open for what is inside them. All else is plain HTML.
(() => {
  "use strict";

  function filterLists(form) {
    const rows = [...document.querySelectorAll("tr[data-tags]")].map((row) => [row, JSON.parse(row.dataset.tags)]);
    const selects = [...form.querySelectorAll("select")];
    const wanted = new URLSearchParams(location.search);
    for (const select of selects) {
      if (wanted.has(select.name)) { select.value = wanted.get(select.name); }
    }
    function apply() {
      let shown = 0;
      for (const [row, tags] of rows) {
        row.hidden = selects.some((select) => select.value && tags[select.name] !== select.value);
        shown += row.hidden ? 0 : 1;
      }
      for (const group of document.querySelectorAll(".group")) {
        group.hidden = !group.querySelector("tr[data-tags]:not([hidden])");
      }
      form.querySelector(".shown").textContent = shown.toLocaleString("en");
    }
    form.addEventListener("change", apply);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => setTimeout(apply));
    form.hidden = false;
    apply();
  }

  function find(form) {
    const pages = new Map([...document.querySelectorAll("a[data-slug]")].map((link) => [link.dataset.slug, link.href]));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const typed = document.getElementById("id").value.trim().replace(/^conversation\s+/i, "");
      const cut = typed.indexOf("/");
      const page = pages.get(cut < 0 ? typed : typed.slice(0, cut));
      if (page) {
        location.href = page + (cut < 0 ? "" : "#" + encodeURIComponent(typed.slice(cut + 1)));
      } else {
        document.getElementById("found").textContent =
          "No benchmark of this report in “" + typed + "”; expected is benchmark/case, as helm-server shows it.";
      }
    });
    form.hidden = false;
  }

  // The list that a conversation is opened from, as it is filtered now: its page leads on along it, and back.
  function keepList(event) {
    const link = event.target.closest?.("tr[data-tags] th a[href], [data-list] a[href]");
    if (!link || link.matches(".compare")) { return; }
    const own = link.closest("[data-list]");
    const links = own
      ? own.querySelectorAll("a[href]:not(.compare)")
      : document.querySelectorAll("tr[data-tags]:not([hidden]) th a[href]");
    const from = new URL(location.href);
    from.hash = own ? own.id : "";
    for (const select of document.querySelectorAll("form.filters select")) {
      from.searchParams.delete(select.name);
      if (select.value) { from.searchParams.set(select.name, select.value); }
    }
    const name = own ? own.dataset.list : document.querySelector("h1").textContent;
    const pages = [...new Set([...links].map((one) => one.href))];
    try {
      sessionStorage.setItem("impactbench-list", JSON.stringify({ name, from: from.href, at: link.href, pages }));
    } catch { /* full, or a browser that keeps nothing: the page leads on along its run */ }
  }

  // A link to evidence leads into the conversation even where it is closed behind its content note.
  function reveal() {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) { return; }
    for (let part = target; part; part = part.parentElement) {
      if (part.tagName === "DETAILS") { part.open = true; }
    }
    if (target.hasAttribute("data-leads")) { location.replace(target.href); return; }  // its table has a page of its own
    target.scrollIntoView();
  }

  // The population that intervals are for stays chosen on the next page.
  function keepPopulation(choices) {
    try {
      const kept = document.getElementById(sessionStorage.getItem("population"));
      if (kept) { kept.checked = true; }
      for (const choice of choices) { choice.addEventListener("change", () => sessionStorage.setItem("population", choice.id)); }
    } catch { /* a browser that keeps nothing */ }
  }

  // Models that a reader follows through the charts: outlined, their names underlined; the address holds them.
  function pickModels(form) {
    const boxes = [...form.querySelectorAll('input[name="pick"]')];
    const wanted = new URLSearchParams(location.search).getAll("pick");
    for (const box of boxes) { box.checked = wanted.includes(box.value); }
    function apply() {
      const picked = boxes.filter((box) => box.checked).map((box) => box.value);
      document.body.classList.toggle("picking", picked.length > 0);
      for (const mark of document.querySelectorAll("figure svg [data-model]")) {
        mark.classList.toggle("picked", picked.includes(mark.dataset.model));
      }
      const address = new URL(location.href);
      address.searchParams.delete("pick");
      for (const model of picked) { address.searchParams.append("pick", model); }
      try { history.replaceState(null, "", address); } catch { /* a browser that keeps the address of a file */ }
    }
    form.addEventListener("change", apply);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => setTimeout(() => { for (const box of boxes) { box.checked = false; } apply(); }));
    form.querySelector("details").open = wanted.length > 0;
    form.hidden = false;
    if (wanted.length) { apply(); }
  }

  for (const form of document.querySelectorAll("form.picks")) { pickModels(form); }
  keepPopulation(document.querySelectorAll('input[name="population"]'));
  for (const form of document.querySelectorAll("form.filters")) { filterLists(form); }
  const finder = document.getElementById("find");
  if (finder) { find(finder); }
  document.addEventListener("click", keepList);
  addEventListener("hashchange", reveal);
  reveal();
})();
