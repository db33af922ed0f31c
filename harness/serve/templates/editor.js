"use strict";
// A file in an editor. The file is the truth: it is saved while one writes, and what another editor
// saves appears here.

const at = (id) => document.querySelector("#" + id);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const stillMotion = matchMedia("(prefers-reduced-motion: reduce)").matches;

let fileAddress = at("editor").dataset.file;  // empty: none yet
let onCtrlEnter = () => {};

const editor = CodeMirror(at("editor"), {
  mode: "text/x-c++src", lineNumbers: true, tabSize: 2, indentUnit: 2, viewportMargin: Infinity,
  lineWrapping: true,
  matchBrackets: true, autoCloseBrackets: true, readOnly: true,
  cursorBlinkRate: stillMotion ? 0 : 530,
  keyMap: at("editor").dataset.keys, gutters: ["findings-gutter", "CodeMirror-linenumbers"],
  screenReaderLabel: at("editor").dataset.label,
  extraKeys: {
    "Ctrl-Enter": () => onCtrlEnter(), "Cmd-Enter": () => onCtrlEnter(), "Ctrl-S": () => save(), "Cmd-S": () => save(),
    "F6": () => at("check").focus(), "Ctrl-/": "toggleComment",
    "Tab": (one) => one.somethingSelected() ? one.indentSelection("add") : one.execCommand("insertSoftTab"),
  },
});

// --- The server ---------------------------------------------------------------------------------

let away = false;
function notice(text, good = false) {
  at("notice").textContent = text;
  at("notice").hidden = !text;
  at("notice").classList.toggle("good", good);
}

// The answer, or null while the server is away.
async function ask(path, body) {
  try {
    const answer = await fetch(path, body === undefined ? {} : {method: "POST", body: JSON.stringify(body)});
    if (away) notice("Connected to the server again.", true);
    away = false;
    if (answer.status === 403) notice("This server does not know the page. Open the address that kata serve printed.");
    return answer;
  } catch {
    away = true;
    notice("The server is away. What you write stays here; start it again with: kata serve");
    return null;
  }
}

// --- The file -----------------------------------------------------------------------------------

let base = null;      // the version that the text here is based on
let saved = "";       // its text
let theirs = null;    // the file's text while there is a conflict
let saving = false;   // one at a time
const text = () => editor.getValue(ending);
let ending = "\n";

function show(file) {
  ending = file.text.includes("\r\n") ? "\r\n" : "\n";
  const cursor = editor.getCursor(), scroll = editor.getScrollInfo();
  editor.setOption("lineSeparator", ending);
  if (text() !== file.text) {
    editor.setValue(file.text);
    editor.setCursor(cursor);
    editor.scrollTo(scroll.left, scroll.top);
  }
  settle(file);
}

function settle(file) {
  base = file.version;
  saved = file.text;
  theirs = null;
  at("conflict").hidden = true;
  at("saved").textContent = text() === saved ? "saved" : "";
}

function conflict(file) {
  theirs = file;
  at("conflict").hidden = false;
}

// True if the file now has the text that stands here.
async function save() {
  while (saving) await pause(20);
  if (theirs) return false;
  const mine = text();
  if (mine === saved) return true;
  saving = true;
  const answer = await ask(fileAddress, {text: mine, base});
  saving = false;
  if (!answer) return false;
  if (answer.ok) { settle(await answer.json()); return text() === saved; }
  if (answer.status === 409) conflict(await answer.json());
  else notice(await answer.text());
  return false;
}

// What another editor wrote is shown, unless there is something here that the file does not have.
async function look() {
  if (saving || !fileAddress) return;
  const address = fileAddress;
  const answer = await ask(`${address}?version=${base ?? ""}`);
  if (!answer || saving || address !== fileAddress) return;
  if (!answer.ok) { notice(await answer.text()); return; }
  const file = await answer.json();
  if (file.text === undefined || file.version === base) return;
  if (text() === saved || base === null || text() === file.text) show(file);
  else conflict(file);
}

at("take-file").addEventListener("click", () => { show(theirs); editor.focus(); });
at("keep-mine").addEventListener("click", () => {
  settle({text: theirs.text, version: theirs.version});
  save();
  editor.focus();
});

let typed = null;
editor.on("change", (_, change) => {
  if (change.origin === "setValue") return;
  at("saved").textContent = text() === saved ? "saved" : "not saved yet";
  clearTimeout(typed);
  typed = setTimeout(save, 800);
});
addEventListener("beforeunload", (event) => { if (text() !== saved) { save(); event.preventDefault(); } });

// Another file in its place.
async function openFile(address) {
  if (fileAddress === address || (fileAddress && !await save())) return;
  fileAddress = address;
  base = null;
  await look();
  editor.setOption("readOnly", !address);
}

async function follow() {
  await look();
  editor.setOption("readOnly", !fileAddress);
  for (;;) {
    await pause(1000);
    if (!document.hidden) await look();
  }
}
follow();

// --- Findings -----------------------------------------------------------------------------------

let marks = [];
function mark(findings) {
  editor.clearGutter("findings-gutter");
  for (const one of marks) one.clear();
  marks = [];
  const worst = new Map();
  const order = ["advice", "warning", "error"];
  for (const one of findings) {
    const before = worst.get(one.line);
    if (one.line > 0 && one.line <= editor.lineCount() &&
        (!before || order.indexOf(one.severity) > order.indexOf(before.severity))) worst.set(one.line, one);
  }
  for (const [line, one] of worst) {
    const sign = document.createElement("div");
    sign.className = "mark " + one.severity;
    sign.textContent = one.severity === "advice" ? "i" : "!";
    sign.title = `${one.kind}: ${one.message}`;
    editor.setGutterMarker(line - 1, "findings-gutter", sign);
    const code = editor.getLine(line - 1);
    marks.push(editor.markText({line: line - 1, ch: code.search(/\S|$/)}, {line: line - 1, ch: code.length},
                               {className: "marked-" + one.severity, attributes: {title: sign.title}}));
  }
}
