"use strict";
document.getElementById("filter").addEventListener("submit", (event) => {
  event.preventDefault();
  const chosen = new URLSearchParams();
  for (const list of document.querySelectorAll("#filter select")) {
    for (const option of list.selectedOptions) { chosen.append(list.name, option.value); }
  }
  location.assign("filter.html?" + chosen);
});
