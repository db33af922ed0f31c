#include "report/html.h"

namespace kata::html {

// Colours in both themes have a contrast of 4.5 or more to what they stand on.
const char* const style = R"(
:root { --paper: #ffffff; --ink: #1c2128; --dim: #57606a; --line: #d0d7de; --box: #f6f8fa;
  --rung: #2f6fb3; --yours: #b3480f; --library: #6b5aa8; --limit: #6e7781; --roof: #1c2128;
  --keyword: #0550ae; --literal: #0a6157; --directive: #8250df; --cuda: #953800;
  --added: #dafbe1; --added-mark: #8fe3a3; --removed: #ffebe9; --removed-mark: #ffb9b3;
  --waste: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #0f141a; --ink: #e6edf3; --dim: #9aa5b1; --line: #333c47; --box: #171d25;
    --rung: #5aa2ea; --yours: #ff9b5e; --library: #b7a4f5; --limit: #9aa5b1; --roof: #e6edf3;
    --keyword: #79b8ff; --literal: #6fd3c1; --directive: #d2a8ff; --cuda: #ffb77c;
    --added: #12331f; --added-mark: #1f6b38; --removed: #3d1718; --removed-mark: #8a2b2b;
    --waste: #ff8f86; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 90rem; padding: 1rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: break-word; }
h1, h2, h3, h4 { line-height: 1.25; margin: 1.6em 0 .4em; }
h1 { margin-top: 0; } h4 { margin: .4em 0; font-weight: 600; }
p { max-width: 48rem; margin: .4em 0; }
a { color: var(--rung); }
section + section { border-top: 2px solid var(--line); margin-top: 3rem; }
.verdict { border-left: 4px solid var(--yours); padding-left: .7rem; }
.box { overflow-x: auto; background: var(--box); border: 1px solid var(--line); border-radius: 6px;
  margin: .5rem 0; }
pre.box { padding: .5rem .7rem; font: .85rem/1.45 ui-monospace, monospace; }

.bars { list-style: none; margin: .6rem 0; padding: 0; max-width: 60rem; }
.bars li { display: grid; grid-template-columns: 13rem 1fr 7rem 4rem; gap: .6rem; align-items: center;
  padding: .15rem 0; }
.track { background: var(--box); border-radius: 3px; }
.bar { display: block; height: 1.05rem; min-width: 2px; border-radius: 3px; background: var(--rung); }
.yours .bar { background: var(--yours); } .library .bar { background: var(--library); }
.limit .bar { background: var(--limit); }
.estimated .bar { background-image: repeating-linear-gradient(135deg, transparent 0 5px,
  var(--paper) 5px 8px); }
.value, .share { text-align: right; font-variant-numeric: tabular-nums; }
.yours .name { font-weight: 700; } .limit, .share { color: var(--dim); }

.roofline { display: block; width: 100%; max-width: 38rem; height: auto; }
.roofline text { fill: var(--ink); font: 15px system-ui, sans-serif; }
.roofline .tick, .roofline .axis { fill: var(--dim); }
.roofline .middle { text-anchor: middle; } .roofline .end { text-anchor: end; }
.roofline .grid { stroke: var(--line); } .roofline .roof { stroke: var(--roof); stroke-width: 2.5; }
.roofline .lead { stroke: var(--dim); fill: none; }
.roofline circle { fill: var(--rung); stroke: var(--paper); stroke-width: 1.5; }
.roofline .yours circle { fill: var(--yours); } .roofline .mark { font-weight: 600; }

table { border-collapse: collapse; }
.counters { width: 100%; font-size: .9rem; font-variant-numeric: tabular-nums; }
.counters th, .counters td { padding: .25rem .6rem; text-align: right; white-space: nowrap; }
.counters th:first-child { text-align: left; font-weight: 500; }
.counters thead th { color: var(--dim); font-weight: 500; }
.counters tbody tr { border-top: 1px solid var(--line); }

details { border: 1px solid var(--line); border-radius: 6px; margin: .6rem 0; padding: .3rem .8rem; }
summary { cursor: pointer; padding: .3rem 0; }
.beside { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0 1rem; }
@media (min-width: 68rem) { .beside { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); } }
.code { max-height: 46rem; overflow: auto; }
.code table { font: .8rem/1.45 ui-monospace, monospace; min-width: 100%; }
.code td { padding: 0 .5rem; white-space: pre; vertical-align: top; }
.code .no { color: var(--dim); text-align: right; user-select: none; }
.code .count { color: var(--dim); font-size: .72rem; line-height: 1.61; }
.code .count span { display: block; } .code .waste { color: var(--waste); font-weight: 600; }
.code .sign { padding: 0; } .hot { background: color-mix(in srgb, var(--rung) 9%, transparent); }
.added { background: var(--added); } .removed { background: var(--removed); }
.added mark { background: var(--added-mark); color: inherit; }
.removed mark { background: var(--removed-mark); color: inherit; }
.moved { color: var(--dim); } .folded { color: var(--dim); font-style: italic; }
i { font-style: normal; } .c { color: var(--dim); } .k { color: var(--keyword); }
.l { color: var(--literal); } .d { color: var(--directive); } .u { color: var(--cuda); }

@media (max-width: 40rem) {
  body { padding: .7rem; }
  .bars li { grid-template-columns: 1fr auto 3.6rem; gap: 0 .6rem; padding: .3rem 0; }
  .track { grid-column: 1 / -1; grid-row: 2; }
}
)";

}  // namespace kata::html
