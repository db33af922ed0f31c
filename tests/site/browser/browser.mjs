// node browser.mjs CHROMIUM SITE: prints what is wrong with the site, and exits with 1 if anything.
import {readFileSync, readdirSync} from "node:fs";
import {createRequire} from "node:module";
import {pathToFileURL} from "node:url";
import {chromium} from "playwright-core";

const [program, site] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const address = (path) => pathToFileURL(`${site}/${path}`).href;
const pages = readdirSync(site, {recursive: true}).filter((path) => path.endsWith(".html")).sort();
const faults = [];
const fault = (where, what) => faults.push(`${where}: ${what}`);

const browser = await chromium.launch({executablePath: program, args: ["--no-sandbox"]});

async function open(width, colorScheme) {
  const context = await browser.newContext({viewport: {width, height: 900}, colorScheme});
  const tab = await context.newPage();
  tab.on("request", (request) => {
    if (!request.url().startsWith("file:")) fault(request.url(), "is fetched from the network");
  });
  tab.on("pageerror", (error) => fault(tab.url(), error.message));
  return tab;
}

// --- In the page ------------------------------------------------------------------------------

// Everything that is wrong with what is drawn, with all details open.
function drawn() {
  for (const one of document.querySelectorAll("details")) one.open = true;
  const found = [];
  if (document.documentElement.scrollWidth > innerWidth) found.push("the page scrolls sideways");
  for (const one of document.querySelectorAll("main *")) {
    const cut = one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX !== "visible";
    // Tables and what programs print have columns: they scroll in a box that the keyboard reaches.
    const mayScroll = one.matches(".table[tabindex], pre[tabindex]");
    if (cut && !mayScroll) found.push(`${one.tagName}.${one.className} scrolls sideways`);
  }
  const overlap = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
                            Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
  for (const group of document.querySelectorAll("svg, .bars li")) {
    const labels = [...group.querySelectorAll("text, .name, .value, .share")];
    const boxes = labels.map((one) => one.getBoundingClientRect());
    const frame = group.getBoundingClientRect();
    labels.forEach((one, i) => {
      if (boxes[i].left < frame.left - 1 || boxes[i].right > frame.right + 1)
        found.push(`the label ${one.textContent} is cut`);
      labels.slice(i + 1).forEach((other, j) => {
        if (overlap(boxes[i], boxes[i + 1 + j]))
          found.push(`the label ${one.textContent} covers ${other.textContent}`);
      });
    });
  }
  return found;
}

function linksAndPlaces() {
  return {
    links: [...document.querySelectorAll("a[href]")].map((one) => one.href),
    places: [...document.querySelectorAll("[id]")].map((one) => one.id),
  };
}

// --- The tests --------------------------------------------------------------------------------

async function layout(width) {
  const tab = await open(width, "light");
  const links = new Map(), places = new Map();
  for (const path of pages) {
    await tab.goto(address(path));
    for (const what of await tab.evaluate(drawn)) fault(`${path} at ${width} px`, what);
    const seen = await tab.evaluate(linksAndPlaces);
    links.set(path, seen.links);
    places.set(address(path), new Set(seen.places));
  }
  let internal = 0;
  for (const [path, targets] of links) {
    for (const target of targets.filter((one) => one.startsWith("file:"))) {
      ++internal;
      const [page, place] = target.split("#");
      const known = places.get(page);
      if (!known || (place && !known.has(decodeURIComponent(place))))
        fault(path, `${target} leads nowhere`);
    }
  }
  if (internal < pages.length) fault("links", `there are only ${internal}`);
  await tab.context().close();
}

async function accessibility(width, scheme, paths) {
  const tab = await open(width, scheme);
  for (const path of paths) {
    await tab.goto(address(path));
    await tab.evaluate(drawn);  // opens the details
    await tab.evaluate(axe);
    const result = await tab.evaluate(() => axe.run());
    for (const one of result.violations)
      fault(`${path} ${scheme} at ${width} px`, `${one.id}: ${one.nodes[0].html.slice(0, 200)}`);
    if (result.passes.length === 0) fault(path, "axe checked nothing");
  }
  await tab.context().close();
}

async function searchAndKeys() {
  const tab = await open(390, "light");
  await tab.goto(address("index.html"));
  await tab.keyboard.press("/");
  await tab.keyboard.type("butterfly shfl");
  await tab.locator("#found a").first().waitFor({timeout: 10000});
  const shown = await tab.locator("#found").innerText();
  if (!shown.includes("softmax_rows")) fault("search", "butterfly shfl does not find softmax_rows");
  if (shown.includes("other to the right")) fault("search", "shows a hint");
  await tab.locator("#search").fill("softmax_rows 3_online");
  await tab.waitForFunction(() => document.querySelector("#found a")?.textContent.includes("3_online"));
  await tab.keyboard.press("Enter");
  await tab.waitForURL("**/3_online.cu.html*");
  await tab.keyboard.press("j");
  await tab.waitForURL("**/4_float4.cu.html");
  await tab.keyboard.press("k");
  await tab.waitForURL("**/3_online.cu.html");
  await tab.keyboard.press("u");
  await tab.waitForURL("**/exercises/softmax_rows/index.html");
  await tab.keyboard.press("/");
  await tab.keyboard.type("nothinghasthisname");
  await tab.waitForFunction(() => document.querySelector("#count").textContent === "0 found");
  await tab.keyboard.press("Escape");
  await tab.waitForFunction(() => document.querySelector("#count").textContent === "");

  await tab.goto(address("solutions/softmax_rows/3_online.cu.html") + "#L60");
  const top = await tab.locator("#L60").evaluate((one) => one.getBoundingClientRect().top);
  if (top < 0 || top > 900) fault("3_online.cu.html#L60", "the line is not on the screen");
  await tab.context().close();
}

// One page of each kind, and all pages of operators: they have the charts.
const kinds = new Map(pages.map((path) => [path.split("/").slice(0, 2).join("/").replace(/[^/]*\.html$/, ""), path]));
const chosen = [...new Set([...kinds.values(), "index.html", "README.html", "docs/reading.html",
                            ...pages.filter((path) => path.startsWith("exercises/"))])];
try {
  await layout(390);
  await layout(1280);
  await accessibility(390, "light", chosen);
  await accessibility(1280, "dark", chosen);
  await searchAndKeys();
} catch (error) {
  fault("the test ended early", error.message);
}
await browser.close();
console.log(`${pages.length} pages, ${chosen.length} of them with axe: ${faults.length} faults`);
for (const one of faults.slice(0, 60)) console.error(one);
process.exit(faults.length ? 1 : 0);
