"use strict";
// A file in an editor. The file is the truth: it is saved while one writes, and what another editor
// saves appears here.

const at = (id) => document.querySelector("#" + id);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const stillMotion = matchMedia("(prefers-reduced-motion: reduce)").matches;

// In the browser's storage; a browser that has none keeps nothing. null: nothing.
function keep(storage, key, value) {
  try {
    if (value === null) storage.removeItem(key);
    else storage.setItem(key, JSON.stringify(value));
  } catch {}
}
function kept(storage, key) {
  try {
    return JSON.parse(storage.getItem(key));
  } catch {
    return null;
  }
}

let fileAddress = at("editor").dataset.file;  // empty: none yet
let onCtrlEnter = () => {};
let onOpened = () => {};  // the file's text is there

// In the editor Tab indents. After Esc it leaves, to what comes next in the page.
const keys = {
  "Ctrl-Enter": () => onCtrlEnter(), "Cmd-Enter": () => onCtrlEnter(), "Ctrl-S": () => save(), "Cmd-S": () => save(),
  "F6": () => (at("result") ?? at("check")).focus(), "Ctrl-/": "toggleComment",
  "Esc": (one) => { one.setOption("extraKeys", leavingKeys); return CodeMirror.Pass; },
  "Tab": (one) => one.somethingSelected() ? one.indentSelection("add") : one.execCommand("insertSoftTab"),
};
const leavingKeys = {...keys, "Tab": false, "Shift-Tab": false};

const editor = CodeMirror(at("editor"), {
  mode: "text/x-c++src", lineNumbers: true, tabSize: 2, indentUnit: 2, viewportMargin: Infinity,
  lineWrapping: true,
  matchBrackets: true, autoCloseBrackets: true, readOnly: true,
  cursorBlinkRate: stillMotion ? 0 : 530,
  keyMap: at("editor").dataset.keys, gutters: ["findings-gutter", "CodeMirror-linenumbers"],
  screenReaderLabel: at("editor").dataset.label,
  extraKeys: keys,
});
editor.on("blur", () => editor.setOption("extraKeys", keys));
editor.on("keydown", (_, event) => {
  if (!["Escape", "Tab", "Shift"].includes(event.key)) editor.setOption("extraKeys", keys);
});

// --- The server ---------------------------------------------------------------------------------

const noticeStays = 8000;  // ms, of good news
let away = false;
let noticeEnds = null;
// `good`: nothing has to be done; it goes away again.
function notice(text, good = false) {
  clearTimeout(noticeEnds);
  if (at("notice").textContent !== text) at("notice").textContent = text;
  at("notice").hidden = !text;
  at("notice").classList.toggle("good", good);
  if (good) noticeEnds = setTimeout(notice, noticeStays, "");
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
const isSaved = () => text() === saved;
let ending = "\n";

// What is not saved yet, for when the page is left meanwhile.
const draftKey = () => "kata-draft:" + fileAddress;
const keepDraft = () => keep(localStorage, draftKey(), isSaved() ? null : {text: text(), base});

function put(code) {
  ending = code.includes("\r\n") ? "\r\n" : "\n";
  const cursor = editor.getCursor(), scroll = editor.getScrollInfo();
  editor.setOption("lineSeparator", ending);
  if (text() === code) return;
  editor.setValue(code);
  editor.setCursor(cursor, null, {scroll: false});
  editor.scrollTo(scroll.left, scroll.top);
}

function show(file) {
  put(file.text);
  settle(file);
}

function settle(file) {
  base = file.version;
  saved = file.text;
  theirs = null;
  at("conflict").hidden = true;
  at("saved").textContent = isSaved() ? "saved" : "not saved yet";
  keepDraft();
}

// The file as it is when the page opens it, and what was written when it was left.
function begin(file) {
  const draft = kept(localStorage, draftKey());
  show(file);
  onOpened();
  if (!draft || draft.text === file.text) return;
  put(draft.text);
  saved = draft.base === base ? file.text : null;  // null: not known
  keepDraft();
  if (draft.base === base) save();
  else conflict(file);
}

async function conflict(file) {
  const is_new = theirs?.version !== file.version;
  theirs = file;
  at("conflict").hidden = false;
  if (!is_new) return;
  const answer = await ask("/api/difference", {before: file.text, after: text()});
  if (answer?.ok) at("conflict-lines").textContent = await answer.text();
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
  if (answer.ok) { settle(await answer.json()); return isSaved(); }
  if (answer.status === 409) await conflict(await answer.json());
  else notice(await answer.text());
  return false;
}

// What another editor wrote is shown, unless there is something here that the file does not have:
// that is saved now if it could not be before.
async function look() {
  if (saving || !fileAddress) return;
  const address = fileAddress;
  const answer = await ask(`${address}?version=${base ?? ""}`);
  if (!answer || saving || address !== fileAddress) return;
  if (!answer.ok) { notice(await answer.text()); return; }
  const file = await answer.json();
  if (base === null) begin(file);
  else if (file.text === undefined || file.version === base) { if (!typed) await save(); }
  else if (isSaved() || text() === file.text) show(file);
  else await conflict(file);
}

at("take-file").addEventListener("click", () => { show(theirs); editor.focus(); });
at("keep-mine").addEventListener("click", () => {
  settle(theirs);
  save();
  editor.focus();
});

let typed = null;  // until it is saved; null: nothing was typed just now
editor.on("change", (_, change) => {
  if (change.origin === "setValue") return;
  at("saved").textContent = isSaved() ? "saved" : "not saved yet";
  keepDraft();
  clearTimeout(typed);
  typed = setTimeout(() => { typed = null; save(); }, 800);
});
addEventListener("pagehide", () => {
  if (fileAddress && !isSaved() && !theirs)
    fetch(fileAddress, {method: "POST", body: JSON.stringify({text: text(), base}), keepalive: true}).catch(() => {});
});

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
    if (!document.hidden || !isSaved()) await look();
  }
}
follow();

// --- Findings -----------------------------------------------------------------------------------

// The lines of the text that is checked, wherever they are after further typing.
let checkedLines = [];
function rememberLines() {
  checkedLines = [];
  editor.eachLine((line) => { checkedLines.push(line); });
}

// Of a line of that text: its number now; null if it is gone.
function lineNow(line) {
  const there = checkedLines[line - 1] && editor.getLineNumber(checkedLines[line - 1]);
  return typeof there === "number" ? there + 1 : null;
}

// From its column on, `x[i]` or a name; else the whole line.
function place(one, code) {
  const begin = one.column ? one.column - 1 : code.length, access = code.slice(begin).match(/^\w+(\s*\[[^\]]*\]+)*/);
  return access ? [begin, begin + access[0].length] : [code.search(/\S|$/), code.length];
}

let marks = [];
function mark(findings) {
  editor.clearGutter("findings-gutter");
  for (const one of marks) one.clear();
  marks = [];
  const worst = new Map();
  const order = ["advice", "warning", "error"];
  for (const one of findings) {
    const line = lineNow(one.line), before = worst.get(line);
    if (line && (!before || order.indexOf(one.severity) > order.indexOf(before.severity))) worst.set(line, one);
  }
  for (const [line, one] of worst) {
    const sign = document.createElement("div");
    sign.className = "mark " + one.severity;
    sign.textContent = one.severity === "advice" ? "i" : "!";
    sign.title = `${one.kind}: ${one.message}`;
    editor.setGutterMarker(line - 1, "findings-gutter", sign);
    const [begin, end] = place(one, editor.getLine(line - 1));
    marks.push(editor.markText({line: line - 1, ch: begin}, {line: line - 1, ch: end},
                               {className: "marked-" + one.severity, attributes: {title: sign.title}}));
  }
}
