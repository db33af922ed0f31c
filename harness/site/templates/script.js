"use strict";
// Search and keys. Without this script every page can be read, and the search box is hidden.

const box = document.querySelector("#search");
const list = document.querySelector("#found");
const count = document.querySelector("#count");
const hits = document.querySelector(".hits");
const root = document.body.dataset.root;
const mostShown = 10;

// Loaded when it is needed; a script, because pages on a disk may not fetch a file.
let loading = null;
function loadIndex() {
  loading ??= new Promise((resolve) => {
    const script = document.createElement("script");
    script.src = root + "search.js";
    script.onload = resolve;
    document.head.append(script);
  });
  return loading;
}

// All words must be there; a word in the title counts more.
function find(words) {
  const found = [];
  for (const [address, title, text, hidden] of window.kataIndex) {
    const heading = title.toLowerCase(), body = text.toLowerCase();
    let score = 0;
    for (const word of words) {
      const inTitle = heading.includes(word);
      if (!inTitle && !body.includes(word)) { score = 0; break; }
      score += inTitle ? 10 : 1;
    }
    if (score > 0) found.push({address, title, score: score - title.length / 1000,
                              text: hidden ? "" : around(text, body.indexOf(words[0]))});
  }
  return found.sort((a, b) => b.score - a.score);
}

function around(text, at) {
  const begin = Math.max(0, at - 40);
  return (begin > 0 ? "... " : "") + text.slice(begin, begin + 120);
}

function item(hit) {
  const entry = document.createElement("li"), link = document.createElement("a"),
        text = document.createElement("span");
  link.href = root + hit.address;
  link.textContent = hit.title;
  text.textContent = hit.text;
  entry.append(link, text);
  return entry;
}

async function search() {
  await loadIndex();
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  const all = words.length ? find(words) : [];
  list.replaceChildren(...all.slice(0, mostShown).map(item));
  hits.hidden = !words.length;
  count.textContent = !words.length ? "" : all.length > mostShown
    ? `The first ${mostShown} of ${all.length}: more words find fewer` : `${all.length} found`;
}

function close() {
  box.value = "";
  box.blur();
  return search();
}

box.form.hidden = false;
box.addEventListener("focus", () => { loadIndex(); hits.hidden = !box.value; });
box.addEventListener("input", search);
box.form.addEventListener("focusout", (event) => {
  if (!box.form.contains(event.relatedTarget)) hits.hidden = true;
});
box.form.addEventListener("submit", async (event) => {
  event.preventDefault();
  await search();
  list.querySelector("a")?.click();
});

// The operators that have all chosen labels.
const filter = document.querySelector(".filter");
if (filter) {
  filter.hidden = false;
  filter.addEventListener("change", () => {
    const wanted = [...filter.querySelectorAll("select")].map((one) => one.value).filter(Boolean);
    for (const card of document.querySelectorAll("[data-labels]")) {
      const labels = card.dataset.labels.split(" ");
      card.hidden = !wanted.every((one) => labels.includes(one));
    }
  });
}

const links = {j: "a[rel=next]", k: "a[rel=prev]", u: "a[rel=up]"};
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape" && box.form.contains(event.target)) { close(); return; }
  if (event.target.closest("input, textarea, select")) return;
  if (event.key === "/") {
    event.preventDefault();
    box.focus();
  } else if (links[event.key]) {
    document.querySelector(links[event.key])?.click();
  }
});
