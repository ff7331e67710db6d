// What the pages share that read conversations: the list of conversations and the conversations of each run are
// scripts that are loaded when they are needed; the parts of a page that show them. Words are put in as text.
(() => {
  "use strict";
  const MARKS = { passed: "✓", failed: "✗", scored: "●", not_applicable: "∅", unclear: "?", unscored: "○" };

  // ---- loading ----

  function script(address) {
    return new Promise((resolve, reject) => {
      const made = document.createElement("script");
      made.src = address;
      made.onload = () => { made.remove(); resolve(); };
      made.onerror = () => { made.remove(); reject(new Error(address)); };
      document.head.append(made);
    });
  }

  let listed;
  const index = () => (listed ??= script("search/index.js").then(() => globalThis.impactbenchSearch));

  let before;
  const earlier = () => (before ??= script("search/earlier.js").then(() => globalThis.impactbenchEarlier));

  const arrived = new Map();  // address -> its words and parts, base64 of compressed JSON, until they are unpacked
  globalThis.impactbenchRun = (address, words, parts) => arrived.set(address, { words, parts });

  async function unpacked(packed) {
    const raw = atob(packed);
    const bytes = new Uint8Array(raw.length);
    for (let place = 0; place < raw.length; place += 1) { bytes[place] = raw.charCodeAt(place); }
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  }

  async function runAt(address) {
    await script(address);
    const packed = arrived.get(address);
    arrived.delete(address);
    return packed;
  }

  const ESCAPED = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "'": "&#39;", '"': "&#34;" };

  // What the page of a conversation shows, as HTML: places in its words are put in again; null where there is none.
  async function partOf(address, name) {
    const { words, parts } = await runAt(address);
    const run = await unpacked(words);
    const place = run.findIndex(([own]) => own === name);
    if (place < 0) { return null; }
    const said = run[place][1].map(([, , text]) => text.replace(/[&<>'"]/g, (sign) => ESCAPED[sign])).join("\n");
    return (await unpacked(parts))[place].replace(/\0(\d+)\+(\d+)\0/g, (_, start, length) => said.substr(start, length));
  }

  // By name and not by place: a run may hold conversations that another run has as well, and that no list has.
  const loaded = new Map();  // address -> promise of name -> the words of a conversation, and the quotes of judges in them
  function wordsOf(run) {
    if (!run.words) { return new Map(); }
    if (!loaded.has(run.words)) {
      loaded.set(run.words, runAt(run.words).then(({ words }) => unpacked(words)).then((found) => new Map(found.map(([name, said, quotes]) => [name, { said, quotes }])))
        .catch(() => { loaded.delete(run.words); return null; }));
    }
    return loaded.get(run.words);
  }

  const nameOf = ({ run, place }) => {
    const [id, , , , name] = run.conversations[place];
    return name ?? id;
  };
  const pageOf = (one) => one.run.folder + nameOf(one);

  // ---- showing ----

  function element(name, text, className) {
    const made = document.createElement(name);
    if (text) { made.textContent = text; }
    if (className) { made.className = className; }
    return made;
  }

  function judged(word) {
    const mark = element("span", `${MARKS[word]} `);
    mark.setAttribute("aria-hidden", "true");
    const made = element("span", "", `verdict ${word}`);
    made.append(mark, word.replaceAll("_", " "));
    return made;
  }

  function behindNote(inside, id, note) {
    const made = element("details");
    const summary = element("summary");
    summary.append(element("strong", "Content note. "), note);
    made.append(summary, inside);
    made.open = ["localStorage", "sessionStorage"].some((store) => {
      try { return window[store].getItem(`impactbench-note-${id}`) === "open"; } catch { return false; }
    });
    return made;
  }

  globalThis.impactbenchReader = { index, earlier, partOf, wordsOf, nameOf, pageOf, element, judged, behindNote };
})();
