// reach.js: whether a press at a point, or a key, reaches one control and nothing else.

// reaches says whether a press on hit is one on el: hit is in it, in its label, or in what is drawn for it,
// and in no other control that lies there.
function reaches(hit, el) {
  if (!hit) return false;
  for (let e = hit; e && e !== el; e = up(e)) if (e.matches(actors) && !under(el, e)) return false;
  if (under(hit, el)) return true;
  for (let e = hit; e; e = up(e)) if (e.localName === 'label' && e.control === el) return true;
  const item = walk.items.get(el);
  const drawn = item && item.clear ? holder(el) : null;
  return !!drawn && under(hit, drawn);
}
const called = (el) => {
  const b = brief(el);
  return (b.role || el.localName) + (b.name ? ' "' + clip(b.name, 80) + '"' : '');
};
// bars is why a press at a point of this document, or with keys a key, does not reach el; '' is nothing.
function bars(el, x, y, keys) {
  refresh();
  const top = keys ? modal() : null;
  if (top && !under(el, top)) return 'outside the open dialog: ' + called(top);
  const hit = hitAt(x, y);
  if (!reaches(hit, el))
    return hit && !under(el, hit)
      ? 'covered by ' + called(overlay(hit, el))
      : 'a press there does not reach it';
  const q = outside(x, y);
  return q ? parentWorld().bars(q[0], q[1], q[2], keys) : '';
}
// outside is the frame element of this document and the point in the document that holds it; null for the top
// document, and for one whose parent is of another origin and is asked by itself.
function outside(x, y) {
  if (parent === window || !parentWorld()) return null;
  const f = window.frameElement, b = boxOf(f), o = contentOffset(f);
  return [f, x + b[0] + o[0], y + b[1] + o[1]];
}
// above is what lies over the frame of this document at a point, in the topmost document of this origin.
function above(x, y) {
  const q = outside(x, y);
  return q && parentWorld().overFrame(...q);
}
function overFrame(f, x, y) {
  const hit = hitAt(x, y);
  if (!hit || under(hit, f)) return above(x, y);
  const l = layer(overlay(hit, f)), o = offset();
  l.box = [l.box[0] + o[0], l.box[1] + o[1], l.box[2], l.box[3]];
  return l;
}
// spot is where to press el: the middle of what shows of it, or of one of its lines where the middle
// lies between them.
function spot(el) {
  const item = walk.items.get(el), shown = (item && item.shown) || el, p = visiblePoint(boxOf(shown));
  if (p && reaches(hitAt(p[0], p[1]), el)) return p;
  for (const r of [...shown.getClientRects()].slice(0, 10)) {
    const q = visiblePoint([r.x, r.y, r.width, r.height]);
    if (q && reaches(hitAt(q[0], q[1]), el)) return q;
  }
  return p;
}
// press says where a press on el lands: at the point asked for, in the topmost document of this origin, or
// in its middle.
function press(el, a) {
  const o = offset();
  if (a.x == null) inView((walk.items.get(el) || {}).shown || el);
  const p = a.x == null ? spot(el) : [a.x - o[0], a.y - o[1]];
  if (!p) return { refused: 'it is not in view' };
  const why = bars(el, p[0], p[1], false);
  return why ? { refused: why } : { at: p };
}
// holdFocus gives el the focus, unless it has it, and says what has it then.
function holdFocus(el) {
  inView(el);
  const p = spot(el), why = p ? bars(el, p[0], p[1], true) : 'it is not in view';
  if (why) return { refused: why };
  const has = () => { const f = focusedElement(); return f && under(f, el) ? f : null; };
  if (!has() || !document.hasFocus()) byAction(() => el.focus({ preventScroll: true }));
  const held = has();
  return held ? { held } : { refused: 'it does not take the focus' };
}
// enter gives the frame that shows the document at path the focus: a document of another origin cannot take
// it by itself.
function enter(path) {
  for (const w of worlds()) if (w.enterHere(path)) break;
}
function enterHere(path) {
  refresh();
  const f = walk.frames.find(({ el }) => {
    const p = pathOf(el);
    return path === p || path.startsWith(p + '/');
  });
  if (!f) return false;
  let c = null;
  try { c = f.el.contentWindow.__cua; } catch { /* of another origin */ }
  if (c) return false;
  if (focusedElement() !== f.el) byAction(() => f.el.focus({ preventScroll: true }));
  return true;
}
