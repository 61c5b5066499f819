// world.js: state of the isolated world, the wire to cause.js, and what is
// observed all the time: input, mutations, navigations, late loads.
const K = KEY;
const mutated = new Map();   // element → bits: 1 ambient, 2 by the last action, 4 by an earlier one,
                             // 8 by nobody knows what, 16 repeatedly
const loads = new Map();     // element that the action made load → until when it is waited for
const wakes = new Set();     // settles that wait
const roots = new WeakSet(); // roots that are observed
const shadows = new Set();   // the shadow roots among them
const drifting = new Set();  // elements that no action has scrolled, animated or loaded since the last look
let bodyBits = 0;            // bits of what came into the body and went
let classOf = new WeakMap(); // element → bits of its newest mutation since the action began
const restyled = new Set();  // elements that the action's press gave another class or style
let dirty = true;            // something that may show has happened since the last walk
let moved = true;            // mutation since the last probe that was no peek
let closed = true;           // the next action has not begun
let acting = false;          // an acting action has begun since the document was made
let openedAt = 0;            // performance.now() when it began
let openedClock = 0;          // the time of the animations' clock then: that of the last frame
let lastPress = 0;           // when a wheel, key or pointer input came last
let pressed = false;         // the newest input is a press and not where attention goes
let nav = null;              // navigation that the action started
let need = 0, got = 0;       // number of the newest change, and of the newest one that a frame followed
let asked = false;           // that frame was asked for and has not come
let framed = false;          // an animation frame has followed since the action began
let begun = false;           // exprBegin has come for it, and not only its first input
let released = 0;            // releases of buttons and keys that came since then
let docID = '', doc = null;
const rnd = () => crypto.getRandomValues(new Uint32Array(2))
  .reduce((s, v) => s + v.toString(16).padStart(8, '0'), '');

// ---- wire ----
const node = document.createElement('i');
let answer = '';
node.addEventListener(K + 'a', (e) => { answer = e.detail; });
node.addEventListener(K + 'n', () => wake());
node.addEventListener(K + 's', () => { dirty = moved = true; });
node.addEventListener(K + 'x', (e) => {
  const el = e.relatedTarget;
  moved = true;
  if (el && drifting.size < 100) { drifting.add(el); classOf.set(el, 1); }
});
node.addEventListener(K + 'h', (e) => {
  const el = e.relatedTarget;
  if (!el || pressable.has(el)) return;
  pressable.add(el);
  if (el.isConnected) dirty = true;
});
document.dispatchEvent(new FocusEvent(K, { relatedTarget: node }));
function ask(type, detail = '') {
  answer = '';
  node.dispatchEvent(new CustomEvent(K + type, { detail }));
  return answer;
}
const enterCause = () => ask('c');
function wake() { for (const w of wakes) w(); }

// open marks the beginning of an action: by exprBegin or by its first input event,
// whichever comes first. The next one begins only after a probe closed this one.
function openEpoch() {
  if (!closed) return;
  closed = begun = framed = false;
  acting = true;
  openedAt = performance.now();
  openedClock = document.timeline.currentTime || 0;
  nav = null;
  pressed = false;
  released = 0;
  classOf = new WeakMap();
  loads.clear();
  ask('b');
}

// changed asks for the next animation frame: it paints what just changed, and what else does until then.
function changed() {
  ++need;
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => { asked = false; got = need; framed = true; topWorld().number(); wake(); });
}

// ---- input ----
const userEvents = ['pointerdown', 'pointerup', 'pointermove', 'pointerover', 'mousedown', 'mouseup',
  'mousemove', 'mouseover', 'click', 'dblclick', 'auxclick', 'contextmenu', 'keydown', 'keypress', 'keyup',
  'beforeinput', 'input', 'wheel', 'touchstart', 'touchend', 'dragstart', 'dragover', 'drop', 'dragend',
  'compositionend', 'paste', 'cut'];
const lateEvents = ['scroll', 'scrollend', 'change', 'popstate', 'hashchange', 'visibilitychange', 'resize',
  'submit', 'invalid', 'toggle', 'close', 'cancel'];
function onUser(e) {
  if (!e.isTrusted) return;
  dirty = true;
  // The browser makes up moves when the page shifts under a resting pointer: they begin no action.
  if (!/(move|over)$/.test(e.type)) openEpoch();
  if (closed) return;
  lastPress = performance.now();
  pressed = presses.has(e.type) && e.key !== 'Tab';
  if (e.type === 'pointerup' || e.type === 'keyup') { released++; wake(); }
  changed();
  enterCause();
}
// untilPress keeps the page busy, at most 1 ms, until the press that is on its way has come. A move that
// comes to an idle page begins a frame, and Chromium would draw what the press does one frame later.
function untilPress() {
  const input = navigator.scheduling, end = performance.now() + 1;
  while (input && !input.isInputPending() && performance.now() < end);
}
const presses = new Set(['pointerup', 'mouseup', 'click', 'dblclick', 'auxclick', 'contextmenu', 'keydown',
  'keypress', 'keyup', 'beforeinput', 'input', 'touchend', 'drop', 'paste', 'cut']);
// These follow from input, but also from the page's own doing: they are the action's
// while it is open and something was pressed not long ago.
function onLate(e) {
  if (!e.isTrusted) return;
  dirty = true;
  if (!closed && performance.now() - Math.max(lastPress, openedAt) < 1000) { changed(); enterCause(); }
  // Whether the page prevents it is known only after the dispatch, and the form is sent in a task of
  // its own: hold at once, for a frame may come before both.
  if (e.type === 'submit' && !closed && e.target.method !== 'dialog') {
    const release = hold(() => { submitting = false; });
    submitting = true;
    queueAfter(() => { if (e.defaultPrevented || nav) release(); else setTimeout(release, 100); });
  }
}
let submitting = false; // a form is about to be sent
// hold keeps settles waiting for a navigation until its result is called.
const holds = new Set();
function hold(f) {
  const release = () => { if (holds.delete(release)) { if (f) f(); wake(); } };
  holds.add(release);
  return release;
}
const later = new MessageChannel(), laterJobs = [];
later.port1.onmessage = () => { const f = laterJobs.shift(); if (f) f(); };
function queueAfter(f) { laterJobs.push(f); later.port2.postMessage(0); }

// A load or the end of an animation continues the cause that began it.
// A picture that comes is a change that no observer of mutations sees.
function onLoad(e) {
  const t = e.target;
  if (t === document) { queueAfter(wake); return; } // a settle may wait for this frame in the one above
  if (loads.delete(t)) { enterCause(); dirty = true; wake(); }
  if (t.localName !== 'img') return;
  dirty = moved = true;
  if (!(nearestBit(t) & 2) && drifting.size < 100) drifting.add(t);
}
function onAnimation(e) {
  dirty = true;
  if (!closed && e.isTrusted && startedByAction(e.target)) enterCause();
}
const onDirty = () => { dirty = true; };
const onFocus = () => { dirty = true; pressed = false; };

// document.open() removes all listeners, so one of them is asked for, which takes less time than to add all.
const passive = { capture: true, passive: true };
let listening = false; // set when that one answers
const onListening = () => { listening = true; };
function attach() {
  listening = false;
  dispatchEvent(new Event(K + 'l'));
  if (!listening) listen();
  if (doc !== document) {
    doc = document;
    docID = rnd();
    dirty = moved = true;
    observe(document);
    // A popup's first page takes over the window of the blank document before it: a related target
    // of that document would crash Chromium.
    document.dispatchEvent(new FocusEvent(K, { relatedTarget: document.adoptNode(node) }));
  }
  calm();
}
function listen() {
  const o = passive;
  addEventListener(K + 'l', onListening, o);
  for (const t of userEvents) addEventListener(t, onUser, o);
  for (const t of lateEvents) addEventListener(t, onLate, o);
  for (const t of ['load', 'error']) addEventListener(t, onLoad, o);
  for (const t of ['transitionend', 'animationend', 'transitioncancel', 'animationcancel'])
    addEventListener(t, onAnimation, o);
  for (const t of ['focusin', 'focusout']) addEventListener(t, onFocus, o);
  for (const t of ['mouseout', 'transitionrun', 'animationstart', 'fullscreenchange'])
    addEventListener(t, onDirty, o);
}

// The caret blinks, so it is made transparent. caret-animation: manual would hold it still, but Chromium then
// asks for a frame after each look at the page (frame_caret.cc, StartBlinkCaret). The colour is inherited, so
// it reaches closed shadow trees that have no colour of their own; an open one gets the sheet when it is
// first seen. The rule is important and in a layer: it yields only to important rules of an earlier layer or
// of a style attribute. A constructed sheet needs no head and no permission of the page's CSP. It belongs to
// the document it was made in, and a window may show another one by now.
let still = null, stillIn = null;
function calm() {
  if (stillIn !== document) {
    still = new CSSStyleSheet();
    still.replaceSync('@layer{*{caret-color:transparent!important}}');
    stillIn = document;
  }
  hideCaret(document);
}
function hideCaret(root) {
  if (!root.adoptedStyleSheets.includes(still)) root.adoptedStyleSheets.push(still);
}

// ---- numbers of animation frames ----
// Each animation frame that paints what an action changed gets a number, which is drawn with it: what shows
// the number was painted from the commit of that animation frame or of a later one. It is 16 cells of one
// pixel of the screen at the right end of the topmost row: black, white, 12 bits, their parity, black. They
// are the background of html::after, so nothing is in the page's tree. The rule is in a layer: its content
// yields to that of the page's own html::after, and the rest, being important, to nothing.
const mine = '"\u2060"'; // content by which the pseudo-element is known to be ours; it has no width
let base = 0, newest = 0;    // first number of the action, 0 without numbers, and the newest one
let untagged = '';           // why it is not drawn (cua.Settle.Why); '' where it is
let cells = null, cellsIn = null;
let cellPx = 0;              // size of a cell in the sheet; 0 is that it is to be set
function numberFrom(from) {
  if (from === base) return;
  base = newest = from;
  cellPx = 0; // the page may have changed the sheet
  framed = false;
  untagged = from ? 'unpainted' : 'asked';
}
// number is called once by each document that an animation frame paints. The time of the frame does not tell
// frames apart: on a busy machine two in a row may have the same.
function number() {
  if (!base || untagged === 'numbers') return;
  untagged = ++newest % 256 === 0 ? 'numbers' : draw(newest);
}
// draw shows n, or says why it cannot be shown.
function draw(n) {
  const root = document.documentElement;
  if (!root || root.localName !== 'html' || root.namespaceURI !== 'http://www.w3.org/1999/xhtml')
    return 'document';
  if (cellsIn !== document) {
    cellsIn = document;
    cellPx = 0;
    cells = new CSSStyleSheet();
    const rest = 'display:block;position:fixed;inset:0 0 auto auto;min-width:0;min-height:0;max-width:none;' +
      'max-height:none;margin:0;padding:0;border:0;overflow:hidden;font-size:0;line-height:0;' +
      'box-shadow:none;outline:0;border-radius:0;clip-path:none;mask:none;transform:none;' +
      'translate:none;rotate:none;scale:none;opacity:1;filter:none;mix-blend-mode:normal;' +
      'visibility:visible;animation:none;transition:none;z-index:2147483647;pointer-events:none;' +
      'forced-color-adjust:none;';
    cells.replaceSync(`@layer{html::after{content:${mine};${rest.replaceAll(';', '!important;')}}}`);
  }
  const sheets = document.adoptedStyleSheets;
  if (!sheets.includes(cells)) sheets.push(cells);
  let bits = '', parity = 0;
  for (let i = 11; i >= 0; i--) {
    const bit = n >> i & 1;
    parity ^= bit;
    bits += bit;
  }
  const px = 1 / devicePixelRatio;
  const stops = [...'01' + bits + parity + '0']
    .map((bit, i) => `${bit === '1' ? '#fff' : '#000'} ${i * px}px ${(i + 1) * px}px`);
  const { style } = cells.cssRules[0].cssRules[0];
  if (px !== cellPx) {
    cellPx = px;
    style.setProperty('width', 16 * px + 'px', 'important');
    style.setProperty('height', px + 'px', 'important');
  }
  style.setProperty('background', `linear-gradient(90deg,${stops})`, 'important');
  if (getComputedStyle(root, '::after').content === mine) return '';
  sheets.splice(sheets.indexOf(cells), 1);
  return 'after';
}
// topWorld is that of the topmost document that this one can ask.
function topWorld() {
  let w = me;
  for (let up = w.up(); up; up = up.up()) w = up;
  return w;
}

// ---- navigation ----
if (globalThis.navigation) {
  navigation.addEventListener('navigate', (e) => {
    dirty = true;
    if (e.hashChange || e.destination.sameDocument || e.downloadRequest !== null) return;
    if (closed || !byAct(caused()) && !submitting) return;
    const url = e.destination.url, form = !!e.formData || submitting;
    const release = hold();
    queueAfter(() => {
      if (!e.defaultPrevented && !navigation.transition) nav = { url, form, told: false };
      for (const r of [...holds]) r();
      release();
    });
  });
  // A single-page application that answers the navigation itself changes no document;
  // its commit comes as navigatesuccess, and its work is followed like any other.
  navigation.addEventListener('navigatesuccess', () => { nav = null; });
  navigation.addEventListener('navigateerror', () => { nav = null; wake(); });
}

// ---- mutations ----
// caused: 0 by nothing that an action set off, 1 by an earlier action, 2 by the last one, 3 by what that
// repeats, 4 by something that nobody knows the cause of.
function caused() { return Number(ask('?')) || 0; }
const byAct = (c) => c > 0 && c < 4;
const bitOf = [1, 4, 2, 18, 8];
const observer = new MutationObserver((records) => {
  const c = caused();
  const bit = bitOf[c];
  let any = false;
  for (const r of records) {
    if (r.attributeName === 'type' && (r.oldValue || '').toLowerCase() === 'password')
      wasPassword.add(r.target);
    // What is written over with what it was has not changed.
    if (r.type === 'attributes' &&
        r.oldValue === r.target.getAttributeNS(r.attributeNamespace, r.attributeName) ||
      r.type === 'characterData' && r.oldValue === r.target.data) continue;
    if (!any) { any = dirty = moved = true; if (c === 2) changed(); }
    const t = r.target.nodeType === 1 ? r.target
      : r.target.parentElement || r.target.host || document.documentElement;
    if (t) { note(t, bit); }
    if (c === 2 && pressed && restyled.size < 100 &&
      (r.attributeName === 'class' || r.attributeName === 'style')) restyled.add(t);
    if (c === 2 && t.localName === 'img' && /^src(set)?$/.test(r.attributeName)) expectLoad(t);
    if (r.type !== 'childList') continue;
    if (t === document.body) bodyBits |= bit;
    for (const n of r.removedNodes) if (n.nodeType === 1) note(n, bit);
    for (const n of r.addedNodes) {
      if (n.nodeType !== 1) continue;
      note(n, bit);
      if (c === 2) expectLoad(n);
    }
  }
});
function note(el, bit) {
  if (acting) classOf.set(el, bit);
  if (mutated.size < 2000 || mutated.has(el)) mutated.set(el, (mutated.get(el) || 0) | bit);
}
// expectLoad holds for scripts and styles that the action brought in: they decide what shows. The page is
// there without its pictures: they hold for the time that they take from a cache or a server nearby.
const pictureWait = 100;
function expectLoad(n) {
  const which = 'script[src],link[rel~=stylesheet],iframe[src],img';
  const list = n.matches('script,link,iframe,img') ? [n]
    : n.firstElementChild ? n.querySelectorAll(which) : [];
  for (const x of list) {
    const picture = x.localName === 'img';
    const will = picture ? !x.complete && x.loading !== 'lazy'
      : x.localName === 'script' ? x.src && !isDone(x)
        : x.localName === 'link' ? x.relList.contains('stylesheet') && !x.sheet
          : x.src && x.loading !== 'lazy' && !/^(about|javascript):/.test(x.src);
    if (will && loads.size < 50) loads.set(x, picture ? performance.now() + pictureWait : Infinity);
  }
}
const isDone = (s) => !!s.type && !/javascript|module|^$/.test(s.type);
function observe(root) {
  if (roots.has(root)) return;
  roots.add(root);
  if (root !== document) {
    shadows.add(root);
    for (const t of lateEvents) root.addEventListener(t, onLate, passive); // none of them leaves its tree
  }
  observer.observe(root, { subtree: true, childList: true, characterData: true, attributes: true,
    attributeOldValue: true, characterDataOldValue: true });
  if (root !== document && root.ownerDocument === stillIn) hideCaret(root);
}
function mutatedBits(el) { return mutated.get(el) || 0; }
