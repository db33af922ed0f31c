"use strict";
// A clock that runs down. It is right again at each call of setClock. And the connection by which
// the server knows that this page is open: without one, it stops the session's clock.

const room = location.pathname.match(/^\/(drill|interview)$/)?.[1];
if (room) new EventSource("/api/here/" + room);

let clockEnd = null;  // ms, as performance.now() counts; null: none runs
function setClock(leftMs) {
  clockEnd = leftMs === null ? null : performance.now() + leftMs;
  showClock();
}

function showClock() {
  const clock = document.querySelector("#clock");
  if (!clock) return;
  const left = clockEnd === null ? null : Math.ceil((clockEnd - performance.now()) / 1000);
  const seconds = Math.abs(left ?? 0);
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  clock.textContent = left === null ? "" : left < 0 ? `over time by ${time}` : `${time} left`;
  clock.classList.toggle("over", left !== null && left < 0);
}

const begun = document.querySelector("#clock")?.dataset.leftMs;
if (begun) setClock(Number(begun));
setInterval(showClock, 1000);
