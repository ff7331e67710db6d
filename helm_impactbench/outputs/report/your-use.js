// Ranks models by what counts for the reader. Rates and intervals within a benchmark come from Python for every choice
// (analysis/weighted.py); here they are only combined over benchmarks, as stats/strata.py does in mean_interval.
(() => {
  "use strict";
  const data = globalThis.impactbenchYourUse;
  const form = document.getElementById("weights");
  if (!data || !form) { return; }
  const WORDS = ["off", "normal", "double"];
  const GROUPS = ["area", "level", "type"];

  // The group's weights in the data's order; a group without controls counts as normal.
  function chosen(group) {
    return data.groups[group].map((_, place) => {
      const picked = form.querySelector(`input[name="${group}-${place}"]:checked`);
      return picked ? Number(picked.value) : 1;
    });
  }

  // All double is all normal: what is left of the weights is their ratio.
  function ratio(weights) {
    const some = weights.filter((weight) => weight > 0);
    return weights.map((weight) => (some.every((other) => other === 2) ? weight / 2 : weight)).join(",");
  }

  function weightOf(benchmark, areas) {
    const own = benchmark.areas.map((area) => data.groups.area.indexOf(area)).filter((place) => place >= 0);
    return own.length ? Math.max(...own.map((place) => areas[place])) : 1;
  }

  const bySeverity = () => Boolean(form.querySelector('input[name="severity"]:checked'));

  function rate(benchmark, model, choice, severe = bySeverity()) {
    const all = (severe ? benchmark.severe : benchmark.rates)[model];
    return all && all[3 * choice] !== null ? all.slice(3 * choice, 3 * choice + 3) : null;
  }

  // The weighted mean over benchmarks; its distances to the bounds add up as variances do (MOVER), or, where the runs
  // of a benchmark may stop early, as they are.
  function combined(parts, early) {
    const whole = parts.reduce((sum, [weight]) => sum + weight, 0);
    const value = parts.reduce((sum, [weight, [mean]]) => sum + weight * mean, 0) / whole;
    if (parts.some(([, [, low, high]]) => low === null || high === null)) { return [value, null, null]; }
    if (early) { return [value, ...[1, 2].map((end) => parts.reduce((sum, [weight, found]) => sum + weight * found[end], 0) / whole)]; }
    const below = Math.sqrt(parts.reduce((sum, [weight, [mean, low]]) => sum + ((weight / whole) * (mean - low)) ** 2, 0));
    const above = Math.sqrt(parts.reduce((sum, [weight, [mean, , high]]) => sum + ((weight / whole) * (high - mean)) ** 2, 0));
    return [value, Math.max(0, value - below), Math.min(1, value + above)];
  }

  function ranked(areas, levels, types, severe = bySeverity()) {
    const choice = data.choices[`${ratio(levels)}|${ratio(types)}`];
    const weighed = data.benchmarks.map((benchmark) => [benchmark, choice === undefined ? 0 : weightOf(benchmark, areas)]);
    const known = ([benchmark]) => data.models.some((_, model) => rate(benchmark, model, choice, severe));
    const counted = weighed.filter((one) => one[1] > 0 && known(one));
    const together = levels.filter((weight) => weight > 0).length > 1;
    const scores = data.models.map((model, place) => {
      const own = counted.map(([benchmark, weight]) => [weight, rate(benchmark, place, choice, severe), benchmark]);
      const parts = own.filter(([, found]) => found);
      const lacks = own.filter(([, found]) => !found).map(([, , benchmark]) => benchmark.name);
      const early = parts.some(([, , benchmark]) => benchmark.early.includes(place));
      const apart = model.apart.filter((axis) => axis !== data.axis || together);
      return { model, place, lacks, apart, score: parts.length ? combined(parts, early) : null };
    });
    const isWhole = (one) => one.score && !one.lacks.length && !one.apart.length;
    const order = (one, other) => other.score[0] - one.score[0] || one.place - other.place;
    const whole = scores.filter(isWhole).sort(order);
    const rest = scores.filter((one) => !isWhole(one));
    const empty = weighed.filter((one) => one[1] > 0 && !known(one)).map(([benchmark]) => benchmark);
    return { whole, rest, counted, empty, off: weighed.filter((one) => !one[1]).map(([benchmark]) => benchmark) };
  }

  // As Python prints a share: ties, which binary numbers have at quarters alone, go to the even digit.
  function percent(share) {
    const tenths = 1000 * share;
    const even = tenths % 1 === 0.5 ? 2 * Math.round(tenths / 2) : Math.round(tenths);
    return `${(even / 10).toFixed(1)}%`;
  }

  function element(name, text, className) {
    const made = document.createElement(name);
    if (text) { made.textContent = text; }
    if (className) { made.className = className; }
    return made;
  }

  function link(page, text) {
    const made = element("a");
    made.href = page;
    made.append(element("bdi", text));
    return made;
  }

  function drawing([value, low, high]) {
    const svg = (name, attributes) => {
      const made = document.createElementNS("http://www.w3.org/2000/svg", name);
      for (const [key, given] of Object.entries(attributes)) { made.setAttribute(key, given); }
      return made;
    };
    const whole = svg("svg", { viewBox: "0 0 208 20", preserveAspectRatio: "xMinYMid", "aria-hidden": "true", focusable: "false" });
    const at = (share) => 4 + 200 * share;
    whole.append(svg("line", { class: "axis", x1: 4, x2: 204, y1: 10, y2: 10 }));
    if (low !== null) { whole.append(svg("line", { class: "range", x1: at(low), x2: at(high), y1: 10, y2: 10 })); }
    whole.append(svg("circle", { class: "dot", cx: at(value), cy: 10, r: 4 }));
    return whole;
  }

  function whyNot(one) {
    if (!one.score) { return "not ranked: no score on what counts here"; }
    if (one.lacks.length) { return `not ranked: no score on ${one.lacks.join(", ")}`; }
    const cure = one.apart.includes(data.axis) ? "; choose whom you mean" : "";
    return `not ranked: people of different ${one.apart.join(" and ")} fare differently${cure}`;
  }

  function row(one, place, normal) {
    const made = element("tr", "", place ? "" : "unranked");
    const name = element("th");
    name.scope = "row";
    name.append(link(one.model.page, one.model.name));
    made.append(element("td", place ? String(place) : "–", "n"), name);
    if (!place) {
      const why = whyNot(one);
      const cell = element("td", why, "why");
      cell.colSpan = 4;
      made.append(cell);
      return made;
    }
    const [value, low, high] = one.score;
    const score = element("td", "", "n");
    const figure = element("data", percent(value));
    figure.value = value;
    score.append(figure);
    const chart = element("td", "", "chart");
    chart.append(drawing(one.score));
    const interval = low === null ? "unknown" : `${percent(low)} to ${percent(high)}`;
    made.append(score, element("td", interval, "n interval"), chart, element("td", normal ? percent(normal[0]) : "–", "n normal"));
    return made;
  }

  const plural = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;

  function said(found, sizes) {
    for (const [group, words] of [["area", "area"], ["level", "kind of person"], ["type", "kind of behaviour"]]) {
      if (sizes[group].every((weight) => weight === 0)) { return `Every ${words} is off. Mark at least one as normal or double.`; }
    }
    if (!found.counted.length) { return "No conversation with a verdict is of this kind. Mark more as normal or double."; }
    const rest = found.rest.length ? `; ${plural(found.rest.length, "model")} not ranked` : "";
    return `${plural(found.whole.length, "model")} ranked over ${found.counted.length} of ${plural(data.benchmarks.length, "benchmark")}${rest}.`;
  }

  function counts(found) {
    const line = (benchmark, words) => {
      const made = element("li");
      made.append(link(benchmark.page, benchmark.name), `: ${words}`);
      return made;
    };
    return [
      ...found.counted.map(([benchmark, weight]) => line(benchmark, WORDS[weight])),
      ...found.empty.map((benchmark) => line(benchmark, "left out, because no conversation of this kind has a verdict")),
      ...found.off.map((benchmark) => line(benchmark, "off")),
    ];
  }

  // With everything normal the ranks are those of the overview's tests.
  const TESTED = "Ranks are those of the overview.";
  const OPEN = " A span such as 2 to 3 means that tests leave these ranks open.";
  const UNTESTED = "Order of scores, not tested: models whose intervals overlap may well be equal.";
  const isNormal = (sizes) => !bySeverity() && GROUPS.every((group) => ratio(sizes[group]).split(",").every((weight) => weight === "1" || weight === ""));
  const rank = (model) => (model.rank ? [...new Set(model.rank)].join(" to ") : "–");

  const normal = new Map(ranked(...GROUPS.map((group) => data.groups[group].map(() => 1)), false).whole.map((one) => [one.place, one.score]));

  function show() {
    const sizes = Object.fromEntries(GROUPS.map((group) => [group, chosen(group)]));
    const found = ranked(...GROUPS.map((group) => sizes[group]));
    document.getElementById("summary").textContent = said(found, sizes);
    const tested = isNormal(sizes);
    document.getElementById("caution").textContent = tested ? TESTED + (found.whole.some((one) => rank(one.model).includes(" to ")) ? OPEN : "") : UNTESTED;
    const place = (one) => 1 + found.whole.findIndex((other) => other.score[0] === one.score[0]);  // equal scores share one
    const rows = found.counted.length
      ? [...found.whole.map((one) => row(one, tested ? rank(one.model) : place(one), normal.get(one.place))), ...found.rest.map((one) => row(one, 0))]
      : [];
    document.getElementById("models").replaceChildren(...rows);
    for (const id of ["ranking", "caution", "counted"]) { document.getElementById(id).hidden = !rows.length; }
    document.querySelector("#counted ul").replaceChildren(...counts(found));
    remember(sizes);
  }

  // ?off=level:adult&double=area:societal
  function remember(sizes) {
    const wanted = new URLSearchParams();
    for (const group of GROUPS) {
      sizes[group].forEach((weight, place) => {
        if (weight !== 1) { wanted.append(WORDS[weight], `${group}:${data.groups[group][place]}`); }
      });
    }
    if (bySeverity()) { wanted.append("count", "severity"); }
    const text = String(wanted);
    try { history.replaceState(null, "", text ? `?${text}` : location.pathname); } catch { /* a browser that keeps the address of a file */ }
  }

  function recall() {
    const wanted = new URLSearchParams(location.search);
    for (const group of GROUPS) {
      data.groups[group].forEach((name, place) => {
        const weight = WORDS.findIndex((word) => wanted.getAll(word).includes(`${group}:${name}`));
        const picked = form.querySelector(`input[name="${group}-${place}"][value="${weight < 0 ? 1 : weight}"]`);
        if (picked) { picked.checked = true; }
      });
    }
    const severity = form.querySelector('input[name="severity"]');
    if (severity) { severity.checked = wanted.get("count") === "severity"; }
  }

  recall();
  form.addEventListener("change", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(show));
  document.querySelector(".use").hidden = false;
  show();
})();
