"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  async function pause(wanted) {
    const headers = { "X-ImpactBench-Token": location.pathname.split("/")[1] };
    try {
      const reply = await fetch("live/pause", { method: "POST", headers, body: String(wanted) });
      $("said").textContent = reply.ok ? (wanted ? "Asked to pause." : "Asked to continue.") : await reply.text();
    } catch (error) {
      $("said").textContent = "impactbench view does not answer.";
    }
    look();
  }
  let before = "";
  async function look() {
    try {
      const text = await (await fetch("live/part.html")).text();
      if (text === before) { return; }
      before = text;
      const focused = document.activeElement?.closest("#part a")?.getAttribute("href");
      // What models wrote is escaped by the template, and the page's policy allows no script in it.
      $("part").innerHTML = text;
      for (const link of focused ? $("part").querySelectorAll("a") : []) {
        if (link.getAttribute("href") === focused) { link.focus({ preventScroll: true }); }
      }
      const alive = $("state").dataset.alive === "yes";
      for (const id of ["pause", "continue"]) { $(id).hidden = !alive; }
    } catch (error) {
      $("said").textContent = "impactbench view does not answer.";
    }
  }
  $("pause").addEventListener("click", () => pause(true));
  $("continue").addEventListener("click", () => pause(false));
  setInterval(look, 1000);
})();
