// The exercise's page: written, wrong, mended, passed; two editors; another start of the server.
import {spawn} from "node:child_process";
import {writeFileSync} from "node:fs";
import {resolve as toPath} from "node:path";
import {codeIn, exercise, fault, file, kata, looksRight, onDisk, open, out, page, patience, kill, startAgain, until} from "./page.mjs";

// With the keyboard alone. Brackets close themselves, so they are typed over.
export async function writeFailMendPass() {
  const tab = await open(1200, "light");
  await exercise(tab);
  for (let i = 0; i < 60 && !await tab.evaluate(() => document.activeElement?.closest(".CodeMirror")); ++i)
    await tab.keyboard.press("Tab");
  const line = onDisk().split("\n").findIndex((one) => one.includes("your code"));
  await tab.keyboard.press("Control+Home");
  while (await tab.evaluate(() => document.querySelector(".CodeMirror").CodeMirror.getCursor().line) < line)
    await tab.keyboard.press("ArrowDown");  // long lines are broken
  await tab.keyboard.press("Home");
  await tab.keyboard.press("Shift+End");
  await tab.keyboard.type("int i = blockIdx.x * blockDim.x + threadIdx.x;\ny[i] = fmaxf(x[i], 0);");
  await tab.keyboard.press("Control+Enter");
  await tab.locator("#result .verdict.fail").waitFor(patience);
  const failing = line + 2;
  const marked = await tab.evaluate((at) => !!document.querySelector(".CodeMirror").CodeMirror
    .lineInfo(at - 1).gutterMarkers?.["findings-gutter"], failing);
  if (!marked) fault("a failing check", `line ${failing} has no mark`);
  const access = (await tab.locator(".marked-error").allInnerTexts()).join("");
  if (access !== "x[i]") fault("a failing check", `marks "${access}"`);
  const button = tab.locator("#result [data-line]").first();
  await tab.keyboard.press("Control+Home");
  await tab.keyboard.type("\n");
  await until("the button names a line that moved", async () => (await button.innerText()) === `Line ${failing + 1}`);
  await button.press("Enter");
  const at = await tab.evaluate(() => document.querySelector(".CodeMirror").CodeMirror.getCursor().line);
  if (at !== failing) fault("a failing check", `the button leads to line ${at + 1}`);
  await tab.keyboard.press("Control+Home");
  await tab.keyboard.press("Delete");
  const shown = await tab.locator("#result .findings").innerText();
  if (!shown.includes(`Line ${failing}`) || !shown.includes("out_of_bounds")) fault("a failing check", shown);
  await tab.screenshot({path: `${out}/page_finding.png`});

  await button.press("Enter");
  await tab.keyboard.press("Home");
  await tab.keyboard.type("if (i < n) ");
  await tab.keyboard.press("Control+Enter");
  await tab.locator("#result .verdict.pass").waitFor(patience);
  await tab.locator("#result .bars .yours").waitFor(patience);
  if (!onDisk().includes("if (i < n) y[i]")) fault("the file", "does not have what was typed");
  await leavesTheEditor(tab);
  if (!/Level with|Nearest to/.test(await tab.locator("#result").innerText())) fault("a pass", "has no level");
  await tab.locator("#result .bars").scrollIntoViewIfNeeded();
  await tab.screenshot({path: `${out}/page_ladder.png`});
  await tab.locator("#ladder summary").click();
  await tab.locator("#ladder a:has-text('Beside yours')").last().click();
  await tab.waitForURL("**/beside/**");
  await looksRight(tab, "beside a rung");
  await tab.context().close();
}

const isInResult = (tab) => tab.evaluate(() => !!document.activeElement.closest("#result"));

// Esc and Tab, or F6, lead to the result; what is typed there is not written into the file.
async function leavesTheEditor(tab) {
  const before = onDisk();
  await tab.keyboard.press("Escape");
  await tab.keyboard.press("Tab");
  if (!await isInResult(tab)) fault("Esc and Tab", "do not lead to the result");
  await tab.locator(".CodeMirror").click();
  await tab.keyboard.press("F6");
  await tab.keyboard.press("Tab");
  if (!await isInResult(tab)) fault("F6", "does not lead to the result");
  await tab.keyboard.type("xyz");
  if (await codeIn(tab) !== before) fault("keys outside of the editor", "change the file");
  await tab.locator(".CodeMirror").click();
  await tab.keyboard.press("Tab");
  if (await isInResult(tab)) fault("Tab in the editor", "leaves it");
  await tab.keyboard.press("Control+Z");
}

export async function compileError() {
  const tab = await open(1200, "light");
  await exercise(tab);
  await tab.locator(".CodeMirror").click();
  await tab.keyboard.press("Control+Home");
  await tab.keyboard.type("int wrong = nowhere;\n");
  await tab.keyboard.press("Control+Enter");
  await tab.locator("#result [data-line='1']").waitFor(patience);
  if (!await tab.locator(".mark.error").count()) fault("a compile error", "is not marked");
  const said = await tab.locator("#result .verdict, #result > p").allInnerTexts();
  if (said.join(" ").split("nowhere").length > 2) fault("a compile error", `is said twice: ${said}`);
  await tab.screenshot({path: `${out}/compile_error_1200.png`, fullPage: true});
  await tab.keyboard.press("Control+Home");
  await tab.keyboard.press("Shift+ArrowDown");
  await tab.keyboard.press("Delete");
  await until("the file is not saved", () => !onDisk().includes("nowhere"));
  await tab.context().close();
}

// The hint and the verdict are there again; opened sections stay open when the times arrive.
export async function reload() {
  const tab = await open(1200, "light");
  await exercise(tab);
  await tab.locator("#hint").press("Enter");
  await tab.locator("#hints-shown h3").waitFor(patience);
  await tab.locator("#check").press("Enter");
  await tab.locator("#result .verdict.pass").waitFor(patience);
  await tab.evaluate(() => {
    document.querySelector("#result details").open = true;
    showResult(document.querySelector("#result").innerHTML.replaceAll(" open=\"\"", ""));
  });
  if (!await tab.locator("#result details[open]").count()) fault("opened sections", "close when more is known");
  await tab.reload();
  await tab.locator("#hints-shown h3").waitFor(patience);
  await tab.locator("#result .verdict.pass").waitFor(patience);
  await tab.context().close();
}

export async function twoEditors() {
  const tab = await open(1200, "dark"), other = await open(1200, "dark");
  await exercise(tab);
  await exercise(other);
  await tab.locator(".CodeMirror").click();
  await tab.keyboard.press("Control+End");
  await tab.keyboard.type("// first tab");
  await until("the other tab does not show what the first wrote", async () => (await codeIn(other)).includes("first tab"));
  writeFileSync(file, onDisk() + "\n// an editor");
  await until("a tab does not show what an editor wrote", async () => (await codeIn(tab)).includes("an editor"));

  await tab.keyboard.press("Control+Home");
  await tab.keyboard.type("// here\n");
  writeFileSync(file, onDisk() + "\n// there");
  await tab.locator("#conflict").waitFor(patience);
  await tab.locator("#conflict summary").click();
  await until("what differs is not shown", async () => {
    const differs = await tab.locator("#conflict-lines").innerText();
    return differs.includes("+// here") && differs.includes("-// there");
  });
  await tab.screenshot({path: `${out}/conflict_1200.png`});
  if (!(await codeIn(tab)).startsWith("// here") || !onDisk().endsWith("// there"))
    fault("a conflict", "one of the two texts is lost");
  await tab.locator("#keep-mine").click();
  await until("the text of the page is not kept", async () => onDisk().startsWith("// here"));
  await tab.context().close();
  await other.context().close();
}

// `kata watch` sees what the page saves; both are kept, and neither writes over the other.
export async function besideWatch() {
  const tab = await open(1200, "light");
  await exercise(tab);
  const watch = spawn(kata, ["--plain", "watch", "relu"], {cwd: toPath(file, "../../.."), stdio: ["pipe", "pipe", "inherit"]});
  let said = "";
  watch.stdout.on("data", (part) => { said += part; });
  await until("watch says nothing", () => /PASS|FAIL|not attempted/i.test(said));
  said = "";
  await tab.locator(".CodeMirror").click();
  await tab.keyboard.press("Control+Home");
  await tab.keyboard.type("#error of the page\n");
  await until("watch does not see what the page saved", () => said.includes("of the page"));
  await tab.keyboard.press("Control+Enter");
  await tab.locator("#result .verdict.fail").waitFor(patience);
  if (!onDisk().startsWith("#error of the page")) fault("watch", "the page's text is lost");
  await tab.keyboard.press("Control+Home");
  await tab.keyboard.press("Shift+ArrowDown");
  await tab.keyboard.press("Delete");
  await until("watch does not see that it is gone", () => said.includes("PASS"));
  watch.kill("SIGINT");
  await tab.context().close();
}

export async function anotherStart() {
  const tab = await open(390, "light");
  await exercise(tab);
  await kill();
  await tab.locator(".CodeMirror").click();
  await tab.keyboard.press("Control+Home");
  await tab.keyboard.type("// while it was away\n");
  await tab.locator("#notice:has-text('away')").waitFor(patience);
  await startAgain();
  await tab.locator("#notice:has-text('Connected')").waitFor(patience);
  await until("what was typed meanwhile is not saved", () => onDisk().includes("while it was away"));
  await until("the page does not say that it is saved", async () => (await tab.locator("#saved").innerText()) === "saved");
  await tab.locator("#notice").waitFor({state: "hidden", ...patience});
  await tab.keyboard.press("Control+Enter");
  await tab.locator("#result .verdict.pass").waitFor(patience);

  await kill();
  await tab.keyboard.type("// left behind\n");
  await tab.locator("#notice:has-text('away')").waitFor(patience);
  const another = await tab.context().newPage();
  await tab.close();
  await startAgain();
  await exercise(another);
  await until("what was typed before the page was left is lost", () => onDisk().includes("// left behind"));
  await another.locator(".CodeMirror").click();
  await another.keyboard.press("Control+Home");
  await another.keyboard.type("// at once\n");
  await another.goto(page("/practice"));
  await until("the last words before the page was left are lost", () => onDisk().startsWith("// at once"));
  await another.context().close();
}

export async function freshStart() {
  const tab = await open(1200, "light");
  await exercise(tab);
  const mine = await codeIn(tab);
  await tab.locator("#check").press("Enter");
  await tab.locator("#result .verdict").waitFor(patience);
  await tab.locator("#reset").press("Enter");
  await tab.locator("#notice:has-text('The stub is back')").waitFor(patience);
  if (!await tab.evaluate(() => { const box = document.querySelector("#notice").getBoundingClientRect(); return box.top >= 0 && box.bottom <= innerHeight; }))
    fault("a fresh start", "its notice is out of view");
  if (await tab.locator("#result .verdict").count()) fault("a fresh start", "the old verdict stays");
  await until("the stub is not shown", async () => (await codeIn(tab)).includes("your code"));
  if (onDisk().includes("fmaxf")) fault("a fresh start", "the file is not the stub");
  await tab.goto(page("/mine/relu/index.html"));
  await tab.locator(".cards a").first().click();
  if (!(await tab.locator("main").innerText()).includes("relu_kernel")) fault("a fresh start", `lost: ${mine}`);
  await tab.context().close();
}
