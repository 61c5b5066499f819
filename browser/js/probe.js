// probe.js: one answer to everything that an observation asks.

function describeField(item, state) {
  const f = fieldOf(item.el, item.id, item.role, item.name, boxOf(item.shown || item.el), state);
  f.dialog = item.dialog;
  f.covered = coveredAt(item, visiblePoint(f.box));
  return f;
}

// focused descends open shadow roots; into says in which frame to look on.
function focusedElement() {
  let el = document.activeElement;
  while (el && el.shadowRoot && el.shadowRoot.activeElement) el = el.shadowRoot.activeElement;
  return !el || el === document.documentElement || el === document.body && !el.isContentEditable ? null : el;
}
function focused() {
  const el = focusedElement();
  if (!el) return { field: null };
  if (el.localName === 'iframe' || el.localName === 'frame') return { field: null, into: pathOf(el) };
  const role = roleOf(el), name = nameOf(el, role);
  const id = walk.idOf.get(el) || structural(el, role, name);
  const field = fieldOf(el, id, role, name, boxOf(el));
  const item = walk.items.get(el);
  field.ring = el.matches(':focus-visible');
  field.dialog = item ? item.dialog : dialogOf(el);
  field.covered = coveredAt(item || { el }, visiblePoint(field.box));
  return { field };
}

// marks are the interactive elements in the viewport, without those that only wrap others.
function marks() {
  const out = [], vw = innerWidth, vh = innerHeight;
  walk.frames.forEach((f) => { f.at = -1; });
  let k = 0;
  for (let i = 0; i < walk.interactive.length && out.length < 300; i++) {
    while (k < walk.frames.length && walk.frames[k].marks <= i) walk.frames[k++].at = out.length;
    const item = walk.interactive[i], { el, role, name, id, shown } = item;
    if (item.wraps || !el.isConnected) continue;
    const box = boxOf(shown || el), p = visiblePoint(box, vw, vh);
    if (!p) continue;
    if (item.text === undefined) { item.text = shownText(el, role); item.input = changesLocal(el, role); }
    out.push({ id, role, name, text: item.text, tag: el.localName, type: typeOf(el), input: item.input,
      submit: submits(el), form: formID(el), dialog: item.dialog, box, disabled: isDisabled(el),
      covered: coveredAt(item, p) });
  }
  for (const f of walk.frames) if (f.at < 0) f.at = out.length;
  return out;
}
// coveredAt says whether something else than the item would receive a press at its middle p. It is asked
// once a look.
const covers = new Map(); // element → whether it is covered
function coveredAt(item, p) {
  if (!p) return false;
  let is = covers.get(item.el);
  if (is === undefined) {
    const hit = hitAt(p[0], p[1]);
    is = !!hit && !related(hit, item.shown || item.el) && !related(hit, item.el) &&
      !(item.clear && reaches(hit, item.el));
    covers.set(item.el, is);
  }
  return is;
}
// visiblePoint is the middle of the part of the box that is in the viewport.
function visiblePoint([x, y, w, h], vw = innerWidth, vh = innerHeight) {
  const x0 = Math.max(0, x), y0 = Math.max(0, y), x1 = Math.min(vw, x + w), y1 = Math.min(vh, y + h);
  return x1 - x0 < 1 || y1 - y0 < 1 ? null : [(x0 + x1) / 2, (y0 + y1) / 2];
}
// hitAt is the innermost element that a press at the point reaches, through open shadow roots.
function hitAt(x, y) {
  let el = document.elementFromPoint(x, y);
  for (let n = 0; el && el.shadowRoot && n < 50; n++) {
    const inner = el.shadowRoot.elementFromPoint(x, y);
    if (!inner || inner === el) break;
    el = inner;
  }
  return el;
}
function under(el, above) { for (let e = el; e; e = up(e)) if (e === above) return true; return false; }
// related: a press on hit is a press on el, because one holds the other or hit labels el.
function related(hit, el) {
  if (under(hit, el) || under(el, hit)) return true;
  for (let e = hit; e; e = up(e)) if (e.localName === 'label' && e.control === el) return true;
  return false;
}

// scrolls says how far the document is scrolled, and the container that the action is in: at its
// point, around the focus, in the middle, or else the last there was. A frame is one as well.
let lastScroller = null;
function scrolls(a) {
  const s = document.scrollingElement || document.documentElement;
  const out = { x: round(scrollX), y: round(scrollY),
    maxY: s ? Math.max(0, s.scrollHeight - s.clientHeight) : 0, cx: 0, cy: 0, found: false };
  const spots = a && a.x != null ? [hitAt(a.x, a.y)]
    : [focusedElement(), hitAt(innerWidth / 2, innerHeight / 2)];
  let e = null;
  for (const at of spots) {
    if (at && (at.localName === 'iframe' || at.localName === 'frame')) { out.into = pathOf(at); return out; }
    e = e || scroller(at);
  }
  if (e) lastScroller = e;
  else if (lastScroller && lastScroller.isConnected && lastScroller.checkVisibility()) e = lastScroller;
  if (e) { out.found = true; out.cx = round(e.scrollLeft); out.cy = round(e.scrollTop); }
  return out;
}
function scroller(at) {
  for (let e = at;
    e && e !== document.scrollingElement && e !== document.documentElement && e !== document.body;
    e = up(e)) {
    if (e.scrollTop || e.scrollLeft ||
      (e.scrollHeight > e.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(e).overflowY)) ||
      (e.scrollWidth > e.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(e).overflowX))) return e;
  }
  return null;
}
// drawnOn says that what changes in el was drawn by the page: a style for hover changes nothing inside.
const drawnOn = (el) => el.localName === 'canvas' || el.localName === 'video';
function hoverBoxes(p) {
  const out = [];
  for (let e = p && hitAt(p[0], p[1]); e && out.length < 5; e = up(e))
    if (walk.hot.has(e) && !drawnOn(e)) out.push(boxOf(e));
  return out;
}

// selectedBoxes are where text is selected, or the control in which some is.
function selectedBoxes() {
  const el = focusedElement();
  let own = false;
  try {
    own = el && el.selectionStart !== undefined && el.selectionStart !== el.selectionEnd;
  } catch { /* a control without one */ }
  if (own) return [boxOf(el)];
  const s = getSelection();
  if (!s || s.isCollapsed || !s.rangeCount) return [];
  const out = [];
  for (const r of s.getRangeAt(0).getClientRects()) {
    if (out.length < 50 && r.width * r.height >= 1)
      out.push([round(r.x), round(r.y), round(r.width), round(r.height)]);
  }
  return out;
}
// restyledBoxes are where the press gave something another class or style; all of the page is no place.
function restyledBoxes() {
  const out = [];
  for (const el of restyled) {
    const b = out.length < 20 ? shownBox(el) : null;
    if (b && b[2] * b[3] < 0.25 * innerWidth * innerHeight) out.push(b);
  }
  return out;
}

function probe(a = {}) {
  return json(covered() ? { covered: true } : snapshot(a));
}
// baseline is the last look that a later one may be compared with.
let baseline = { look: 0, walk: null, scroll: '', facts: '' };
// snapshot is a look at this document and at the frames of its origin. It is the same as the look a.since if
// walk, scroll and facts are the same, nothing has mutated, nothing is animated, and there is no canvas. What
// the document shows is left out then.
function snapshot(a) {
  // Mutations tag regions, so the walk that reports them has to be younger than they are.
  const hadMoved = moved;
  guard(a.paint);
  if (!looks) forgetChanges(); // what the parser put in has not moved
  if (moved) dirty = true;
  refresh();
  covers.clear();
  const drawn = canvases(a.peek), amb = ambient(a.peek), pickers = pickerBoxes();
  const out = {
    path: walk.path, doc: docID, view: [innerWidth, innerHeight], scroll: scrolls(a), ...writesNow(),
    ambient: { parts: amb.parts, boxes: amb.boxes, canvases: amb.canvases },
    caused: amb.caused, recut: amb.recut, hover: hoverBoxes(a.pointer), restyled: restyledBoxes(),
    busy: a.peek && hadMoved || amb.animating || walk.canvases.length > 0, frames: [], children: [],
  };
  const states = walk.fields.map((f) => stateOf(f.el, f.role));
  const scroll = json(out.scroll), facts = json([location.href, pickers, states]);
  out.same = a.since > 0 && a.since === baseline.look && !out.busy && walk === baseline.walk &&
    scroll === baseline.scroll && facts === baseline.facts;
  if (a.look) baseline = { look: a.look, walk, scroll, facts };
  if (!out.same) Object.assign(out, { canvases: drawn, pickers, ...shown(states) });
  if (a.keep) out.kept = keptHere(a.keep > 1);
  if (a.paint) out.secret = secretsHere(a.paint);
  frames(out, a);
  if (!a.peek) remembered();
  return out;
}
// shown is what this document shows; states are those of its fields.
function shown(states) {
  const parts = {};
  for (const [key, p] of walk.parts) parts[key] = p.digest;
  const list = marks(), focus = focused(), top = modal();
  return {
    url: clip(location.href, 8192), origin: self.origin, title: clip(document.title, 1000),
    focus: focus.field, focusInto: focus.into, marks: list, parts,
    fields: walk.fields.map((f, i) => f.el.isConnected && describeField(f, states[i])).filter(Boolean),
    forms: formsNow(), modal: top ? dialogHere(top) : '', notices: notices(), working: walk.working,
    unread: walk.embeds.some(isLarge), selected: selectedBoxes(),
  };
}
// canvases are digests of what is drawn. One that changed between a look and the peek after it
// changed while nobody acted.
const drawnBefore = new WeakMap(); // canvas → its digest at the last look that was no peek
function canvases(peek) {
  const out = {}, seen = new Map();
  let n = 0;
  for (const c of walk.canvases) {
    if (!c.isConnected || n >= 8 || !visiblePoint(boxOf(c)) || !c.width || !c.height) continue;
    n++;
    const id = identify(c, 'canvas', labelText(c), seen), digest = canvasDigest(c);
    out[id] = digest;
    walk.drawn.set(c, id);
    const old = drawnBefore.get(c);
    if (!peek) drawnBefore.set(c, digest);
    else if (old !== undefined && old !== digest) draws.set(c, (draws.get(c) || new Set()).add(looks));
  }
  return out;
}
