"use strict";
// An interview: what the interviewer says, a line to answer, the file beside it and the clock.

const phases = {working: "writing", drills: "drills", questions: "follow-up questions", grade: "follow-up questions",
                left: "left", over: "over"};
let phase = "working";

// --- What is said -------------------------------------------------------------------------------

let earlier = "";  // what was said before it was left, and gone on with
let heard = "";    // as the interviewer said it
let shown = "";    // the same as the page shows it
let checkAt = 0;   // where in `heard` the last check begins

// The terminal's prompts become the person's words; one that waits for them is left out.
const prompt = /^(?:\[[^\]\n]*\] (?:\w+ )?|Type your answer[^\n>]*|Your answer was:[^\n>]*)> /.source;
const asksForGrade = (all) => /Your answer was:[^\n>]*> $/.test(all);
function spoken(all) {
  return all.replace(/[\x00-\x08\x0b-\x1f\x7f]/g, "")
    .replace(new RegExp(prompt + "?$(?![\\s\\S])", "m"), "")
    .replace(new RegExp(prompt, "gm"), "You: ");
}

// Only what is new is added, so that a screen reader does not begin again.
function hear(all) {
  if (all === heard) return;
  const text = spoken(all), box = at("said");
  if (!all.startsWith(heard)) {
    earlier = box.textContent;
    shown = "";
    checkAt = 0;
  }
  if (text.startsWith(shown)) box.append(text.slice(shown.length));
  else box.textContent = earlier + text;
  heard = all;
  shown = text;
  box.scrollTop = box.scrollHeight;
  markFindings();
}

const finding = /:(\d+):\d+: (?:fatal )?(error|warning|advice): (?:(\w+): )?(.*)/g;
function markFindings() {
  mark([...heard.slice(checkAt).matchAll(finding)].map(([, line, severity, kind, message]) =>
    ({line: Number(line), severity, kind: kind ?? "does not compile", message})));
}
const lastCheckFailed = () => /^(?:FAIL|ERROR) /m.test(heard.slice(checkAt));

// The answers that a question lists by number below it, if it is the last that was said.
function offerChoices() {
  const listed = [...(shown.trimEnd().split("\n\n").at(-1)).matchAll(/(?:^|\s) {1,3}(\d{1,2}) (\S.*?)(?= {3,}|\n|$)/g)];
  const inOrder = phase === "drills" && listed.length > 1 && listed.every(([, number], i) => Number(number) === i + 1);
  at("choices").replaceChildren(...(inOrder ? listed : []).map(([, number, text]) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = `${number} ${text.trim()}`;
    button.addEventListener("click", () => say(number));
    return button;
  }));
}

// --- What is answered ---------------------------------------------------------------------------

// True if the interviewer got it.
async function say(line) {
  if (/^(check|submit)$/.test(line) || phase === "drills") if (!await save()) return false;
  if (line === "check") {
    checkAt = heard.length;
    rememberLines();
  }
  const answer = await ask("/api/interview", {line});
  if (answer && !answer.ok) notice(await answer.text());
  return !!answer?.ok;
}

at("speak").addEventListener("submit", async (event) => {
  event.preventDefault();
  const line = at("line").value;
  if (await say(line) && at("line").value === line) at("line").value = "";
});

const questions = {
  "give up": () => confirm("End the interview without an answer?"),
  "submit": () => !lastCheckFailed() || confirm("The last check failed. Submit all the same?"),
};
for (const button of document.querySelectorAll("[data-word]"))
  button.addEventListener("click", () => {
    const {word} = button.dataset;
    if (questions[word]?.() ?? true) say(word);
  });
onCtrlEnter = () => {
  if (phase === "working" && !at("check").hidden) say("check");
  else if (!at("repair").hidden) say("");
};

at("continue").addEventListener("click", async () => {
  const answer = await ask("/interview/resume", {});
  if (answer && !answer.ok) notice(await answer.text());
  else if (answer) followInterview();
});

// --- Where it stands ----------------------------------------------------------------------------

function showPhase(state) {
  phase = !state.running ? (state.open ? "left" : "over")
    : state.phase === "questions" && asksForGrade(heard) ? "grade" : state.phase;
  at("phase").textContent = phases[phase];
  for (const one of ["working", "drills", "questions", "grade"]) at("words-" + one).hidden = one !== phase;
  at("check").hidden = state.whiteboard;
  at("speak").hidden = !state.running;
  at("left").hidden = phase !== "left" || state.elsewhere;
  at("elsewhere").hidden = !state.elsewhere;
  at("ended").hidden = phase !== "over";
}

async function followInterview() {
  for (let seen = 0, running = true; running;) {
    const answer = await ask("/api/interview?seen=" + seen);
    if (!answer?.ok) { await pause(1000); continue; }
    const state = await answer.json();
    running = state.running || state.elsewhere;
    seen = state.bytes;
    if (state.text) hear(state.text);
    showPhase(state);
    offerChoices();
    setClock(state.running ? state.left_ms : null);
    if (state.elsewhere) await pause(1000);
    if (!state.file) continue;
    await openFile(state.file);
    at("repair").hidden = !state.at_repair;
    editor.setOption("readOnly", phase === "drills" && !state.at_repair);
  }
}
followInterview();
