// node browser.mjs CHROMIUM KATA FILE OUT [NAME...]: uses the page as a person does. Prints what is
// wrong, and exits with 1 if anything. FILE is the exercise relu; OUT gets pictures. NAMEs choose
// some of the tests below.
import {anotherStart, besideWatch, compileError, freshStart, reload, twoEditors, writeFailMendPass} from "./exercise.mjs";
import {browser, exercise, fault, faults, kill, looksRight, open, out, page, patience} from "./page.mjs";
import {aBug, anInterview, anInterviewWithRounds, quiz, tenDrills} from "./practice.mjs";

async function everyPage(width, scheme) {
  const tab = await open(width, scheme);
  const paths = ["/", "/practice", "/drill", "/interview", "/quiz", "/mine/index.html", "/mine/relu/index.html",
                 "/docs/index.html", "/exercises/relu/report"];
  for (const path of paths) {
    await tab.goto(page(path));
    await looksRight(tab, `${path} at ${width} px`);
    await tab.screenshot({path: `${out}/${path.replace(/\W/g, "_")}${width}.png`, fullPage: path.includes("report")});
  }
  await tab.goto(page("/mine/relu/index.html"));
  await tab.locator(".cards a").first().click();
  await looksRight(tab, `an attempt at ${width} px`);
  await tab.screenshot({path: `${out}/attempt_${width}.png`, fullPage: true});
  await exercise(tab);
  if (await tab.evaluate(() => scrollY) !== 0) fault(`the exercise at ${width} px`, "opens scrolled down");
  await tab.locator("#hint").click();
  await tab.locator("#hints-shown h3").first().waitFor(patience);
  await tab.locator(".CodeMirror").click();
  await tab.keyboard.press("Control+Enter");
  await tab.locator("#result .bars").waitFor(patience);
  for (const one of await tab.locator("#result details summary").all()) await one.click();
  await looksRight(tab, `the exercise at ${width} px`);
  await tab.screenshot({path: `${out}/exercise_${width}.png`, fullPage: true});
  await tab.context().close();
}

const small = () => everyPage(390, "dark"), large = () => everyPage(1200, "light");
const tests = {writeFailMendPass, compileError, reload, twoEditors, besideWatch, anotherStart, quiz, small, large, aBug, tenDrills, anInterview,
               anInterviewWithRounds, freshStart};
const chosen = process.argv.slice(6);
for (const [name, test] of Object.entries(tests)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  try {
    await test();
  } catch (error) {
    fault(name, error.message);
  }
}
await browser.close();
await kill();
console.log(`${faults.length} faults; pictures in ${out}`);
for (const one of faults) console.error(one);
process.exit(faults.length > 0 ? 1 : 0);
