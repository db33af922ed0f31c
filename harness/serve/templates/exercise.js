"use strict";
// The exercise's page: checks of the file in the editor, hints and a fresh start.

const operator = document.querySelector("#work").dataset.operator;

function live(findings) {
  at("live").replaceChildren(...findings.map((one) => {
    const item = document.createElement("li");
    item.className = one.severity;
    item.textContent = `${one.line > 0 ? `Line ${one.line}: ` : ""}${one.severity}: ${one.kind}: ${one.message}`;
    return item;
  }));
}

// --- The result ---------------------------------------------------------------------------------

const lineButtons = () => at("result").querySelectorAll("[data-line]");

at("result").addEventListener("click", (event) => {
  const line = event.target.closest("[data-line]")?.dataset.line;
  const now = line && lineNow(Number(line));
  if (!now) return;
  editor.setCursor({line: now - 1, ch: 0});
  editor.focus();
});

// Lines move while one types.
function nameLines() {
  for (const button of lineButtons()) {
    const now = lineNow(Number(button.dataset.line));
    button.textContent = now ? `Line ${now}` : "A line that is gone";
    button.disabled = !now;
  }
}
editor.on("change", nameLines);

// What a person has opened stays open when more is known.
function showResult(html) {
  const name = (one) => one.querySelector("summary").textContent;
  const opened = [...at("result").querySelectorAll("details[open]")].map(name);
  at("result").innerHTML = html;
  for (const one of at("result").querySelectorAll("details")) one.open = opened.includes(name(one));
  nameLines();
}

function clearResult() {
  at("progress").textContent = "";
  at("result").replaceChildren();
  mark([]);
  live([]);
}

// --- Checks -------------------------------------------------------------------------------------

let newest = 0;
const checkKey = "kata-check:" + operator;

async function check() {
  if (!await save()) return;
  const mine = ++newest;
  notice("");
  clearResult();
  rememberLines();
  at("progress").textContent = "waiting";
  const started = await ask("/api/checks/" + operator, {});
  if (!started) return;
  if (!started.ok) { notice(await started.text()); return; }
  const {id} = await started.json();
  keep(sessionStorage, checkKey, {id, text: text()});
  await followCheck(id, mine);
}

async function followCheck(id, mine) {
  for (let seen = 0, done = false; !done && mine === newest;) {
    const answer = await ask(`/api/checks/${id}?seen=${seen}`);
    if (!answer) { await pause(500); continue; }
    if (mine !== newest) return;
    if (answer.status === 404) { at("progress").textContent = "The server was started again: check once more."; return; }
    if (!answer.ok) return;
    const state = await answer.json();
    if (state.version === seen && !state.done) continue;
    seen = state.version;
    done = state.done;
    at("progress").textContent = done ? state.remark : state.progress;
    mark(state.findings);
    live(state.html ? [] : state.findings);
    if (state.html) showResult(state.html);
  }
}

// After a reload: the check that was shown, if it is of the text that stands here.
onOpened = () => {
  const last = kept(sessionStorage, checkKey);
  if (!last || last.text !== text()) return;
  rememberLines();
  followCheck(last.id, ++newest);
};
if (base !== null) onOpened();

at("check").addEventListener("click", check);
onCtrlEnter = check;

// --- Help ---------------------------------------------------------------------------------------

for (const link of document.querySelectorAll("a[data-waits]"))
  link.addEventListener("click", () => notice(link.dataset.waits, true));

const hintsKey = "kata-hints:" + operator;
at("hints-shown").innerHTML = kept(sessionStorage, hintsKey) ?? "";

at("hint").addEventListener("click", async () => {
  const answer = await ask("/api/hint/" + operator, {});
  if (!answer) return;
  const html = await answer.text();
  if (!answer.ok) { notice(html); return; }
  const shown = document.createElement("div");
  shown.innerHTML = html;
  const title = shown.querySelector("h3").textContent;
  for (const one of at("hints-shown").querySelectorAll("h3"))
    if (one.textContent === title) one.parentElement.remove();
  at("hints-shown").append(shown);
  keep(sessionStorage, hintsKey, at("hints-shown").innerHTML);
});

at("reset").addEventListener("click", async () => {
  await save();
  const answer = await ask("/api/reset/" + operator, {});
  if (!answer) return;
  if (!answer.ok) { notice(await answer.text()); return; }
  const {kept: isKept} = await answer.json();
  ++newest;  // what is checked now is of another text
  keep(sessionStorage, checkKey, null);
  await look();
  clearResult();
  notice(isKept ? "The stub is back. Your text is the newest of your attempts." : "The stub is back.", true);
  editor.focus();
});
