// Quiz, drills and an interview, with the keyboard where one would use it.
import {fault, kill, looksRight, open, out, page, patience, startAgain, until} from "./page.mjs";

const rightRelu = `#include <kata/kata.h>
__global__ void relu_kernel(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.0f);
}
extern "C" void relu(const float* x, float* y, int n) {
  relu_kernel<<<kata::ceil_div(n, 256), 256>>>(x, y, n);
}
`;

async function writeAll(tab, text) {
  await tab.waitForFunction(() => !document.querySelector(".CodeMirror")?.CodeMirror.getOption("readOnly"));
  await tab.locator(".CodeMirror").click();
  await tab.keyboard.press("Control+A");
  await tab.keyboard.insertText(text);
}

export async function quiz() {
  const tab = await open(1200, "dark");
  await tab.goto(page("/quiz"));
  const question = await tab.locator("h2").innerText();
  await tab.locator("summary").press("Enter");
  await tab.locator("button[value=good]").press("Enter");
  await tab.waitForFunction((before) => document.querySelector("h2")?.textContent !== before, question);
  if (await tab.evaluate(() => document.activeElement.tagName) !== "SUMMARY") fault("the quiz", "the next card has not the focus");
  await tab.context().close();
}

// --- Drills -------------------------------------------------------------------------------------

const isOver = (tab) => tab.locator("h2:has-text('Grade')").count();
const points = (tab) => tab.locator(".earned li").count();

async function begin(tab, kind, operator) {
  await tab.goto(page("/drill"));
  await tab.locator("select[name=operator]").selectOption(operator);
  await tab.locator(`button[name=kind][value="${kind}"]`).press("Enter");
  await tab.locator("#question").waitFor(patience);
}

// Answers or skips what is asked, until that changed something.
async function answer(tab) {
  const before = await points(tab);
  const typed = tab.locator("input[name=answer][autocomplete]"), choice = tab.locator(".choices button").first();
  const asked = await tab.locator("#question").innerText();
  if (await typed.count()) {
    await typed.press("Control+A");
    await tab.keyboard.type(asked.includes("input") ? "finding\n" : "2\n");
  } else if (await choice.count()) {
    await choice.press("Enter");
  } else {
    await tab.locator("button:has-text('Skip')").press("Enter");
  }
  await until(`no answer to ${asked}`, async () => await points(tab).catch(() => before) > before || await tab.locator("[role=alert]:visible").count());
  if (await points(tab) > before) return;
  await tab.locator("button:has-text('Skip')").press("Enter");
  await until(`${asked} is not skipped`, async () => await points(tab).catch(() => before) > before);
}

// In `bug` one clicks a line; the repair is written in the page.
export async function aBug() {
  const tab = await open(1200, "light");
  await begin(tab, "bug", "relu");
  await looksRight(tab, "the line of a bug");
  await tab.screenshot({path: `${out}/drill_line_1200.png`, fullPage: true});
  const typed = tab.locator("#answer input[autocomplete]");
  await typed.fill("no line");
  await typed.press("Enter");
  await tab.locator("#remark").waitFor(patience);
  if (await typed.inputValue() !== "no line") fault("a bug", "what was typed is lost");
  await tab.locator(".lines label", {hasText: "blockIdx"}).first().click();
  await tab.waitForTimeout(300);
  if (await points(tab)) fault("a bug", "the line was sent before it was answered");
  await tab.keyboard.press("Enter");
  await tab.locator("#question:has-text('kind')").waitFor(patience);
  await tab.goto(page("/drill"));  // another tab sees the same
  while (!await tab.locator("#question:has-text('Repair')").count()) await answer(tab);
  if ((await tab.locator("#answer").innerText()).includes("press Enter")) fault("a bug", "the page says the terminal's words");
  await looksRight(tab, "the repair of a bug");
  await tab.locator("#check").click();
  await tab.locator(".notice:has-text('not changed')").waitFor(patience);
  await writeAll(tab, rightRelu);
  await tab.screenshot({path: `${out}/drill_repair_1200.png`, fullPage: true});
  await tab.keyboard.press("Control+Enter");
  await tab.locator("h2:has-text('Grade')").waitFor(patience);
  if (!(await tab.locator(".earned").innerText()).includes("it passes")) fault("a bug", "the repair does not pass");
  await looksRight(tab, "the end of a bug");
  await tab.screenshot({path: `${out}/drill_end_1200.png`, fullPage: true});
  await tab.context().close();
}

export async function tenDrills() {
  const tab = await open(390, "dark");
  const kinds = ["maths", "which", "why", "viva", "maths", "bug", "which", "why", "", "maths"];
  for (const [i, kind] of kinds.entries()) {
    await begin(tab, kind, kind === "viva" ? "relu" : "");
    if (i < 6) {
      await looksRight(tab, `a drill of ${kind}`);
      await tab.screenshot({path: `${out}/drill_${kind}_390.png`, fullPage: true});
    }
    if (i === 0) {  // the server is killed; then the drill is gone on with
      await kill();
      await tab.locator("button:has-text('Leave')").press("Enter");
      await tab.locator("#waiting:has-text('away')").waitFor(patience);
      await startAgain();
      await tab.locator("button:has-text('Leave')").press("Enter");
      await tab.locator("button:has-text('Continue')").press("Enter");
      await tab.locator("#question").waitFor(patience);
    }
    while (!await isOver(tab)) await answer(tab);
  }
  await looksRight(tab, "the end of a drill");
  await tab.goto(page("/practice"));
  if (!(await tab.locator("main").innerText()).includes("mean score")) fault("progress", "has no drills");
  await looksRight(tab, "progress with drills");
  await tab.screenshot({path: `${out}/progress_390.png`, fullPage: true});
  await tab.context().close();
}

// --- An interview -------------------------------------------------------------------------------

async function say(tab, words) {
  await tab.locator("#line").press("Control+A");
  await tab.keyboard.type(words + "\n");
}

const hears = (tab, words) => tab.locator(`#said:has-text("${words}")`).waitFor(patience);

export async function anInterview() {
  const tab = await open(1200, "light");
  await tab.goto(page("/interview"));
  await looksRight(tab, "before an interview");
  await tab.screenshot({path: `${out}/interview_start_1200.png`});
  await tab.locator("select[name=operator]").selectOption("relu");
  await tab.locator("button:has-text('Begin')").press("Enter");
  await hears(tab, "What would you ask before you begin?");
  await tab.locator("#clock:has-text('left')").waitFor(patience);
  await say(tab, "What about NaN?");
  await hears(tab, "nan");
  await writeAll(tab, rightRelu.replace("if (i < n) ", ""));
  await tab.keyboard.press("Control+Enter");
  await hears(tab, "FAIL");
  if (!await tab.locator(".mark.error").count()) fault("an interview", "does not mark the findings");
  const asked = new Promise((resolve) => tab.once("dialog", (one) => { resolve(one.message()); one.dismiss(); }));
  await tab.locator("[data-word=submit]").click();
  if (!(await asked).includes("failed")) fault("an interview", "submits what failed without a question");
  await writeAll(tab, rightRelu);
  await tab.keyboard.press("Control+Enter");
  await hears(tab, "PASS");
  if (await tab.locator(".mark.error").count()) fault("an interview", "marks what is mended");
  await looksRight(tab, "an interview");
  await tab.screenshot({path: `${out}/interview_1200.png`});

  await kill();
  await tab.locator("#notice:has-text('away')").waitFor(patience);
  await say(tab, "Is n large?");
  await startAgain();
  await tab.locator("#continue").waitFor(patience);
  if (await tab.locator("#line").inputValue() !== "Is n large?") fault("an interview", "what was asked while the server was away is lost");
  if (!(await tab.locator("#said").innerText()).includes("PASS")) fault("an interview", "what was said is lost");
  await tab.locator("#continue").press("Enter");
  await hears(tab, "Back to relu");

  await tab.locator("[data-word=submit]").press("Enter");
  await hears(tab, "of 100");
  await tab.locator("#words-questions button").first().waitFor(patience);
  for (let i = 0; i < 30 && await tab.locator("#words-questions").isVisible(); ++i) {
    if (await tab.locator("[data-word='1']").isVisible()) fault("a question", "is graded before it is answered");
    await say(tab, "It is limited by memory");
    await tab.locator("[data-word='1']").waitFor(patience);
    await tab.locator("[data-word='1']").press("Enter");
    await tab.waitForTimeout(1200);
  }
  if (/\d left\] >|\u0007/.test(await tab.locator("#said").innerText())) fault("an interview", "shows the terminal's prompts");
  if (await tab.evaluate(() => spoken("\nTime\u0007 is up.\n[over time by 0:01] > ")) !== "\nTime is up.\n")
    fault("an interview", "shows control characters");
  await hears(tab, "by your own grading");
  await tab.locator("#ended").waitFor(patience);
  await looksRight(tab, "the end of an interview");
  await tab.screenshot({path: `${out}/interview_end_1200.png`, fullPage: true});
  await tab.context().close();
}

// A round of drills beside it, and a small screen.
export async function anInterviewWithRounds() {
  const tab = await open(390, "dark");
  await tab.goto(page("/interview"));
  await tab.screenshot({path: `${out}/interview_start_390.png`, fullPage: true});
  await looksRight(tab, "before an interview at 390 px");
  await tab.locator("select[name=operator]").selectOption("relu");
  await tab.locator("select[name=rounds]").selectOption("write,bug,maths");
  await tab.locator("button:has-text('Begin')").press("Enter");
  await hears(tab, "What would you ask before you begin?");
  await writeAll(tab, rightRelu);
  await tab.locator("[data-word=submit]").press("Enter");
  await hears(tab, "Which line has the fault?");
  await tab.locator("#words-drills button").first().waitFor(patience);
  await looksRight(tab, "an interview at 390 px");
  await tab.screenshot({path: `${out}/interview_390.png`, fullPage: true});
  await tab.locator("#words-drills [data-word=pass]").press("Enter");
  await tab.locator("#choices button:has-text('race')").click(patience);
  await hears(tab, "kind: ");
  for (let i = 0; i < 12 && await tab.locator("#words-drills").isVisible(); ++i) {
    await tab.locator("#words-drills [data-word=pass]").press("Enter");
    await tab.waitForTimeout(1500);
  }
  await tab.locator("#words-questions button").first().waitFor(patience);
  await tab.locator("#words-questions [data-word=quit]").press("Enter");
  await hears(tab, "all rounds");
  await tab.context().close();
}
