"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  async function post(address, content) {
    const headers = { "Content-Type": "application/json", "X-ImpactBench-Token": location.pathname.split("/")[1] };
    try {
      const reply = await fetch(address, { method: "POST", headers, body: JSON.stringify(content) });
      if (!reply.ok) { throw new Error(await reply.text()); }
      location.reload();
    } catch (error) {
      $("problem").textContent = error.message;
      $("problem").hidden = false;
    }
  }
  $("draw")?.addEventListener("submit", (event) => {
    event.preventDefault();
    post("annotate/draw", { conversations: Number($("conversations").value) });
  });
  $("begin")?.addEventListener("submit", (event) => {
    event.preventDefault();
    const person = $("person").value.trim();
    if (person) { location.assign("annotate/sheet.html?person=" + encodeURIComponent(person)); }
  });
  for (const button of document.querySelectorAll(".delete")) {
    button.addEventListener("click", () => {
      const { person } = button.dataset;
      if (confirm("Delete all answers of " + person + "? This cannot be undone.")) { post("annotate/delete", { person }); }
    });
  }
})();
