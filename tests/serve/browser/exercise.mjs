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
  const shown = await tab.locator("#result .findings").innerText();
  if (!shown.includes(`Line ${failing}`) || !shown.includes("out_of_bounds")) fault("a failing check", shown);
  await tab.screenshot({path: `${out}/page_finding.png`});

  await tab.keyboard.press("Home");
  await tab.keyboard.type("if (i < n) ");
  await tab.keyboard.press("Control+Enter");
  await tab.locator("#result .verdict.pass").waitFor(patience);
  await tab.locator("#result .bars .yours").waitFor(patience);
  if (!onDisk().includes("if (i < n) y[i]")) fault("the file", "does not have what was typed");
  await tab.keyboard.press("F6");
  if (await tab.evaluate(() => document.activeElement.id) !== "check") fault("F6", "does not leave the editor");
  await tab.locator("#result .bars").scrollIntoViewIfNeeded();
  await tab.screenshot({path: `${out}/page_ladder.png`});
  await tab.locator("#ladder summary").click();
  await tab.locator("#ladder a:has-text('Beside yours')").last().click();
  await tab.waitForURL("**/beside/**");
  await looksRight(tab, "beside a rung");
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
  await tab.keyboard.press("Control+Enter");
  await tab.locator("#result .verdict.pass").waitFor(patience);
  if (!onDisk().includes("while it was away")) fault("another start", "what was typed meanwhile is lost");
  await tab.context().close();
}

export async function freshStart() {
  const tab = await open(1200, "light");
  await exercise(tab);
  const mine = await codeIn(tab);
  await tab.locator("#reset").press("Enter");
  await tab.locator("#notice:has-text('The stub is back')").waitFor(patience);
  await until("the stub is not shown", async () => (await codeIn(tab)).includes("your code"));
  if (onDisk().includes("fmaxf")) fault("a fresh start", "the file is not the stub");
  await tab.goto(page("/mine/relu/index.html"));
  await tab.locator(".cards a").first().click();
  if (!(await tab.locator("main").innerText()).includes("relu_kernel")) fault("a fresh start", `lost: ${mine}`);
  await tab.context().close();
}
