// probe.js: one answer to everything that an observation asks.

function describeField(item) { return fieldOf(item.el, item.id, item.role, item.name, boxOf(item.shown || item.el)); }

// focused descends open shadow roots; into says in which frame to look on.
function focused() {
  let el = document.activeElement;
  while (el && el.shadowRoot && el.shadowRoot.activeElement) el = el.shadowRoot.activeElement;
  if (!el || el === document.documentElement || el === document.body && !el.isContentEditable) return { field: null };
  if (el.localName === 'iframe' || el.localName === 'frame') return { field: null, into: indexOf(el) };
  const role = roleOf(el), name = nameOf(el, role);
  const id = walk.idOf.get(el) || structural(el, role, name);
  const field = fieldOf(el, id, role, name, boxOf(el));
  field.ring = el.matches(':focus-visible');
  return { field };
}
function indexOf(frameEl) {
  const w = frameEl.contentWindow;
  for (let i = 0; w && i < length; i++) if (window[i] === w) return (walk.path ? walk.path + '/' : '') + i;
  return '';
}

// marks are the interactive elements in the viewport.
function marks() {
  const out = [], vw = innerWidth, vh = innerHeight;
  walk.frames.forEach((f) => { f.at = -1; });
  let k = 0;
  for (let i = 0; i < walk.interactive.length && out.length < 300; i++) {
    while (k < walk.frames.length && walk.frames[k].marks <= i) walk.frames[k++].at = out.length;
    const { el, role, name, id, shown } = walk.interactive[i];
    if (!el.isConnected) continue;
    const box = boxOf(shown || el), p = visiblePoint(box, vw, vh);
    if (!p) continue;
    const hit = hitAt(p[0], p[1]);
    const cov = !!hit && !related(hit, shown || el) && !related(hit, el);
    out.push({ id, role, name, tag: el.localName, type: typeOf(el), submit: submits(el), form: formID(el), box,
      disabled: el.matches(':disabled') || el.getAttribute('aria-disabled') === 'true', covered: cov });
  }
  for (const f of walk.frames) if (f.at < 0) f.at = out.length;
  return out;
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

function scrolls(a) {
  const s = document.scrollingElement || document.documentElement;
  const out = { x: round(scrollX), y: round(scrollY), maxY: s ? Math.max(0, s.scrollHeight - s.clientHeight) : 0, cx: 0, cy: 0 };
  if (a && a.x != null) {
    for (let e = hitAt(a.x, a.y); e && e !== s && e !== document.body; e = up(e)) {
      if (e.scrollTop || e.scrollLeft || (e.scrollHeight > e.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(e).overflowY)) ||
        (e.scrollWidth > e.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(e).overflowX))) {
        out.cx = round(e.scrollLeft); out.cy = round(e.scrollTop);
        break;
      }
    }
  }
  return out;
}
function hoverBoxes(p) {
  const out = [];
  for (let e = p && hitAt(p[0], p[1]); e && out.length < 5; e = up(e)) if (walk.hot.has(e)) out.push(boxOf(e));
  return out;
}

// ambient is what nothing that an action set off has changed or moves.
function ambient() {
  const parts = [], causedParts = [], boxes = [];
  for (const [key, p] of walk.parts) {
    if (p.bits & 2) causedParts.push(key);
    if (p.bits & 1 && !(p.bits & 6)) parts.push(key);
  }
  const addBox = (el) => {
    if (boxes.length >= 50 || !el.isConnected || !el.checkVisibility()) return;
    const b = boxOf(el);
    if (visiblePoint(b) && b[2] * b[3] < 0.5 * innerWidth * innerHeight) boxes.push(b);
  };
  for (const [el, bits] of mutated) if (bits === 1) addBox(el);
  let animating = false;
  for (const a of document.getAnimations()) {
    if (a.playState !== 'running' || !a.effect) continue;
    animating = true;
    const t = a.effect.getComputedTiming();
    if (!Number.isFinite(t.endTime) && a.effect.target) addBox(a.effect.target);
  }
  return { parts: parts.sort(), boxes, caused: causedParts.sort(), animating };
}

function probe(a = {}) {
  if (covered()) return { covered: true };
  return snapshot(a);
}
function snapshot(a) {
  // Mutations tag regions, so the walk that reports them has to be younger than they are.
  const hadMoved = moved;
  if (moved) dirty = true;
  refresh();
  const parts = {};
  for (const [key, p] of walk.parts) parts[key] = p.digest;
  const amb = ambient(), focus = focused(), list = marks();
  const out = {
    path: walk.path, url: location.href.slice(0, 8192), title: document.title.slice(0, 1000), doc: docID, view: [innerWidth, innerHeight],
    focus: focus.field, focusInto: focus.into, fields: walk.fields.filter((f) => f.el.isConnected).map(describeField), marks: list,
    parts, canvases: canvases(), scroll: scrolls(a), ...writesNow(), ambient: { parts: amb.parts, boxes: amb.boxes }, caused: amb.caused,
    hover: hoverBoxes(a.pointer), busy: hadMoved || amb.animating || walk.canvases.length > 0, frames: [], children: [], loading: document.readyState !== 'complete',
  };
  frames(out, a);
  if (!a.peek) { mutated.clear(); moved = false; closed = true; }
  return out;
}
function canvases() {
  const out = {}, seen = new Map();
  let n = 0;
  for (const c of walk.canvases) {
    if (!c.isConnected || n >= 8 || !visiblePoint(boxOf(c)) || !c.width || !c.height) continue;
    n++;
    out[identify(c, 'canvas', labelText(c), seen)] = canvasDigest(c);
  }
  return out;
}
// frames lists visible child frames with their content boxes; same-origin ones answer here.
function frames(out, a) {
  for (const f of walk.frames) {
    const path = indexOf(f.el);
    if (path === '' || out.frames.length >= 50) continue;
    const b = boxOf(f.el), o = contentOffset(f.el);
    out.frames.push({ path, box: [b[0] + o[0], b[1] + o[1], f.el.clientWidth, f.el.clientHeight], fields: f.fields, marks: f.at });
    let c = null;
    try { c = f.el.contentWindow.__cua; } catch { /* cross-origin */ }
    if (!c) continue;
    const sub = (p) => p && [p[0] - b[0] - o[0], p[1] - b[1] - o[1]];
    const at = sub(a.x != null ? [a.x, a.y] : null);
    const r = c.snapshot({ peek: a.peek, pointer: sub(a.pointer), x: at ? at[0] : null, y: at ? at[1] : null });
    for (const m of r.marks) {
      const p = visiblePoint([m.box[0] + b[0] + o[0], m.box[1] + b[1] + o[1], m.box[2], m.box[3]]);
      const hit = p && hitAt(p[0], p[1]);
      if (hit && hit !== f.el) m.covered = true;
    }
    out.children.push(r);
  }
}
function contentOffset(el) {
  const s = getComputedStyle(el);
  return [el.clientLeft + parseFloat(s.paddingLeft || 0), el.clientTop + parseFloat(s.paddingTop || 0)];
}
