// node browser.mjs CHROMIUM KATA FILE OUT: uses the page as a person does. Prints what is wrong, and
// exits with 1 if anything. FILE is the exercise relu; OUT gets pictures.
import {spawn} from "node:child_process";
import {readFileSync, writeFileSync} from "node:fs";
import {createRequire} from "node:module";
import {resolve as toPath} from "node:path";
import {chromium} from "playwright-core";

const [program, kata, file, out] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const faults = [];
const fault = (where, what) => faults.push(`${where}: ${what}`);
const patience = {timeout: 60000};

// --- The server ---------------------------------------------------------------------------------

function serve() {
  const server = spawn(kata, ["serve", "--no-open"], {cwd: toPath(file, "../../.."), stdio: ["ignore", "pipe", "inherit"]});
  const address = new Promise((resolve) => {
    let said = "";
    server.stdout.on("data", (part) => {
      said += part;
      const found = said.match(/http\S+(?=\n)/);
      if (found) resolve(found[0]);
    });
  });
  return {server, address};
}

const killed = (server) => new Promise((resolve) => { server.on("exit", resolve); server.kill("SIGKILL"); });

let {server, address} = serve();
const first = await address;
const page = (path) => new URL(path, first).href;

// --- The browser --------------------------------------------------------------------------------

const browser = await chromium.launch({executablePath: program, args: ["--no-sandbox", "--disable-gpu"]});

async function open(width, colorScheme) {
  const context = await browser.newContext({viewport: {width, height: 900}, colorScheme, reducedMotion: "reduce"});
  const tab = await context.newPage();
  tab.on("request", (request) => {
    if (new URL(request.url()).host !== new URL(first).host) fault(request.url(), "is on another host");
  });
  tab.on("pageerror", (error) => fault(tab.url(), error.message));
  tab.on("console", (message) => {
    if (message.text().includes("Content Security Policy")) fault(tab.url(), message.text());
  });
  await tab.goto(first);
  await tab.waitForURL(page("/"));
  return tab;
}

const codeIn = (tab) => tab.evaluate(() => document.querySelector(".CodeMirror").CodeMirror.getValue());
const onDisk = () => readFileSync(file, "utf8");

async function until(what, holds) {
  for (let i = 0; i < 200; ++i) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(what);
}

async function exercise(tab) {
  await tab.goto(page("/exercises/relu/index.html"));
  await tab.waitForFunction(() => !document.querySelector(".CodeMirror")?.CodeMirror.getOption("readOnly"));
}

const wide = () => [...document.querySelectorAll("main *")].filter((one) => {
  const box = one.getBoundingClientRect();
  return box.right > innerWidth + 1 && box.width > 0 && !one.closest(".CodeMirror, .box, .unseen");
}).map((one) => one.outerHTML.slice(0, 80));

async function looksRight(tab, where) {
  const sideways = await tab.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  if (sideways) fault(where, `scrolls sideways: ${(await tab.evaluate(wide)).slice(0, 3)}`);
  await tab.evaluate(axe);
  const result = await tab.evaluate(() => axe.run());
  for (const one of result.violations)
    fault(where, `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 160)).slice(0, 3).join(" | ")}`);
  if (result.passes.length === 0) fault(where, "axe checked nothing");
}

// --- The tests ----------------------------------------------------------------------------------

// With the keyboard alone. Brackets close themselves, so they are typed over.
async function writeFailMendPass() {
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

async function twoEditors() {
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

async function anotherStart() {
  const tab = await open(390, "light");
  await exercise(tab);
  await killed(server);
  await tab.locator(".CodeMirror").click();
  await tab.keyboard.press("Control+Home");
  await tab.keyboard.type("// while it was away\n");
  await tab.locator("#notice:has-text('away')").waitFor(patience);
  ({server, address} = serve());
  await address;
  await tab.locator("#notice:has-text('Connected')").waitFor(patience);
  await tab.keyboard.press("Control+Enter");
  await tab.locator("#result .verdict.pass").waitFor(patience);
  if (!onDisk().includes("while it was away")) fault("another start", "what was typed meanwhile is lost");
  await tab.context().close();
}

async function quiz() {
  const tab = await open(1200, "dark");
  await tab.goto(page("/quiz"));
  const question = await tab.locator("h2").innerText();
  await tab.locator("summary").press("Enter");
  await tab.locator("button[value=good]").press("Enter");
  await tab.waitForFunction((before) => document.querySelector("h2")?.textContent !== before, question);
  await tab.context().close();
}

async function everyPage(width, scheme) {
  const tab = await open(width, scheme);
  for (const path of ["/", "/practice", "/quiz", "/mine/index.html", "/docs/index.html"]) {
    await tab.goto(page(path));
    await looksRight(tab, `${path} at ${width} px`);
    await tab.screenshot({path: `${out}/${path.replace(/\W/g, "_")}${width}.png`});
  }
  await exercise(tab);
  await tab.locator("#hint").click();
  await tab.locator("#hints-shown h3").waitFor(patience);
  await tab.locator(".CodeMirror").click();
  await tab.keyboard.press("Control+Enter");
  await tab.locator("#result .bars").waitFor(patience);
  for (const one of await tab.locator("#result details summary").all()) await one.click();
  await looksRight(tab, `the exercise at ${width} px`);
  await tab.screenshot({path: `${out}/exercise_${width}.png`, fullPage: true});
  await tab.context().close();
}

for (const one of [writeFailMendPass, twoEditors, anotherStart, quiz, () => everyPage(390, "dark"), () => everyPage(1200, "light")]) {
  try {
    await one();
  } catch (error) {
    fault(one.name || "every page", error.message);
  }
}
await browser.close();
await killed(server);
console.log(`${faults.length} faults; pictures in ${out}`);
for (const one of faults) console.error(one);
process.exit(faults.length > 0 ? 1 : 0);
