// Two answers to the same case side by side, turn by turn: the first turn in which the assistants differ is marked.
// The address says which: ?case=benchmark/id&a=MODEL&b=MODEL; without a model one that passed and one that failed.
(() => {
  "use strict";
  const { index, earlier, wordsOf, pageOf, element, judged, behindNote } = globalThis.impactbenchReader;
  const [PERSON, ASSISTANT, JUDGE] = [0, 1, 2];
  const SIDES = ["a", "b"];

  const form = document.getElementById("sides");
  const shown = document.getElementById("shown");
  const status = document.getElementById("status");
  const fields = form.elements;
  let latest = 0;  // a comparison that another one has overtaken is not shown

  function fill(select, options, chosen) {
    select.replaceChildren(...options.map(([value, text]) => new Option(text, value)));
    const known = options.some(([value]) => value === chosen);
    select.value = known ? chosen : options[0]?.[0] ?? "";
  }

  // Case -> its conversations, in the order of the models, one for each set-up.
  function casesOf(found, slug, past) {
    const cases = new Map();
    for (const run of found.runs.filter((one) => found.benchmarks[one.benchmark][0] === slug)) {
      run.conversations.forEach((one, place) => {
        const key = found.models[run.model][0];
        const own = cases.get(one[0]) ?? new Map();
        if (!own.has(key)) { own.set(key, { run, place, model: found.models[run.model], about: one }); }
        cases.set(one[0], own);
      });
    }
    for (const run of past.filter((one) => one.benchmark === slug)) {
      run.conversations.forEach(([id, verdict, changed], place) => {
        const own = cases.get(id);
        if (!own) { return; }  // a case of then alone
        const [{ about }] = own.values();
        const name = found.models.find(([model]) => model === run.model)?.[1] ?? run.model;
        const key = `${run.model}@${run.suite}`;
        const title = `${name}, ${run.suite}`;
        if (!own.has(key)) { own.set(key, { run, place, changed, model: [key, title], about: [id, about[1], verdict, about[3]], isPast: true }); }
      });
    }
    return cases;
  }

  const titleOf = (found, id, own) => {
    const [{ about }] = own.values();
    const levels = found.levels[about[3]].map(([, level]) => level);
    return [found.metrics[about[1]][1], ...levels, id].join(", ");
  };

  // A model that passed and one that failed, where the address names none.
  function pair(found, own, wanted) {
    const models = [...own.keys()];
    const verdict = (model) => found.verdicts[own.get(model).about[2]];
    const a = own.has(wanted.a) ? wanted.a : models.find((model) => verdict(model) === "passed" && model !== wanted.b) ?? models.find((model) => model !== wanted.b);
    const others = models.filter((model) => model !== a);
    const b = own.has(wanted.b) ? wanted.b : others.find((model) => verdict(model) !== verdict(a)) ?? others[0];
    return { a, b: b ?? a };
  }

  async function choose(wanted) {
    let found;
    let past = [];
    try { found = await index(); if ("earlier" in form.dataset) { past = await earlier(); } } catch { status.textContent = "The list of conversations could not be loaded. Is the folder “search” missing from this report?"; return; }
    const [slug, id] = [wanted.case.split("/")[0], wanted.case.slice(wanted.case.indexOf("/") + 1)];
    fill(fields.benchmark, found.benchmarks, slug);
    const cases = casesOf(found, fields.benchmark.value, past);
    const titles = [...cases].map(([key, own]) => [key, titleOf(found, key, own)]).sort((one, other) => one[1].localeCompare(other[1], "en", { numeric: true }));
    fill(fields.case, titles, id);
    const own = cases.get(fields.case.value);
    const both = pair(found, own, wanted);
    const models = [...own.values()].map(({ model }) => model);
    for (const side of SIDES) { fill(fields[side], models, both[side]); }
    form.hidden = false;
    remember();
    const unknown = wanted.case && (fields.benchmark.value !== slug || fields.case.value !== id);
    await show(found, SIDES.map((side) => own.get(fields[side].value)), unknown ? `There is no case ${wanted.case} in this report; this is another one. ` : "");
  }

  async function show(found, sides, before) {
    const own = (latest += 1);
    status.textContent = "Loading the words…";
    const words = await Promise.all(sides.map(async ({ run, place }) => (await wordsOf(run))?.[place]));
    if (own !== latest) { return; }
    const turns = [...new Set(words.flatMap((said) => (said ?? []).filter(([who]) => who !== JUDGE).map(([, turn]) => turn)))].sort((one, other) => one - other);
    const text = (side, who, turn) => words[side]?.find((one) => one[0] === who && one[1] === turn)?.[2] ?? "";
    const first = turns.find((turn) => text(0, ASSISTANT, turn) !== text(1, ASSISTANT, turn));
    const changed = sides.some((side) => side.changed) ? " The case itself is not the same as then." : "";
    const whole = words.every((said) => said?.length);
    status.textContent = before + (!whole ? "The words of a conversation are hidden in this report (redacted), or could not be loaded."
      : first === undefined ? "The two answered alike, word for word." : `The answers differ from turn ${first.toLocaleString("en")} on.`) + changed;
    const list = element("ol", "", "plainlist aligned");
    list.append(...turns.map((turn) => turnOf(turn, turn === first, sides, text)));
    const [, , note] = found.metrics[sides[0].about[1]];
    const about = element("div", "", "two heads");
    about.append(...sides.map((side) => headOf(found, side)));
    const reasons = element("div", "", "two");
    reasons.append(...sides.map((side, place) => reasonsOf(found, side, words[place])));
    const all = element("div");
    all.append(list, element("h2", "What the judges said"), reasons);
    shown.replaceChildren(about, note ? behindNote(all, note, found.notes[note]) : all);
  }

  function headOf(found, side) {
    const made = element("h2");
    const link = element(side.isPast ? "span" : "a");
    if (!side.isPast) { link.href = pageOf(side); }
    link.append(element("bdi", side.model[1]));
    made.append(link, " ", judged(found.verdicts[side.about[2]]));
    return made;
  }

  function turnOf(turn, isFirst, sides, text) {
    const made = element("li");
    made.append(element("h3", `Turn ${turn}${isFirst ? ": the first difference" : ""}`));
    if (isFirst) { made.className = "first"; made.id = "first"; }
    const persons = [text(0, PERSON, turn), text(1, PERSON, turn)];
    if (persons[0] === persons[1]) { made.append(message("user", "Simulated person", persons[0])); }
    const row = element("div", "", "two");
    sides.forEach((side, place) => {
      const column = element("div");
      if (persons[0] !== persons[1]) { column.append(message("user", "Simulated person", persons[place])); }
      column.append(message("assistant", side.model[1], text(place, ASSISTANT, turn)));
      row.append(column);
    });
    made.append(row);
    return made;
  }

  function message(kind, who, words) {
    const made = element("div", "", `message ${kind}`);
    const said = element("div", words || "No message in this turn.", words ? "text" : "soft");
    said.dir = "auto";
    made.append(element("p", who, "who"), said);
    return made;
  }

  function reasonsOf(found, side, said) {
    const made = element("div", "", "vote");
    const head = element("p");
    head.append(element("bdi", side.model[1]), " ", judged(found.verdicts[side.about[2]]));
    made.append(head);
    for (const [, , words] of (said ?? []).filter(([who]) => who === JUDGE)) {
      const reason = element("p", words, "words");
      reason.dir = "auto";
      made.append(reason);
    }
    return made;
  }

  // ---- the address ----

  function remember() {
    const kept = new URLSearchParams({ case: `${fields.benchmark.value}/${fields.case.value}`, a: fields.a.value, b: fields.b.value });
    try { history.replaceState(null, "", `?${kept}`); } catch { /* a browser that keeps the address of a file */ }
  }

  const now = () => ({ case: `${fields.benchmark.value}/${fields.case.value}`, a: fields.a.value, b: fields.b.value });
  fields.benchmark.addEventListener("change", () => choose({ ...now(), case: `${fields.benchmark.value}/` }));
  for (const select of [fields.case, fields.a, fields.b]) { select.addEventListener("change", () => choose(now())); }
  form.addEventListener("submit", (event) => event.preventDefault());
  const asked = new URLSearchParams(location.search);
  choose({ case: asked.get("case") ?? "", a: asked.get("a") ?? "", b: asked.get("b") ?? "" });
})();
