"use strict";
// A drill: answers are forms, so that this script only says that one is judged, and saves a file
// before its repair is.

const waiting = document.querySelector("#waiting");
let sent = false;
document.addEventListener("submit", async (event) => {
  if (event.target.closest("[role=search]")) return;
  if (sent) { event.preventDefault(); return; }  // a second click
  sent = true;
  if (waiting) waiting.textContent = event.target.action.endsWith("/enter") ? "preparing a drill ..." : "judging ...";
  if (event.target.id !== "answer" || !document.querySelector("#editor")) return;
  event.preventDefault();
  if (await save()) event.target.submit();
  else { sent = false; waiting.textContent = ""; }
});

if (document.querySelector("#editor"))
  onCtrlEnter = () => document.querySelector("#answer").requestSubmit();
