"use strict";
// An interview: what the interviewer says, a line to answer, the file beside it and the clock.

const phases = {working: "writing", drills: "drills", questions: "follow-up questions", over: "over"};
let heard = "";
let phase = "working";

// Only what is new is added, so that a screen reader does not begin again.
function hear(all) {
  const box = at("said");
  if (!all.startsWith(heard)) { box.textContent = ""; heard = ""; }
  if (all === heard) return;
  box.append(all.slice(heard.length));
  heard = all;
  box.scrollTop = box.scrollHeight;
}

async function say(line) {
  if (/^(check|submit)$/.test(line) || phase === "drills") if (!await save()) return;
  const answer = await ask("/api/interview", {line});
  if (answer && !answer.ok) notice(await answer.text());
}

at("speak").addEventListener("submit", (event) => {
  event.preventDefault();
  say(at("line").value);
  at("line").value = "";
});
for (const button of document.querySelectorAll("[data-word]"))
  button.addEventListener("click", () => {
    const word = button.dataset.word;
    if (word !== "give up" || confirm("End the interview without an answer?")) say(word);
  });
onCtrlEnter = () => {
  if (phase === "working") say("check");
  else if (!at("repair").hidden) say("");
};

function showPhase(state) {
  phase = state.running ? state.phase : "over";
  at("phase").textContent = phases[phase];
  for (const one of ["working", "drills", "questions"]) at("words-" + one).hidden = one !== phase;
  at("speak").hidden = phase === "over";
  at("ended").hidden = phase !== "over";
}

async function followInterview() {
  for (let seen = 0, running = true; running;) {
    const answer = await ask("/api/interview?seen=" + seen);
    if (!answer?.ok) { await pause(1000); continue; }
    const state = await answer.json();
    ({running} = state);
    seen = state.bytes;
    hear(state.text);
    showPhase(state);
    setClock(running ? state.left_ms : null);
    if (!state.file) continue;
    await openFile(state.file);
    at("repair").hidden = !state.at_repair;
    editor.setOption("readOnly", phase === "drills" && !state.at_repair);
  }
}
followInterview();
