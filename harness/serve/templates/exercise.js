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

at("result").addEventListener("click", (event) => {
  const line = event.target.closest("[data-line]")?.dataset.line;
  if (!line) return;
  editor.setCursor({line: Number(line) - 1, ch: 0});
  editor.focus();
});

// --- Checks and hints ---------------------------------------------------------------------------

let newest = 0;
async function check() {
  if (!await save()) return;
  const mine = ++newest;
  at("progress").textContent = "waiting";
  at("result").replaceChildren();
  mark([]);
  live([]);
  const started = await ask("/api/checks/" + operator, {});
  if (!started) return;
  if (!started.ok) { notice(await started.text()); return; }
  const {id} = await started.json();
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
    if (state.html) at("result").innerHTML = state.html;
  }
}
at("check").addEventListener("click", check);
onCtrlEnter = check;

at("hint").addEventListener("click", async () => {
  const answer = await ask("/api/hint/" + operator, {});
  if (!answer) return;
  const html = await answer.text();
  if (!answer.ok) { notice(html); return; }
  const shown = document.createElement("div");
  shown.innerHTML = html;
  const title = shown.querySelector("h3").textContent;
  const is_new = ![...at("hints-shown").querySelectorAll("h3")].some((one) => one.textContent === title);
  if (is_new) at("hints-shown").append(shown);
});

at("reset").addEventListener("click", async () => {
  await save();
  const answer = await ask("/api/reset/" + operator, {});
  if (!answer) return;
  if (!answer.ok) { notice(await answer.text()); return; }
  const {kept} = await answer.json();
  await look();
  notice(kept ? `The stub is back. Your text is kept as attempt ${kept}.` : "The stub is back.", true);
  editor.focus();
});
