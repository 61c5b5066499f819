// walk.js: one pass over the flat tree (shadow trees and slots included) collects regions,
// controls, interactive elements, canvases and frames. Its result is kept until something
// may have changed.

const fullVis = { visibilityProperty: true, opacityProperty: true };
const opacityVis = { opacityProperty: true };
const maxElements = 20000;
let walk = emptyWalk('');
function emptyWalk(path) {
  return { doc: null, path, root: null, parts: null, count: 0,
    seen: new Map(), byID: new Map(), idOf: new Map(), items: new Map(), labels: new Map(), leads: new Map(),
    titles: new Map(), places: new Map(), heirs: new Map(), natives: new Set(), radios: new Map(),
    interactive: [], fields: [], canvases: [], frames: [], plays: [],
    drawn: new Map(), endless: new Set(), hot: new Set(),
    // of forms.js and controls.js; open are the elements around the one that is visited, hand is the
    // innermost with a hand cursor
    forms: new Map(), formList: null, formCount: 0, dialogs: new Map(), dialogNames: new Map(), dialog: '',
    texts: [], muted: false, spans: new Map(),
    open: [], loose: null, looseIn: null, notices: new Set(), working: false, embeds: [], hand: null };
}

const clickRoles = new Set(['button', 'link', 'checkbox', 'radio', 'switch', 'tab', 'menuitem',
  'menuitemcheckbox', 'menuitemradio', 'option', 'combobox', 'textbox', 'searchbox', 'spinbutton', 'slider',
  'treeitem', 'gridcell', 'listbox']);
// isControl says whether markup makes el a control.
function isControl(el, tag) {
  switch (tag) {
    case 'a': case 'area': if (el.hasAttribute('href')) return true; break;
    case 'button': case 'select': case 'textarea': case 'summary': return true;
    case 'input': return el.type !== 'hidden';
  }
  if (!el.hasAttributes()) return false;
  if (isEditingHost(el)) return true;
  const role = (el.getAttribute('role') || '').trim().toLowerCase();
  // A text box of a combobox that nobody can type into only shows what was chosen there.
  return clickRoles.has(role) && !(role === 'textbox' && !el.hasAttribute('tabindex') &&
    el.parentElement && el.parentElement.closest('[role=combobox]'));
}
// reactsHow says what else makes el react to presses: 'own' an attribute of its own, 'hand' its cursor,
// 'heard' nothing but a listener of the page; '' is nothing. around is as in collect.
const pressable = new WeakSet(); // elements that the page listens for presses on
function reactsHow(el, tag, around) {
  if (tag === 'body' || tag === 'html') return '';
  if (el.hasAttributes()) {
    if (el.hasAttribute('onclick')) return 'own';
    const tab = el.getAttribute('tabindex');
    if (tab !== null && Number(tab) >= 0 && !el.shadowRoot) return 'own';
  }
  if (around === 2 || tag === 'label') return '';
  if (around === 0 && (el.hasAttributes() || inSmallGrid(el, tag)) && handOn(el)) return 'hand';
  if (around === 1 && (tag === 'td' || tag === 'li') && !/^(tr|td|li)$/.test(walk.hand.localName))
    return 'hand';
  if (!pressable.has(el)) return '';
  const b = boxOf(el); // one that is large listens for what is in it
  return b[2] * b[3] > 0 && b[2] * b[3] <= 0.2 * innerWidth * innerHeight ? 'heard' : '';
}
const handOn = (el) => getComputedStyle(el).cursor === 'pointer';
// A cell of a calendar or an entry of a short list often has no attribute at all; long ones are not asked
// one by one.
function inSmallGrid(el, tag) {
  const p = el.parentElement;
  if (!p || tag !== 'td' && tag !== 'li') return false;
  return tag === 'li' ? p.childElementCount <= 30
    : p.childElementCount <= 31 && p.parentElement !== null && p.parentElement.childElementCount <= 12;
}
const atoms = new Set(['input', 'select', 'textarea', 'img', 'canvas', 'video', 'audio', 'svg', 'object',
  'embed', 'iframe', 'frame', 'progress', 'meter', 'button', 'hr']);

function refresh() {
  attach();
  if (!dirty && walk.doc === document) return walk;
  const path = framePath();
  dirty = false;
  walk = emptyWalk(path);
  walk.doc = document;
  for (const a of allAnimations()) { const el = endless(a); if (el) walk.endless.add(el); }
  const root = branch('body', document.body);
  if (document.body) visit(document.body, root, 0, 0);
  walk.root = root.kids[0] || root;
  walk.parts = cut(walk.root);
  return walk;
}

function visit(el, into, around, depth, blinking = false) {
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
  const role = el.hasAttributes() ? el.getAttribute('role') : null;
  if (tag === 'form' || role === 'form') formHere(el);
  const flat = inline.has(tag) && tag !== 'a' && !el.firstElementChild && !el.shadowRoot;
  const b = flat ? into : branch('', el);
  b.bits |= bits;
  const before = into.own.length, place = beginPlace(el, tag, role);
  if (shown) {
    if (atoms.has(tag)) b.units++;
    if (tag === 'object' || tag === 'embed') walk.embeds.push(el);
    walk.working = walk.working || tellsOfWork(el, tag, role);
    const t = token(el, tag);
    if (t) b.own.push(t);
    around = collect(el, tag, false, around);
  }
  if (tag !== 'select' && tag !== 'textarea' && tag !== 'svg')
    children(el, tag, b, around, depth, shown, blinking);
  endPlace(el, tag, role, place);
  sift(el, place.items);
  if (flat) { if (into.own.length > before && !into.units) into.units++; return; }
  if (!b.own.length && !b.kids.length) { into.bits |= b.bits; return; }
  if (b.own.length && !b.units) b.units = 1;
  for (const k of b.kids) b.units += k.units;
  b.seg = segment(el, tag, into);
  into.kids.push(b);
}
// isLarge says whether el shows on a quarter of the viewport or more. A picture is no document.
function isLarge(el) {
  if (/^image\//.test(el.type || '')) return false;
  const b = boxOf(el), w = Math.min(b[0] + b[2], innerWidth) - Math.max(b[0], 0),
    h = Math.min(b[1] + b[3], innerHeight) - Math.max(b[1], 0);
  return w > 0 && h > 0 && 4 * w * h >= innerWidth * innerHeight;
}
// tellsOfWork says whether el tells of a job under way: it is busy, or a bar that is not full.
function tellsOfWork(el, tag, role) {
  if (tag === 'progress') return el.position < 1; // -1 where how far it is is not known
  if (!el.hasAttributes()) return false;
  if (el.getAttribute('aria-busy') === 'true') return true;
  if (role !== 'progressbar') return false;
  const now = el.getAttribute('aria-valuenow');
  return now === null || Number(now) < Number(el.getAttribute('aria-valuemax') || 100);
}
// A segment holds no id: one that is made again would be a region that went and another that came.
function segment(el, tag, into) {
  into.tags = into.tags || new Map();
  const n = (into.tags.get(tag) || 0) + 1;
  into.tags.set(tag, n);
  return n > 1 ? tag + ':' + n : tag;
}
function children(el, tag, b, around, depth, shown, blinking) {
  const one = (n) => {
    if (n.nodeType === 3) {
      if (!shown || !n.data.trim()) return;
      const s = squash(n.data);
      b.own.push(s);
      if (!walk.muted) walk.texts.push(s);
    } else if (n.nodeType === 1) visit(n, b, around, depth + 1, blinking);
  };
  if (tag === 'slot') {
    const given = el.assignedNodes();
    if (given.length) { given.forEach(one); return; }
  }
  if (tag === 'details' && !el.open) {
    one([...el.children].find((c) => c.localName === 'summary') || new Text());
    return;
  }
  for (let n = (el.shadowRoot || el).firstChild; n; n = n.nextSibling) one(n);
}

function frame(el) {
  segmentOf(el);
  if (el.getRootNode() !== document) hosted.add(el);
  walk.frames.push({ el, fields: walk.fields.length, marks: walk.interactive.length });
}
// collect files el under what it is. around says what it lies in: 0 nothing that reacts to presses, 1
// something with a hand cursor, 2 a control; the result is the same for what el holds.
function collect(el, tag, clear, around = 0) {
  if (tag === 'canvas') walk.canvases.push(el);
  else if (plays(el, tag)) walk.plays.push(el);
  else if (tag === 'iframe' || tag === 'frame') frame(el);
  const control = isControl(el, tag), how = control ? '' : reactsHow(el, tag, around);
  if (!control && !how) return tag === 'label' ? label(el, around) : around;
  if (walk.interactive.length >= 3000 ||
    control && (tag === 'select' || tag === 'input' || tag === 'textarea') && replaced(el)) return around;
  const item = file(el, null);
  item.clear = clear;
  item.how = how;
  if (control) return 2;
  if (how === 'hand' || around === 0 && handOn(el)) { walk.hand = el; return 1; }
  return around;
}
// A label stands for a control that is not shown itself (a drawn checkbox).
function label(el, around) {
  const c = el.control;
  if (!c || c.checkVisibility(fullVis) ||
    c.type !== 'checkbox' && c.type !== 'radio' && c.type !== 'file' || walk.idOf.has(c)) return around;
  file(c, el);
  return 2;
}
// file makes an item of el, which shows as shown where it does not show itself.
function file(el, shown) {
  const role = roleOf(el), name = nameOf(el, role), id = remember(el, role, name);
  const item = { el, role, name, id, dialog: walk.dialog, how: '' };
  if (shown) item.shown = shown;
  walk.interactive.push(item);
  walk.items.set(el, item);
  walk.hot.add(el);
  if (isField(el) && walk.fields.length < 500) { walk.fields.push(item); looseField(el); }
  return item;
}
// sift decides, when all that el holds was visited (the n-th item, if it is one), which of them a press is
// for. A wrapper that holds a control, or several things that react, is no mark; one that holds a single such
// thing stands for it.
function sift(el, n) {
  const item = walk.interactive[n];
  if (!item || item.el !== el || !item.how || walk.interactive.length === n + 1) return;
  const inner = walk.interactive.slice(n + 1).filter((i) => !i.wraps);
  const single = inner.length === 1 && inner[0].how && item.how !== 'heard';
  if (!inner.length) return;
  if (single && (item.el.hasAttribute('onclick') || item.how === 'hand')) inner[0].wraps = true;
  else item.wraps = true;
  if (item.how === 'heard') {
    walk.idOf.delete(item.el);
    walk.items.delete(item.el);
    walk.hot.delete(item.el);
  }
}
function remember(el, role, name) {
  let id = identify(el, role, name, walk.seen);
  if (walk.path) id += ' @' + walk.path;
  walk.byID.set(id, el);
  walk.idOf.set(el, id);
  return id;
}
