// frames.js: where this document lies among the frames of the page, and the way to those that
// answer through it. A frame keeps its segment while its element lives, and one that a page makes
// anew gets that of the one before: neither order nor number of other frames is in it.

const segments = new WeakMap(); // frame element → its segment
const holders = new Map();      // segment → WeakRef of the frame element that has it
function segmentOf(el) {
  let s = segments.get(el);
  if (s !== undefined) return s;
  const base = frameBase(el);
  for (let n = 0; ; n++) {
    s = !base ? String(n) : n ? base + ':' + (n + 1) : base;
    const o = holders.get(s) && holders.get(s).deref();
    if (!o || !o.isConnected) break;
  }
  segments.set(el, s);
  holders.set(s, new WeakRef(el));
  return s;
}
// frameBase is the name of a frame or the host that it shows; most have none. A name with a digit
// counts something.
function frameBase(el) {
  const name = el.getAttribute('name');
  if (name && /^[a-z][a-z_-]{1,39}$/i.test(name)) return name;
  try {
    const u = new URL(el.src, document.baseURI);
    if (/^https?:$/.test(u.protocol) && u.hostname !== location.hostname) return clip(u.hostname, 60);
  } catch { /* no address */ }
  return '';
}

// A document whose parent is of another origin cannot ask it and is told its path.
let told = null;
const unnamed = '__cua unnamed';
function framePath() {
  if (parent === window) return '';
  const p = parentWorld();
  if (p) { const up = p.path(); return (up ? up + '/' : '') + p.segment(window.frameElement); }
  if (told === null) throw new Error(unnamed);
  return told;
}
// pathOf is the path of the document that frame element el of this document shows.
function pathOf(el) {
  refresh(); // frames that show are numbered in document order before those that do not
  return (walk.path ? walk.path + '/' : '') + segmentOf(el);
}
function parentWorld() {
  try { return window.frameElement && parent.__cua; } catch { return null; }
}
function covered() { return parent !== window && !!parentWorld(); }

// ---- same-origin frames answer through their parents ----
const hosted = new Set(); // frames in shadow trees: window.frames does not list them
function childWorlds() {
  const out = [];
  const add = (w) => {
    try { if (w.__cua) out.push(w.__cua); } catch { /* cross-origin: it is asked by itself */ }
  };
  for (let i = 0; i < Math.min(length, 50); i++) add(window[i]);
  for (const el of hosted)
    if (!el.isConnected) hosted.delete(el); else if (el.contentWindow) add(el.contentWindow);
  return out;
}
// worlds are this frame's and its same-origin descendants' worlds.
function worlds(into = [], depth = 0) {
  into.push(me);
  if (depth < 5) for (const c of childWorlds()) c.worlds(into, depth + 1);
  return into;
}
const worldsBelow = () => worlds().slice(1);

// ---- geometry ----
function contentOffset(el) {
  const s = getComputedStyle(el);
  return [el.clientLeft + parseFloat(s.paddingLeft || 0), el.clientTop + parseFloat(s.paddingTop || 0)];
}
// offset is this frame's origin in its topmost same-origin ancestor.
function offset() {
  let x = 0, y = 0;
  for (let w = window; w !== w.parent;) {
    let el = null;
    try { el = w.frameElement; } catch { /* cross-origin parent */ }
    if (!el) break;
    const r = el.getBoundingClientRect(), o = contentOffset(el);
    x += r.x + o[0]; y += r.y + o[1];
    w = w.parent;
  }
  return [x, y];
}

// frames lists visible child frames with their content boxes; same-origin ones answer here.
function frames(out, a) {
  for (const f of walk.frames.slice(0, 50)) {
    const b = boxOf(f.el), o = contentOffset(f.el);
    out.frames.push({ path: pathOf(f.el),
      box: [b[0] + o[0], b[1] + o[1], f.el.clientWidth, f.el.clientHeight],
      fields: f.fields, marks: f.at, dialog: dialogOf(f.el),
      shown: b, warped: Math.abs(b[2] - f.el.offsetWidth) > 1 || Math.abs(b[3] - f.el.offsetHeight) > 1 });
    let c = null;
    try { c = f.el.contentWindow.__cua; } catch { /* cross-origin */ }
    if (!c) continue;
    const sub = (p) => p && [p[0] - b[0] - o[0], p[1] - b[1] - o[1]];
    const at = sub(a.x != null ? [a.x, a.y] : null);
    // Where this document has changed, Locate needs to know all that is shown.
    const r = c.snapshot({ ...a, since: out.same ? a.since : 0, pointer: sub(a.pointer),
      x: at ? at[0] : null, y: at ? at[1] : null });
    out.children.push(r);
    if (r.same) continue;
    const over = new Map(); // identity → whether this document covers it
    for (const m of [...r.marks, ...r.fields, ...(r.focus ? [r.focus] : [])]) {
      if (!over.has(m.id)) {
        const p = visiblePoint([m.box[0] + b[0] + o[0], m.box[1] + b[1] + o[1], m.box[2], m.box[3]]),
          hit = p && hitAt(p[0], p[1]);
        over.set(m.id, !!hit && hit !== f.el);
      }
      if (over.get(m.id)) m.covered = true;
    }
  }
}
// intoFrame passes a question about a point on; a cross-origin frame has to be asked by itself.
function intoFrame(el, a) {
  const b = boxOf(el), o = contentOffset(el), x = a.x - b[0] - o[0], y = a.y - b[1] - o[1], path = pathOf(el);
  let c = null;
  try { c = el.contentWindow.__cua; } catch { /* cross-origin */ }
  if (!c) return { ask: path, x, y, tag: el.localName, role: 'iframe', box: b, point: [a.x, a.y] };
  const t = c.targetAt({ x, y });
  const shift = (q) => { if (q) { q[0] += b[0] + o[0]; q[1] += b[1] + o[1]; } };
  shift(t.box); shift(t.point);
  if (t.ask === undefined && t.covering) shift(t.covering.box);
  if (t.frame === undefined) t.frame = path;
  return t;
}
