// locate.js: what an action is aimed at, asked before anybody rules on it.

// structural names an element that is no control: tags with their number among siblings, ids
// only where they look as if they stay.
function structural(el, role, name) {
  const at = [];
  for (let e = el, n = 0; e && n < 8 && e !== document.body && e !== document.documentElement; e = up(e), n++) {
    if (stableId(e.id)) { at.unshift('#' + e.id); break; }
    let i = 1;
    for (let s = e.previousElementSibling; s && i < 1000; s = s.previousElementSibling) if (s.localName === e.localName) i++;
    at.unshift(i > 1 ? e.localName + ':' + i : e.localName);
  }
  const id = shorten((role || el.localName) + ' "' + shorten(name, 60) + '" ' + at.join('/'), 160).trim() + (walk.path ? ' @' + walk.path : '');
  walk.byID.set(id, el);
  return id;
}
const ownText = (el) => { for (const n of el.childNodes) if (n.nodeType === 3 && n.data.trim()) return true; return false; };

// aimed is what a press on hit is meant for: the control around it, the control of the label around it.
function aimed(hit) {
  for (let e = hit; e && e !== document.documentElement; e = up(e)) {
    if (e.localName === 'label' && e.control) return e.control;
    if (walk.idOf.has(e)) return e;
    if (e.localName === 'option' && e.closest('select')) return e.closest('select');
  }
  return null;
}
function describe(el) {
  const role = roleOf(el), item = walk.interactive.find((i) => i.el === el);
  const name = item ? item.name : nameOf(el, role);
  const id = walk.idOf.get(el) || structural(el, role, name);
  return { id, role, name, tag: el.localName, type: typeOf(el), form: formID(el), box: boxOf((item && item.shown) || el), edit: isEditable(el),
    field: item && isField(el) ? id : '', submit: submits(el), disabled: el.matches(':disabled') || el.getAttribute('aria-disabled') === 'true' };
}
function brief(el) {
  const role = roleOf(el), name = nameOf(el, role) || heading(el);
  return { id: walk.idOf.get(el) || structural(el, role, name), role, name, box: boxOf(el) };
}
const heading = (el) => { const h = el.querySelector('h1,h2,h3,h4,[role=heading]'); return h ? textOf(h) : textOf(el, 80); };

// overlay is the outermost ancestor of hit that does not hold what lies beneath.
function overlay(hit, beneath) {
  let e = hit;
  for (let p = up(e); p && !under(beneath, p) && p !== document.body; p = up(p)) e = p;
  return e;
}
// beneath is a control at the point that is hidden by something that is no part of it.
function beneath(hit, x, y) {
  const root = hit.getRootNode();
  const stack = [...document.elementsFromPoint(x, y), ...(root !== document && root.elementsFromPoint ? root.elementsFromPoint(x, y) : [])];
  for (const e of stack.slice(0, 60)) {
    const t = aimed(e);
    if (t && t !== hit && !related(hit, t)) return lifted(overlay(hit, t)) ? t : null;
  }
  return null;
}
// lifted: only what is taken out of the flow lies over something else on purpose.
function lifted(el) {
  if (el.matches(':modal') || el.matches(':popover-open')) return true;
  const s = getComputedStyle(el);
  return s.position === 'fixed' || s.position === 'absolute' || s.position === 'sticky' || s.zIndex !== 'auto';
}

function target(a) {
  if (a.id) {
    const el = resolve(a.id);
    if (!el) return { missing: true };
    const t = describe(el), p = visiblePoint(t.box);
    const hit = p && hitAt(p[0], p[1]);
    if (hit && !related(hit, el) && !(labelsOf(el) || []).some((l) => related(hit, l))) t.covering = brief(overlay(hit, el));
    t.point = p || [t.box[0] + t.box[2] / 2, t.box[1] + t.box[3] / 2];
    return t;
  }
  if (a.x == null) return {};
  const hit = hitAt(a.x, a.y);
  if (!hit || hit === document.documentElement || hit === document.body) return { point: [a.x, a.y] };
  if (hit.localName === 'iframe' || hit.localName === 'frame') return intoFrame(hit, a);
  const el = aimed(hit);
  if (el) return { ...describe(el), point: [a.x, a.y] };
  const deep = beneath(hit, a.x, a.y);
  if (deep) return { ...describe(deep), point: [a.x, a.y], covering: brief(overlay(hit, deep)) };
  if (hit.localName === 'canvas') return { role: 'canvas', tag: 'canvas', box: boxOf(hit), point: [a.x, a.y] };
  if (ownText(hit) || hit.localName === 'img') return { ...describe(hit), point: [a.x, a.y] };
  return { tag: hit.localName, role: roleOf(hit), point: [a.x, a.y] };
}
// intoFrame passes the question on; a cross-origin frame has to be asked by itself.
function intoFrame(el, a) {
  const b = boxOf(el), o = contentOffset(el), x = a.x - b[0] - o[0], y = a.y - b[1] - o[1], path = indexOf(el);
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
function locate(a) {
  if (covered()) return { covered: true };
  const out = { probe: snapshot({ ...a.probe, peek: true }), target: null };
  out.target = target(a);
  if (out.target.missing) {
    for (const { c } of worldsBelow()) {
      const t = c.targetAt({ id: a.id });
      if (!t.missing) { const o = c.offset(); for (const q of [t.box, t.point, t.covering && t.covering.box]) if (q) { q[0] += o[0]; q[1] += o[1]; } t.frame = c.path(); out.target = t; break; }
    }
  }
  return out;
}
function targetAt(a) { refresh(); return target(a); }
function worldsBelow(into = [], depth = 0) {
  if (depth < 5) for (const k of childWorlds()) { into.push(k); k.c.below(into, depth + 1); }
  return into;
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
