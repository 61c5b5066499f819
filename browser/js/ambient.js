// ambient.js: what nothing that an action set off has changed or moves.

const playing = (v) => !v.paused && !v.ended && v.readyState > 1;
// allAnimations are those of the document and of its open shadow trees, whose own they are.
function allAnimations() {
  const out = document.getAnimations();
  for (const r of shadows) if (r.host.isConnected) out.push(...r.getAnimations()); else shadows.delete(r);
  return out;
}
function endless(a) {
  return a.playState === 'running' && a.effect && !Number.isFinite(a.effect.getComputedTiming().endTime)
    ? a.effect.target : null;
}

// plays says whether el moves by what it shows. No page tells whether a picture does: a GIF is taken to.
let paintsGIF = false; // a style sheet has loaded one
new PerformanceObserver((list) => {
  for (const e of list.getEntries())
    if (e.initiatorType === 'css' && /\.gif([?#]|$)/i.test(e.name)) { paintsGIF = true; dirty = true; }
}).observe({ type: 'resource', buffered: true });
function plays(el, tag) {
  switch (tag) {
    case 'video': case 'marquee': return true;
    case 'svg': return el.querySelector('animate,animateTransform,animateMotion') !== null;
    case 'img':
      if (!el.currentSrc.startsWith('data:')) return /\.gif([?#]|$)/i.test(el.currentSrc);
      return el.currentSrc.startsWith('data:image/gif') ||
        /^data:image\/svg/.test(el.currentSrc) && animatedSVG(el.currentSrc);
  }
  return paintsGIF && el.hasAttributes() && /\.gif/i.test(getComputedStyle(el).backgroundImage);
}
const svgMoves = /<animate|@keyframes|%3Canimate|%40keyframes/i;
function animatedSVG(src) {
  if (src.length > 100000) return false;
  const b64 = /^[^,]*;base64,/.exec(src);
  try { return svgMoves.test(b64 ? atob(src.slice(b64[0].length)) : src); } catch { return false; }
}

// shifts are where elements were and are that the page itself has moved since the last look: something
// above them came, went or grew.
let shifts = [];
new PerformanceObserver((list) => {
  for (const e of list.getEntries())
    for (const s of e.sources) if (shifts.length < 40) shifts.push(s.previousRect, s.currentRect);
}).observe({ type: 'layout-shift' });

let before = new Map();    // regions of the last look that was no peek: key → {digest, el}
let peeked = new Map();    // those of the last peek since then, against which an action is measured
let looks = 0;             // how many looks there were that were no peek
// What something of unknown cause changes while nobody acts is taken for a late effect of the last
// action, until it happens in a second interval: region or element → the look before the first one.
const strange = new Map(), restless = new WeakMap();
const known = (m, k) => m.has(k) && m.get(k) < looks;
// A region that a loop of the page's writes over and over, and that stays as it is, does not move by itself:
// when it changes an action has changed it. drifts are those that did change while nobody acted.
const echoes = new Set(), drifts = new Set();
const draws = new WeakMap(); // canvas → the looks after which it changed while nobody acted
const drawsItself = (c) => draws.has(c) && draws.get(c).size > 1;

// bitsAbove says what changed at el, beside it, or at the nearest element above that changed at all:
// a region that goes, or one that another takes the place of, is not changed itself.
function bitsAbove(el) {
  let bits = mutatedBits(el);
  for (let s = el.parentNode && el.parentNode.firstElementChild, n = 0; s && n < 500;
    s = s.nextElementSibling, n++) bits |= mutatedBits(s);
  for (let e = el.parentNode || el.host, n = 0; !bits && e && e !== document.body && n < 60;
    e = e.parentNode || e.host, n++) bits = mutatedBits(e);
  return bits || (document.body.contains(el) || !el.isConnected ? bodyBits : 0);
}
// ambientParts sorts the regions that changed by what has changed them.
function ambientParts(peek) {
  // A look after a peek is compared with the peek.
  const parts = [], caused = [], since = recut(before), anew = peek || !peeked.size ? since : recut(peeked);
  const sort = (key, bits, same) => {
    if (same && bits & 1) echoes.add(key);
    if (peek && !same && bits & 1) drifts.add(key);
    const odd = bits & 8 && !known(strange, key);
    if (bits & 2 || peek && odd && !(bits & 5)) caused.push(key);
    if (bits & 9 && !(bits & 6) && !odd && (!echoes.has(key) || drifts.has(key))) parts.push(key);
    if (peek && odd && !strange.has(key)) strange.set(key, looks);
  };
  for (const [key, p] of walk.parts) {
    if (anew.has(key) || since.has(key)) continue;
    const old = before.get(key), same = !!old && old.digest === p.digest;
    sort(key, p.bits || (same || !before.size ? 0 : bitsAbove(p.el)), same);
  }
  for (const [key, old] of before)
    if (!walk.parts.has(key) && !since.has(key)) sort(key, bitsAbove(old.el), false);
  if (peek) peeked = walk.parts;
  else for (const [key, old] of peeked)
    if (!walk.parts.has(key) && !before.has(key)) sort(key, bitsAbove(old.el), false);
  if (peek) for (const [el, bits] of mutated) if (bits & 8 && !restless.has(el)) restless.set(el, looks);
  return { parts: parts.sort(), caused: caused.sort(), recut: anew.size ? [...anew].sort() : undefined };
}

// shownBox is the part of el, with room around it, that can be seen; null where that is nothing, or nearly
// all there is.
function shownBox(el, room = 0) {
  if (!el.isConnected || el === document.body || el === document.documentElement || !el.checkVisibility())
    return null;
  const [left, top, w, h] = boxOf(el);
  let x = Math.max(0, left - room), y = Math.max(0, top - room),
    x1 = Math.min(innerWidth, left + w + room), y1 = Math.min(innerHeight, top + h + room);
  for (let p = up(el), n = 0; p && p !== document.body && p !== document.documentElement && n < 60;
    p = up(p), n++) {
    if (getComputedStyle(p).overflowX === 'visible') continue;
    const [px, py, pw, ph] = boxOf(p);
    x = Math.max(x, px); y = Math.max(y, py); x1 = Math.min(x1, px + pw); y1 = Math.min(y1, py + ph);
  }
  return x1 - x < 1 || y1 - y < 1 || (x1 - x) * (y1 - y) > 0.8 * innerWidth * innerHeight
    ? null : [x, y, x1 - x, y1 - y];
}
// roomFor is how far outside of el its pseudo-element may show, as that has no box of its own. When a square
// turns, its corners reach (√2 − 1) / 2 of its side further; edges are blurred.
function roomFor(el, pseudo) {
  if (getComputedStyle(el).overflowX !== 'visible') return 0;
  const s = getComputedStyle(el, pseudo);
  return 1 + 0.21 * Math.min(parseFloat(s.width) || 0, parseFloat(s.height) || 0);
}
// ambientBoxes are the places of what moves by itself: changed by no action, animated without end,
// played, scrolled by a script.
function ambientBoxes() {
  const boxes = [], done = new Map(); // element → which of its pseudo-elements; '' is itself
  const add = (el, pseudo) => {
    const seen = done.get(el) || new Set(), which = pseudo || '';
    if (boxes.length >= 50 || seen.has(which)) return;
    done.set(el, seen.add(which));
    const b = shownBox(el, pseudo ? roomFor(el, pseudo) : 0);
    if (b) boxes.push(b);
  };
  for (const [el, bits] of mutated) if (bits === 1 || bits === 8 && known(restless, el)) add(el);
  let animating = false;
  for (const a of allAnimations()) {
    animating = animating || a.playState === 'running';
    const el = endless(a);
    if (el) add(el, a.effect.pseudoElement);
    else if (a.playState === 'running' && a.effect && a.effect.target && nearestBit(a.effect.target) === 1)
      add(a.effect.target, a.effect.pseudoElement);
  }
  for (const el of walk.plays) if (el.localName !== 'video' || playing(el)) { add(el); animating = true; }
  for (const c of walk.canvases) if (drawsItself(c)) add(c);
  for (const el of drifting) add(el);
  const own = ![...mutated.values()].some((bits) => bits & 14); // only what moves by itself has moved them
  if (own) for (const r of shifts)
    if (boxes.length < 50 && r.width * r.height >= 1)
      boxes.push([round(r.x), round(r.y), round(r.width), round(r.height)]);
  return { boxes, animating };
}
function ambient(peek) {
  return { ...ambientParts(peek), ...ambientBoxes(),
    canvases: walk.canvases.filter((c) => drawsItself(c) && walk.drawn.has(c))
      .map((c) => walk.drawn.get(c)) };
}
// late says that the action, or something that nobody knows, has changed the page since the last look.
const late = () => [...mutated].some(([el, bits]) => (bits & 18) === 2 || bits & 8 && !known(restless, el));
function forgetChanges() {
  mutated.clear();
  drifting.clear();
  restyled.clear();
  bodyBits = 0;
  shifts = [];
}
// remembered makes this look the one that the next is compared with.
function remembered() {
  forgetChanges();
  moved = false;
  closed = true;
  before = walk.parts;
  peeked = new Map();
  for (const p of before.values()) p.bits = 0; // a walk that is not repeated is shown again
  looks++;
}
