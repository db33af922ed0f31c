"use strict";
// A drill: answers are forms. Before one is sent, this script saves the file that it is about, asks
// whether the server is there, and says what takes a while.

let sending = false;

async function isServerThere() {
  try {
    await fetch("/favicon.ico");
    return true;
  } catch {
    return false;
  }
}

// What is to be shown instead of the answer; nothing if it can be sent.
async function obstacle(form) {
  const repairs = form.id === "answer" && document.querySelector("#editor");
  if (!await isServerThere()) return "The server is away. Start it again with: kata serve. Then send this once more.";
  return repairs && !await save() ? "The file is not saved." : "";
}

document.addEventListener("submit", async (event) => {
  const form = event.target, waiting = document.querySelector("#waiting");
  if (form.role === "search" || !waiting) return;
  if (sending === "now") return;
  event.preventDefault();
  if (sending) return;  // a second click
  sending = true;
  waiting.textContent = form.action.endsWith("/enter") ? "preparing a drill ..." : "judging ...";
  const problem = await obstacle(form);
  waiting.textContent = problem || waiting.textContent;
  sending = problem ? false : "now";
  if (!problem) form.requestSubmit(event.submitter);
});

// A line that is chosen is the answer, once it is sent.
document.querySelector(".lines")?.addEventListener("change", (event) => {
  document.querySelector("#answer [name=answer]").value = event.target.value;
});

if (document.querySelector("#editor"))
  onCtrlEnter = () => document.querySelector("#answer").requestSubmit();
