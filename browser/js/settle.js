// settle.js: waits until nothing that the action set off is open and one frame has passed.

// startedByAction says whether an animation on el belongs to the action: the nearest
// mutated ancestor tells. Without any (a :hover or :checked rule) it does.
function startedByAction(el) {
  const bit = nearestBit(el);
  return bit !== 1 && bit !== 8;
}
// nearestBit is of the newest mutation since the action began of el or the nearest above it; 0 is none.
function nearestBit(el) {
  for (let e = el, n = 0; e && n < 6; e = e.parentElement || e.getRootNode().host, n++) {
    const bit = classOf.get(e);
    if (bit) return bit;
  }
  return 0;
}
// animations are the finite ones that began with the action: [{kind, left}]. One that has run out
// stays open until its finish event: its clock may be ahead of the frame that tells the page.
const given = new WeakSet(); // the cap ran out while they ran: waited for no more
const running = new Map(); // animation → when it was first seen to have run out, 0 before
function animations() {
  const out = [], now = performance.now();
  if (!acting || closed) { running.clear(); return out; }
  for (const a of allAnimations()) {
    if (running.has(a) || given.has(a) || a.playState !== 'running' || !a.effect ||
      a.timeline !== document.timeline || a.playbackRate === 0) continue;
    if (!Number.isFinite(a.effect.getComputedTiming().endTime)) continue;
    const el = a.effect.target;
    // The pointer's way to the press may have begun what shows that it is there.
    // Between two frames the clock is an estimate, which may be ahead of the next frame's time.
    const since = el && el.matches(':hover') ? openedClock - 100 : openedClock - 20;
    if (!a.pending && a.startTime !== null && a.startTime < since) continue;
    if (el && !startedByAction(el)) continue;
    running.set(a, 0);
    const over = () => { if (running.delete(a)) { changed(); enterCause(); wake(); } };
    for (const t of ['finish', 'cancel', 'remove']) a.addEventListener(t, over);
  }
  for (const [a, since] of running) {
    const left = a.effect
      ? (a.effect.getComputedTiming().endTime - (a.currentTime || 0)) / Math.abs(a.playbackRate || 1) : 0;
    const done = a.playState !== 'running' || !Number.isFinite(left);
    if (done && !since) running.set(a, now);
    if (done && since && now - since > 200 || a.playState === 'paused') { running.delete(a); continue; }
    out.push({ kind: a.constructor === CSSTransition ? 'transition' : 'animation', left: done ? 20 : left });
  }
  return out;
}

// opened is everything that is open in this frame: [{kind, ms}], ms left if known.
function opened(deadline) {
  const out = [], now = performance.now();
  for (const line of ask('q', String(deadline)).split('\n')) {
    const [tag, kind, due, late] = line.split('\t');
    if (tag === 'o') out.push({ kind, late: late === '1', ms: Number(due) ? Number(due) - now : 0 });
  }
  for (const a of animations()) out.push({ kind: a.kind, late: now + a.left > deadline, ms: a.left });
  for (const [el, until] of loads) {
    if (!el.isConnected || until <= now) loads.delete(el);
    else out.push({ kind: 'load', late: false, ms: until === Infinity ? 0 : until - now });
  }
  if (holds.size) out.push({ kind: 'navigation', late: false, ms: 0 });
  if (document.readyState !== 'complete' && doc === document && !inVain)
    out.push({ kind: 'load', late: false, ms: 0, forced: true });
  return out;
}
// writesNow are the requests that may have changed the server: those of the action, and where the
// page writes to by itself; answered counts the requests of any method that the action caused and
// that were answered well.
function writesNow() {
  const out = { writes: [], polls: [], answered: 0 };
  for (const line of ask('q').split('\n')) {
    const [tag, method, url, status] = line.split('\t');
    if (tag === 'w') out.writes.push({ method, url, status: Number(status) || 0 });
    if (tag === 'r') out.answered = Number(method) || 0;
    if (tag === 'p') out.polls.push({ method, url });
  }
  return out;
}

// painted waits until a frame followed the newest change, and says whether one did; a page that gets no
// frames (hidden, throttled) waits 100 ms.
function painted(list) {
  return new Promise((resolve) => {
    const done = (all) => { clearTimeout(t); for (const w of list) w.unwatch(check); resolve(all); };
    const check = () => { if (!list.some((w) => w.unpainted())) done(true); };
    const t = setTimeout(() => { for (const w of list) w.forget(); done(false); }, 100);
    for (const w of list) w.watch(check);
  });
}
// heard waits until the releases of buttons and keys that the action ends with have come: they are sent
// without waiting for the page. It says whether they have; one that went to a window that opened, or to a
// list of the browser's own, never does, and on a busy machine one may be late.
function heard(releases) {
  return new Promise((resolve) => {
    const list = worlds();
    const done = (all) => { clearTimeout(t); for (const w of list) w.unwatch(check); resolve(all); };
    const check = () => {
      if (list.reduce((n, w) => n + w.released(), 0) >= releases) queueAfter(() => done(true));
    };
    const t = setTimeout(() => done(false), 60);
    for (const w of list) w.watch(check);
    check();
  });
}

// settle waits. from is the number with which the animation frames of the action begin, 0 without numbers;
// releases is how many releases of buttons and keys the action sent.
async function settle(cap, from = 0, releases = 0) {
  if (covered()) return { covered: true };
  numberFrom(from);
  if (releases && !await heard(releases)) return { unheard: true };
  const t0 = performance.now(), deadline = t0 + cap, waited = new Set();
  const all = () => worlds();
  let capped = false, waiting = false, frames = 0, unpainted = false;
  const later = new Map();
  let away = false;
  for (let round = 0; round < 10000; round++) {
    const list = all(), items = [];
    for (const w of list) {
      for (const o of w.opened(deadline)) items.push(o);
      if (w.navigation()) away = true;
    }
    if (away) break; // the new document's own load decides
    for (const o of items) if (o.late)
      later.set(o.kind + Math.round(o.ms), { kind: o.kind, ms: Math.round(o.ms + performance.now() - t0) });
    const hold = items.filter((o) => !o.late);
    const over = performance.now() >= deadline;
    if (hold.length && !over) {
      for (const o of hold) waited.add(o.kind);
      waiting = true;
      frames = 0;
      await change(list, hold, deadline);
      continue;
    }
    if (hold.length) { capped = true; for (const w of list) w.give(); }
    if (waiting) changed(); // what was waited for may have changed what no observer sees
    waiting = false;
    if (!framed) changed();
    const busy = list.filter((w) => w.unpainted());
    if (!busy.length || frames++ > 3) break; // a loop of frames of the page's own is not waited for
    if (!await painted(busy)) { unpainted = framed = true; }
    if (capped) break;
  }
  const navs = [];
  for (const w of all()) { const n = w.navigation(); if (n) { navs.push(n); w.toldNavigation(); } }
  return {
    ms: performance.now() - t0, for: [...waited], capped, later: [...later.values()].slice(0, 20), nav: navs,
    navigating: away, tag: unpainted || untagged ? 0 : newest, why: unpainted ? 'unpainted' : untagged,
    ...writesNow(),
  };
}

// change resolves when something closed, an animation or the wait for a picture is due to end, or the time
// is over.
function change(list, hold, deadline) {
  return new Promise((resolve) => {
    let timer = 0;
    const done = () => { clearTimeout(timer); for (const w of list) w.unwatch(done); resolve(); };
    for (const w of list) w.watch(done);
    let ms = deadline - performance.now();
    for (const o of hold) {
      const ends = o.kind === 'animation' || o.kind === 'transition' ||
        o.kind === 'load' && o.ms; // without an event
      if (ends) ms = Math.min(ms, Math.max(1, o.ms));
    }
    if (hold.some((o) => o.forced)) addEventListener('load', () => queueAfter(done), { once: true });
    timer = setTimeout(done, Math.max(0, ms));
  });
}
function watch(f) { wakes.add(f); ask('w', '1'); }
function unwatch(f) { wakes.delete(f); if (!wakes.size) ask('w', '0'); }
let inVain = false; // this document was waited for in vain
function give() {
  ask('g');
  inVain = document.readyState !== 'complete';
  loads.clear();
  for (const a of running.keys()) given.add(a);
  running.clear();
}
