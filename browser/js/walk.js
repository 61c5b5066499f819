// walk.js: one pass over the flat tree (shadow trees and slots included) collects regions,
// controls, interactive elements, canvases and frames. Its result is kept until something
// may have changed.

const fullVis = { visibilityProperty: true, opacityProperty: true };
const opacityVis = { opacityProperty: true };
const maxElements = 20000;
let walk = { forms: new Map(), seen: new Map(), byID: new Map(), idOf: new Map(), labels: new Map(), leads: new Map(), titles: new Map(), places: new Map(), canvases: [], plays: [], drawn: new Map() };

const clickRoles = new Set(['button', 'link', 'checkbox', 'radio', 'switch', 'tab', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'option',
  'combobox', 'textbox', 'searchbox', 'spinbutton', 'slider', 'treeitem', 'gridcell', 'listbox']);
function isInteractive(el, tag) {
  switch (tag) {
    case 'a': case 'area': if (el.hasAttribute('href')) return true; break;
    case 'button': case 'select': case 'textarea': case 'summary': return true;
    case 'input': return el.type !== 'hidden';
    case 'body': case 'html': return false;
  }
  if (!el.hasAttributes()) return false;
  const role = el.getAttribute('role');
  if (role !== null && clickRoles.has(role.trim().toLowerCase())) return true;
  if (el.hasAttribute('onclick')) return true;
  const tab = el.getAttribute('tabindex');
  if (tab !== null && Number(tab) >= 0 && !el.shadowRoot) return true;
  return isEditingHost(el);
}
const atoms = new Set(['input', 'select', 'textarea', 'img', 'canvas', 'video', 'audio', 'svg', 'object', 'embed', 'iframe', 'frame', 'progress', 'meter', 'button', 'hr']);

function refresh() {
  attach();
  if (!dirty && walk.doc === document) return walk;
  const path = framePath();
  dirty = false;
  walk = { doc: document, forms: new Map(), seen: new Map(), byID: new Map(), idOf: new Map(), labels: new Map(), leads: new Map(), titles: new Map(), places: new Map(), interactive: [], fields: [], canvases: [],
    frames: [], plays: [], drawn: new Map(), endless: new Set(), count: 0, parts: null, path, hot: new Set() };
  for (const a of allAnimations()) { const el = endless(a); if (el) walk.endless.add(el); }
  const root = branch('body', document.body);
  if (document.body) visit(document.body, root, false, 0);
  walk.parts = cut(root.kids[0] || root);
  return walk;
}

function visit(el, into, pointer, depth, blinking = false) {
  const tag = el.localName;
  if (hiddenTag.has(tag) || ++walk.count > maxElements || depth > 400) return;
  const bits = mutated.size ? mutatedBits(el) : 0;
  // What an endless animation hides and shows is there all the time.
  blinking = blinking || walk.endless.size > 0 && walk.endless.has(el);
  let shown = el.checkVisibility(blinking ? undefined : fullVis);
  if (!shown && tag !== 'slot') {
    if (!el.checkVisibility(opacityVis)) {
      // An input is often made transparent under a drawing of itself.
      if (tag === 'input' && el.type !== 'hidden' && el.checkVisibility()) collect(el, tag, true);
      if (el.checkVisibility() || getComputedStyle(el).display !== 'contents') { into.bits |= bits; return; }
    }
  } else shown = true;
  if (el.shadowRoot) observe(el.shadowRoot);
  if (tag === 'form' || el.getAttribute('role') === 'form') formHere(el);
  const flat = inline.has(tag) && tag !== 'a' && !el.firstElementChild && !el.shadowRoot;
  const b = flat ? into : branch('', el);
  b.bits |= bits;
  const before = into.own.length;
  if (shown) {
    if (atoms.has(tag)) b.units++;
    const t = token(el, tag);
    if (t) b.own.push(t);
    pointer = collect(el, tag, false, pointer);
  }
  if (tag !== 'select' && tag !== 'textarea' && tag !== 'svg') children(el, tag, b, pointer, depth, shown, blinking);
  if (flat) { if (into.own.length > before && !into.units) into.units++; return; }
  if (!b.own.length && !b.kids.length) { into.bits |= b.bits; return; }
  if (b.own.length && !b.units) b.units = 1;
  for (const k of b.kids) b.units += k.units;
  b.seg = segment(el, tag, into);
  into.kids.push(b);
}
// A segment holds no id: one that is made anew would be a region that went and another that came.
function segment(el, tag, into) {
  into.tags = into.tags || new Map();
  const n = (into.tags.get(tag) || 0) + 1;
  into.tags.set(tag, n);
  return n > 1 ? tag + ':' + n : tag;
}
function children(el, tag, b, pointer, depth, shown, blinking) {
  const one = (n) => {
    if (n.nodeType === 3) {
      if (shown && n.data.trim()) b.own.push(squash(n.data));
    } else if (n.nodeType === 1) visit(n, b, pointer, depth + 1, blinking);
  };
  if (tag === 'slot') {
    const given = el.assignedNodes();
    if (given.length) { given.forEach(one); return; }
  }
  if (tag === 'details' && !el.open) { one([...el.children].find((c) => c.localName === 'summary') || new Text()); return; }
  for (let n = (el.shadowRoot || el).firstChild; n; n = n.nextSibling) one(n);
}

function frame(el) {
  segmentOf(el);
  if (el.getRootNode() !== document) hosted.add(el);
  walk.frames.push({ el, fields: walk.fields.length, marks: walk.interactive.length });
}
// collect files el under what it is. It returns whether the cursor is a hand from here on.
function collect(el, tag, clear, pointer = false) {
  if (tag === 'canvas') walk.canvases.push(el);
  else if (plays(el, tag)) walk.plays.push(el);
  else if (tag === 'iframe' || tag === 'frame') frame(el);
  let hit = isInteractive(el, tag);
  if (!hit && !pointer && el.hasAttributes() && tag !== 'body' && tag !== 'label' && getComputedStyle(el).cursor === 'pointer') { hit = true; }
  if (!hit && tag === 'label') return label(el, pointer);
  if (!hit || walk.interactive.length >= 3000) return pointer;
  const role = roleOf(el), name = nameOf(el, role), id = remember(el, role, name);
  const item = { el, role, name, id };
  walk.interactive.push(item);
  walk.hot.add(el);
  if (isField(el) && walk.fields.length < 500) walk.fields.push(item);
  return true;
}
// A label stands for a control that is not shown itself (a drawn checkbox).
function label(el, pointer) {
  const c = el.control;
  if (!c || c.checkVisibility(fullVis) || c.type !== 'checkbox' && c.type !== 'radio' && c.type !== 'file' || walk.idOf.has(c)) return pointer;
  const role = roleOf(c), name = nameOf(c, role), id = remember(c, role, name);
  const item = { el: c, role, name, id, shown: el };
  walk.interactive.push(item);
  walk.hot.add(el);
  if (walk.fields.length < 500) walk.fields.push(item);
  return true;
}
function remember(el, role, name) {
  let id = identify(el, role, name, walk.seen);
  if (walk.path) id += ' @' + walk.path;
  walk.byID.set(id, el);
  walk.idOf.set(el, id);
  return id;
}
