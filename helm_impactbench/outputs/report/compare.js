// Two answers to the same case side by side, turn by turn: the first turn in which the assistants differ is marked.
// The address says which: ?case=benchmark/id&a=MODEL&b=MODEL; without a model one that passed and one that failed.
// Where several runs of a model have the case, MODEL@SET-UP says which; of an earlier suite it is MODEL@SUITE.
(() => {
  "use strict";
  const { index, earlier, wordsOf, nameOf, pageOf, element, judged, behindNote } = globalThis.impactbenchReader;
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

  // Case -> its conversations by what the address calls them, in the order of the models, one for each run.
  function casesOf(found, slug, past) {
    const cases = new Map();
    for (const run of found.runs.filter((one) => found.benchmarks[one.benchmark][0] === slug)) {
      run.conversations.forEach((about, place) => {
        const own = cases.get(about[0]) ?? [];
        own.push({ run, model: found.models[run.model], about, name: nameOf({ run, place }), page: pageOf({ run, place }) });
        cases.set(about[0], own);
      });
    }
    for (const run of past.filter((one) => one.benchmark === slug)) {
      const shown = found.models.find(([model]) => model === run.model)?.[1] ?? run.model;
      for (const [id, verdict, changed, name] of run.conversations) {
        const own = cases.get(id);
        if (!own) { continue; }  // a case of then alone
        const [{ about }] = own;
        own.push({ run, changed, name, model: [`${run.model}@${run.suite}`, `${shown}, ${run.suite}`], about: [id, about[1], verdict, about[3]] });
      }
    }
    return new Map([...cases].map(([id, own]) => [id, new Map(own.map((side) => keyed(side, own)))]));
  }

  // What the address calls a conversation, and the conversation: with its set-up where the model has several.
  function keyed(side, all) {
    const [key, title] = side.model;
    const model = all.some((other) => other !== side && other.model[0] === key)
      ? [`${key}@${side.run.setup}`, side.run.apart ? `${title} (${side.run.apart})` : title]
      : side.model;
    return [model[0], { ...side, model }];
  }

  // Without the set-up where it has one, and with any where it has none: an address may come from another case.
  const nearest = (own, wanted) => wanted && (own.has(wanted) ? wanted : [...own.keys()].find((key) => key.startsWith(`${wanted}@`) || wanted.startsWith(`${key}@`)));

  const titleOf = (found, id, own) => {
    const [{ about }] = own.values();
    const levels = found.levels[about[3]].map(([, level]) => level);
    return [found.metrics[about[1]][1], ...levels, id].join(", ");
  };

  // A model that passed and one that failed, where the address names none.
  function pair(found, own, wanted) {
    const models = [...own.keys()];
    const verdict = (model) => found.verdicts[own.get(model).about[2]];
    const right = nearest(own, wanted.b);
    const a = nearest(own, wanted.a) || (models.find((model) => verdict(model) === "passed" && model !== right) ?? models.find((model) => model !== right) ?? right);
    const others = models.filter((model) => model !== a);
    const b = right || (others.find((model) => verdict(model) !== verdict(a)) ?? others[0]);
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
    const words = await Promise.all(sides.map(async ({ run, name }) => (await wordsOf(run))?.get(name) ?? { said: [], quotes: [] }));
    if (own !== latest) { return; }
    const turns = [...new Set(words.flatMap(({ said }) => said.filter(([who]) => who !== JUDGE).map(([, turn]) => turn)))].sort((one, other) => one - other);
    // The words of a turn, and the quotes of judges in them.
    const message = (side, who, turn) => {
      const { said, quotes } = words[side];
      const place = said.findIndex((one) => one[0] === who && one[1] === turn);
      return { text: said[place]?.[2] ?? "", quotes: quotes.filter(([, , at]) => at === place).map((quote) => [SIDES[side], quote]) };
    };
    const first = turns.find((turn) => message(0, ASSISTANT, turn).text !== message(1, ASSISTANT, turn).text);
    const changed = sides.some((side) => side.changed) ? " The case itself is not the same as then." : "";
    const whole = words.every(({ said }) => said.length);
    status.textContent = before + (!whole ? "The words of a conversation were not imported, are hidden in this report (redacted), or could not be loaded."
      : first === undefined ? "The two answered alike, word for word." : `The answers differ from turn ${first.toLocaleString("en")} on.`) + changed;
    const list = element("ol", "", "plainlist aligned");
    list.append(...turns.map((turn) => turnOf(turn, turn === first, sides, message)));
    const [, , note] = found.metrics[sides[0].about[1]];
    const about = element("div", "", "two heads");
    about.append(...sides.map((side) => headOf(found, side)));
    const reasons = element("div", "", "two");
    reasons.append(...sides.map((side, place) => reasonsOf(found, side, words[place], SIDES[place])));
    const all = element("div");
    all.append(list, element("h2", "What the judges said"), reasons);
    shown.replaceChildren(about, note ? behindNote(all, note, found.notes[note]) : all);
  }

  function headOf(found, side) {
    const made = element("h2");
    const link = element(side.page ? "a" : "span");
    if (side.page) { link.href = side.page; }
    link.append(element("bdi", side.model[1]));
    made.append(link, " ", judged(found.verdicts[side.about[2]]));
    return made;
  }

  function turnOf(turn, isFirst, sides, message) {
    const made = element("li");
    made.append(element("h3", `Turn ${turn}${isFirst ? ": the first difference" : ""}`));
    if (isFirst) { made.className = "first"; made.id = "first"; }
    const persons = [message(0, PERSON, turn), message(1, PERSON, turn)];
    const alike = persons[0].text === persons[1].text;
    if (alike) { made.append(bubble("user", "Simulated person", persons[0].text, persons.flatMap(({ quotes }) => quotes))); }
    const row = element("div", "", "two");
    sides.forEach((side, place) => {
      const column = element("div");
      if (!alike) { column.append(bubble("user", "Simulated person", persons[place].text, persons[place].quotes)); }
      const { text, quotes } = message(place, ASSISTANT, turn);
      column.append(bubble("assistant", side.model[1], text, quotes));
      row.append(column);
    });
    made.append(row);
    return made;
  }

  function bubble(kind, who, words, quotes) {
    const made = element("div", "", `message ${kind}`);
    const said = element("div", words ? "" : "No message in this turn.", words ? "text" : "soft");
    said.dir = "auto";
    said.append(...marked(words, quotes));
    made.append(element("p", who, "who"), said);
    return made;
  }

  // The words with what judges quote marked, as on the page of a conversation; quotes: side and quote.
  function marked(words, quotes) {
    const spans = quotes.map(([side, [number, , , start, length]]) => ({ side, number, start, end: start + length }));
    const cuts = [...new Set([0, words.length, ...spans.flatMap(({ start, end }) => [start, end])])].sort((one, other) => one - other);
    return cuts.slice(0, -1).flatMap((start, place) => {
      const text = words.slice(start, cuts[place + 1]);
      const over = spans.filter((span) => span.start <= start && start < span.end);
      const mark = over.length ? element("mark", text) : text;
      const begins = spans.filter((span) => span.start === start).map(({ side, number }) => {
        const at = element("span", "", "at");
        at.id = `${side}e${number}`;
        at.tabIndex = -1;
        return at;
      });
      const ends = spans.filter((span) => span.end === cuts[place + 1]).map(({ side, number }) => {
        const raised = element("sup");
        raised.append(leading(`#${side}q${number}`, number, `Evidence ${number}: to the reason`));
        return raised;
      });
      return [...begins, mark, ...ends];
    });
  }

  function leading(goal, text, label) {
    const link = element("a", text);
    link.href = goal;
    link.setAttribute("aria-label", label);
    return link;
  }

  // What a judge quotes for a reason, with the numbers that the marks have.
  function quotesOf(quotes, said, side) {
    const made = element("ol", "", "quotes");
    made.append(...quotes.map(([number, , place, start, length]) => {
      const [, turn, text] = said[place];
      const item = element("li");
      item.id = `${side}q${number}`;
      item.tabIndex = -1;
      const shown = element("span", number, "number");
      shown.setAttribute("aria-hidden", "true");
      const quote = element("q", text.slice(start, start + length), "words");
      quote.dir = "auto";
      item.append(shown, quote, " ", leading(`#${side}e${number}`, `in turn ${turn}`, `Evidence ${number}, in turn ${turn}`));
      return item;
    }));
    return quotes.length ? [made] : [];
  }

  function reasonsOf(found, side, { said, quotes }, letter) {
    const made = element("div", "", "vote");
    const head = element("p");
    head.append(element("bdi", side.model[1]), " ", judged(found.verdicts[side.about[2]]));
    made.append(head);
    said.forEach(([who, , words], place) => {
      if (who !== JUDGE) { return; }
      const reason = element("p", words, "words");
      reason.dir = "auto";
      made.append(reason, ...quotesOf(quotes.filter(([, of]) => of === place), said, letter));
    });
    made.append(...quotesOf(quotes.filter(([, of]) => of < 0), said, letter));
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
