// locate.js: what an action is aimed at, asked before anybody rules on it.

const ownText = (el) => {
  for (const n of el.childNodes) if (n.nodeType === 3 && n.data.trim()) return true;
  return false;
};

// A surface is pressed for the place on it and not for itself: a canvas, a map, a board that is drawn.
function surface(el, hit) {
  const tag = el.localName;
  if (tag === 'canvas' || tag === 'video') return true;
  if (el !== hit && !under(hit, el) || clickRoles.has(roleOf(el)) || atoms.has(tag) || tag === 'label' ||
    isEditingHost(el)) return false;
  const b = boxOf(el);
  return b[2] * b[3] > 0.2 * innerWidth * innerHeight;
}
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
  const item = walk.items.get(el);
  return { ...controlOf(el), box: boxOf((item && item.shown) || el), edit: isEditable(el),
    field: item && isField(el) ? item.id : '' };
}
function brief(el) {
  const role = roleOf(el), name = nameOf(el, role) || heading(el);
  return { id: walk.idOf.get(el) || structural(el, role, name), role, name, box: boxOf(el) };
}
// layer is what lies over something else, with the marks in it.
const layer = (el) => ({ ...brief(el), controls: marksIn(el) });
// marksIn are the identities of the marks in el, those of its frames after its own; null is
// the whole document.
function marksIn(el) {
  const out = [];
  for (const i of walk.interactive) {
    if (out.length < 50 && !i.wraps && (!el || under(i.el, el)) && visiblePoint(boxOf(i.shown || i.el)))
      out.push(i.id);
  }
  for (const f of walk.frames) {
    if (el && !under(f.el, el)) continue;
    try {
      out.push(...f.el.contentWindow.__cua.marksIn(null));
    } catch { /* of another origin: not seen from here */ }
  }
  return out.slice(0, 50);
}
const heading = (el) => {
  const h = el.querySelector('h1,h2,h3,h4,[role=heading]');
  return h ? textOf(h) : textOf(el, 80);
};

// overlay is the outermost ancestor of hit that does not hold what lies beneath.
function overlay(hit, beneath) {
  let e = hit;
  for (let p = up(e); p && !under(beneath, p) && p !== document.body; p = up(p)) e = p;
  return e;
}
// beneath is a control at the point that is hidden by something that is no part of it.
function beneath(hit, x, y) {
  const root = hit.getRootNode();
  const stack = [...document.elementsFromPoint(x, y),
    ...(root !== document && root.elementsFromPoint ? root.elementsFromPoint(x, y) : [])];
  const top = hit.closest(':modal');
  if (top) { // what lies outside of it is inert, and in no stack
    for (const { el, shown } of walk.interactive) {
      const [bx, by, w, h] = boxOf(shown || el);
      if (!under(el, top) && x >= bx && y >= by && x < bx + w && y < by + h) stack.push(el);
    }
  }
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
  return s.position === 'fixed' || s.position === 'absolute' || s.position === 'sticky' ||
    s.zIndex !== 'auto';
}

function target(a) {
  if (a.id) {
    const el = resolve(a.id);
    if (!el) return { missing: true };
    const t = describe(el), p = visiblePoint(t.box);
    const hit = p && hitAt(p[0], p[1]);
    if (hit && !related(hit, el) && !(labelsOf(el) || []).some((l) => related(hit, l)))
      t.covering = layer(overlay(hit, el));
    t.clickable = true;
    t.point = p || [t.box[0] + t.box[2] / 2, t.box[1] + t.box[3] / 2];
    return t;
  }
  if (a.x == null) return {};
  const hit = hitAt(a.x, a.y);
  if (!hit || hit === document.documentElement || hit === document.body) return { point: [a.x, a.y] };
  if (hit.localName === 'iframe' || hit.localName === 'frame') return intoFrame(hit, a);
  const el = aimed(hit);
  if (el && surface(el, hit))
    return { clickable: true, role: roleOf(el), tag: el.localName, box: boxOf(el), point: [a.x, a.y] };
  if (el) return { ...describe(el), clickable: true, point: [a.x, a.y] };
  const deep = beneath(hit, a.x, a.y);
  if (deep) return { ...describe(deep), point: [a.x, a.y], covering: layer(overlay(hit, deep)) };
  if (hit.localName === 'canvas')
    return { role: 'canvas', tag: 'canvas', box: boxOf(hit), point: [a.x, a.y] };
  if (ownText(hit) || hit.localName === 'img') return { ...describe(hit), point: [a.x, a.y] };
  return { tag: hit.localName, role: roleOf(hit), point: [a.x, a.y] };
}
function locate(a) {
  if (covered()) return json({ covered: true });
  const out = { probe: snapshot({ ...a.probe, peek: true }), target: null };
  out.target = target(a);
  if (out.target.missing) {
    for (const c of worldsBelow()) {
      const t = c.targetAt({ id: a.id });
      if (!t.missing) {
        const o = c.offset(), over = !t.covering && t.point && c.above(...t.point);
        for (const q of [t.box, t.point, t.covering && t.covering.box])
          if (q) { q[0] += o[0]; q[1] += o[1]; }
        if (over) t.covering = over;
        t.frame = c.path();
        out.target = t;
        break;
      }
    }
  }
  const p = out.target.point;
  if (p && a.x == null) {
    const at = { x: p[0], y: p[1] };
    if (out.probe.same && json(scrolls(at)) !== baseline.scroll)
      out.probe = snapshot({ ...a.probe, peek: true, since: 0 });
    out.probe.scroll = scrolls(at);
  }
  return json(out);
}
function targetAt(a) { refresh(); return target(a); }
