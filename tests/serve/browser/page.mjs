// What the tests of the page share: the server, the browser, and what every page must hold.
import {spawn} from "node:child_process";
import {readFileSync} from "node:fs";
import {createRequire} from "node:module";
import {resolve as toPath} from "node:path";
import {chromium} from "playwright-core";

export const [program, kata, file, out] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
export const faults = [];
export const fault = (where, what) => faults.push(`${where}: ${what}`);
export const patience = {timeout: 60000};

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

let running = serve();
const first = await running.address;
export const page = (path) => new URL(path, first).href;

export function kill() {
  return new Promise((resolve) => { running.server.on("exit", resolve); running.server.kill("SIGKILL"); });
}

export async function startAgain() {
  running = serve();
  await running.address;
}

// --- The browser --------------------------------------------------------------------------------

export const browser = await chromium.launch({executablePath: program, args: ["--no-sandbox", "--disable-gpu"]});

export async function open(width, colorScheme) {
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

export const codeIn = (tab) => tab.evaluate(() => document.querySelector(".CodeMirror").CodeMirror.getValue());
export const onDisk = () => readFileSync(file, "utf8");

export async function until(what, holds) {
  for (let i = 0; i < 200; ++i) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(what);
}

export async function exercise(tab) {
  await tab.goto(page("/exercises/relu/index.html"));
  await tab.waitForFunction(() => !document.querySelector(".CodeMirror")?.CodeMirror.getOption("readOnly"));
}

const wide = () => [...document.querySelectorAll("body *")].filter((one) => {
  const box = one.getBoundingClientRect();
  return box.right > innerWidth + 1 && box.width > 0 && !one.closest(".CodeMirror, .box, .unseen");
}).map((one) => one.outerHTML.slice(0, 80));

export async function looksRight(tab, where) {
  await tab.waitForLoadState("load");
  const sideways = await tab.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  if (sideways) fault(where, `scrolls sideways: ${(await tab.evaluate(wide)).slice(0, 3)}`);
  await tab.evaluate(axe);
  const result = await tab.evaluate(() => axe.run());
  for (const one of result.violations)
    fault(where, `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 160)).slice(0, 3).join(" | ")}`);
  if (result.passes.length === 0) fault(where, "axe checked nothing");
}
