// Search over all conversations, without a server: the list of conversations and the words of each run are scripts that
// are loaded when a search needs them. Nothing is indexed: the words of 30,000 conversations are looked through in less
// than a second, in slices, so that the page stays alive. What is found is put in as text.
(() => {
  "use strict";
  const AT_ONCE = 20;  // results that are shown, and added by "Show more"
  const AHEAD = 6;  // runs whose words are loaded while others are looked through
  const SLICE = 40;  // milliseconds
  const { index, wordsOf, nameOf, pageOf, element, judged, behindNote } = globalThis.impactbenchReader;
  const WHO = ["Person", "Assistant", "Judge"];

  const form = document.getElementById("search");
  const [results, count, loading, list, more] =
    ["results", "count", "loading", "hits", "more"].map((id) => document.getElementById(id));
  const selects = [...form.querySelectorAll("select")];
  const number = (value) => value.toLocaleString("en");
  const pause = () => new Promise((resolve) => setTimeout(resolve));

  // ---- what is wanted ----

  // Words, and phrases in quotation marks, as patterns; the longest first, because it rules out most.
  function patternsOf(asked) {
    const terms = [...asked.matchAll(/["“”„«»]([^"“”„«»]+)["“”„«»]|([^\s"“”„«»]+)/g)].map((found) => (found[1] ?? found[2]).trim());
    const escaped = (term) => term.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&").replace(/\s+/g, "\\s+").replace(/['’]/g, "['’]");
    return terms.filter(Boolean).sort((one, other) => other.length - one.length).map((term) => new RegExp(escaped(term), "i"));
  }

  function wanted() {
    const chosen = Object.fromEntries(selects.map((select) => [select.name, select.value]));
    const levels = selects.filter((select) => select.dataset.axis && select.value).map((select) => [select.dataset.axis, select.value]);
    return { ...chosen, levels, asked: form.elements.q.value.trim() };
  }

  // The runs that can hold what is wanted, with the places of their conversations that pass the filters.
  function candidates(found, want) {
    const fits = found.levels.map((own) => want.levels.every(([axis, level]) => own.some(([name, value]) => name === axis && value === level)));
    const metric = want.metric ? found.metrics.findIndex(([name]) => name === want.metric) : -1;
    const verdict = want.verdict ? found.verdicts.indexOf(want.verdict) : -1;
    return found.runs.flatMap((run) => {
      if (want.model && found.models[run.model][0] !== want.model) { return []; }
      if (want.benchmark && found.benchmarks[run.benchmark][0] !== want.benchmark) { return []; }
      const places = [];
      run.conversations.forEach((one, place) => {
        if ((!want.metric || one[1] === metric) && (!want.verdict || one[2] === verdict) && fits[one[3]]) { places.push(place); }
      });
      return places.length ? [{ run, places }] : [];
    });
  }

  // ---- searching ----

  let latest = 0;  // a search that another one has overtaken stops
  let shown = 0;
  let hits = [];

  async function search() {
    const own = (latest += 1);
    const want = wanted();
    const patterns = patternsOf(want.asked);
    remember(want);
    narrowMetrics(want.benchmark);
    hits = [];
    shown = 0;
    list.replaceChildren();
    more.hidden = true;
    results.hidden = !want.asked && selects.every((select) => !select.value || select.name === "who");
    if (results.hidden) { return; }
    count.textContent = "Loading the list of conversations…";
    let found;
    try { found = await index(); } catch { count.textContent = "The list of conversations could not be loaded. Is the folder “search” missing from this report?"; return; }
    if (own !== latest) { return; }
    const runs = candidates(found, want);
    const missing = patterns.length ? await through(found, runs, patterns, want, own) : everything(runs);
    if (own !== latest) { return; }
    loading.hidden = true;
    finish(found, patterns, want, missing);
  }

  function everything(runs) {
    hits = runs.flatMap(({ run, places }) => places.map((place) => ({ run, place, said: null })));
    return 0;
  }

  async function through(found, runs, patterns, want, own) {
    const whole = runs.reduce((sum, { run }) => sum + run.bytes, 0);
    const matches = (said, pattern) => said.some(([who, , text]) => (!want.who || who === Number(want.who)) && pattern.test(text));
    let [since, read, missing] = [performance.now(), 0, 0];
    for (const [place, { run, places }] of runs.entries()) {
      for (const { run: next } of runs.slice(place, place + AHEAD)) { wordsOf(next); }
      const words = await wordsOf(run);
      if (own !== latest) { return missing; }
      read += run.bytes;
      if (words === null) { missing += 1; continue; }
      for (const one of places) {
        const said = words.get(nameOf({ run, place: one }))?.said;
        if (said && patterns.every((pattern) => matches(said, pattern))) { hits.push({ run, place: one, said }); }
      }
      if (performance.now() - since > SLICE) {
        loading.hidden = false;
        loading.value = read / whole;
        // A server does not know how large the words are before it has made them.
        const done = whole < 1e6 ? `${number(place + 1)} of ${number(runs.length)} runs` : `${number(Math.round(read / 1e6))} of ${number(Math.ceil(whole / 1e6))} MB of words`;
        count.textContent = `${number(hits.length)} found so far, ${done} read…`;
        show(found, patterns, want, AT_ONCE);
        await pause();
        if (own !== latest) { return missing; }
        since = performance.now();
      }
    }
    return missing;
  }

  function finish(found, patterns, want, missing) {
    const all = found.runs.reduce((sum, run) => sum + run.conversations.length, 0);
    const lost = missing ? ` The words of ${number(missing)} run${missing === 1 ? "" : "s"} could not be loaded.` : "";
    count.textContent = (hits.length
      ? `${number(hits.length)} of ${number(all)} conversation${all === 1 ? "" : "s"}${missing ? "." : ""}`
      : `No conversation fits. ${want.asked ? "Fewer words, another spelling or fewer" : "Fewer"} filters may help.`) + lost;
    show(found, patterns, want, Math.max(shown, AT_ONCE));
  }

  // ---- showing ----

  function show(found, patterns, want, until) {
    for (const hit of hits.slice(shown, until)) { list.append(item(found, hit, patterns, want)); }
    shown = Math.min(hits.length, Math.max(shown, until));
    more.hidden = shown >= hits.length;
    more.textContent = `Show ${number(Math.min(AT_ONCE, hits.length - shown))} more of ${number(hits.length - shown)}`;
    more.onclick = () => {
      const first = shown;
      show(found, patterns, want, shown + AT_ONCE);
      list.children[first].querySelector("a").focus();
    };
  }

  function item(found, { run, place, said }, patterns, want) {
    const [id, metric, verdict, levels] = run.conversations[place];
    const [, name, note] = found.metrics[metric];
    const made = element("li");
    const heading = element("h3");
    const link = element("a");
    link.href = pageOf({ run, place });
    link.append(element("bdi", name));
    heading.append(link);
    const about = element("p", "", "about");
    about.append(judged(found.verdicts[verdict]), " · ", element("bdi", found.models[run.model][1]), " · ", element("bdi", found.benchmarks[run.benchmark][1]));
    for (const [, level] of found.levels[levels]) { about.append(" · ", element("bdi", level)); }
    about.append(" · ", element("bdi", id));
    made.append(heading, about);
    if (said) { made.append(note ? behindNote(snippet(said, patterns, want), note, found.notes[note]) : snippet(said, patterns, want)); }
    return made;
  }

  // The text with the most of the words, from a little before the first of them.
  function snippet(said, patterns, want) {
    const allowed = said.filter(([who]) => !want.who || who === Number(want.who));
    const worth = allowed.map(([, , text]) => patterns.filter((pattern) => pattern.test(text)).length);
    const [who, turn, text] = allowed[worth.indexOf(Math.max(...worth))];
    const every = new RegExp(patterns.map((pattern) => pattern.source).join("|"), "gi");
    const first = text.search(every);
    const from = first < 90 ? 0 : first - 70 + Math.max(0, text.slice(first - 70, first).indexOf(" ") + 1);
    const part = text.slice(from, first + 230);
    const made = element("p", "", "snippet");
    made.append(element("span", `${WHO[who]}${turn ? `, turn ${turn}` : ""}:`, "who soft"));
    const quote = element("q");
    quote.dir = "auto";
    let end = 0;
    quote.append(from ? "… " : "");
    for (const match of part.matchAll(every)) {
      quote.append(part.slice(end, match.index), element("mark", match[0]));
      end = match.index + match[0].length;
    }
    quote.append(part.slice(end), from + part.length < text.length ? " …" : "");
    made.append(" ", quote);
    return made;
  }

  // A conversation that is opened from here leads on along all that was found, shown or not: a thousand either way.
  list.addEventListener("click", (event) => {
    const link = event.target.closest("a[href]");
    if (!link) { return; }
    const place = [...list.children].indexOf(link.closest("li"));
    const before = Math.max(0, place - 1000);
    const pages = hits.slice(before, place + 1001).map((hit) => new URL(pageOf(hit), location.href).href);
    const asked = form.elements.q.value.trim();
    const from = new URL(location.href);
    from.search = String(kept(asked));
    const name = asked ? `Search for ${asked}` : "Search";
    try {
      sessionStorage.setItem("impactbench-list", JSON.stringify({ name, from: from.href, at: link.href, pages, before, total: hits.length }));
    } catch { /* a browser that keeps nothing: the page leads on along its run */ }
  });

  // ---- the address ----

  function kept(asked) {
    const chosen = new URLSearchParams(asked ? { q: asked } : {});
    for (const select of selects) { if (select.value) { chosen.set(select.name, select.value); } }
    return chosen;
  }

  function narrowMetrics(slug) {
    for (const group of form.querySelectorAll("optgroup")) { group.hidden = Boolean(slug) && group.dataset.slug !== slug; }
  }

  function remember(want) {
    const text = String(kept(want.asked));
    try { history.replaceState(null, "", (text ? `?${text}` : location.pathname) + location.hash); } catch { /* a browser that keeps the address of a file */ }
  }

  function recall() {
    const kept = new URLSearchParams(location.search);
    form.elements.q.value = form.elements.q.type === "hidden" ? "" : kept.get("q") ?? "";
    for (const select of selects) {
      const known = [...select.options].some((option) => option.value === kept.get(select.name));
      select.value = known ? kept.get(select.name) : "";
    }
  }

  recall();
  for (const select of selects) { select.addEventListener("change", search); }
  form.elements.benchmark.addEventListener("change", () => {
    const slug = form.elements.benchmark.value;
    if (slug && !form.elements.metric.value.startsWith(`${slug}/`)) { form.elements.metric.value = ""; }
  }, { capture: true });
  form.addEventListener("submit", (event) => { event.preventDefault(); search(); });
  form.addEventListener("reset", () => setTimeout(search));
  form.hidden = false;
  document.getElementById("filters").open = matchMedia("(min-width: 44rem)").matches || selects.some((select) => select.value);
  search();
})();
