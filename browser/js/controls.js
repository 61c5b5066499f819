// controls.js: what a control is for safe activation: what it shows, whether a press changes local state
// only, and which dialog holds it.

// ---- dialogs ----
const dialogRoles = new Set(['dialog', 'alertdialog']);
function isDialog(el, tag, role) {
  return tag === 'dialog' || role !== null && dialogRoles.has(role) ||
    el.hasAttributes() && el.getAttribute('aria-modal') === 'true';
}
// dialogHere is the identity of a dialog. The walk asks for those that show, in document order.
function dialogHere(el) {
  let id = walk.dialogs.get(el);
  if (id === undefined) {
    const role = roleOf(el) || 'dialog';
    id = identify(el, role, labelText(el) || titleOf(el), walk.dialogNames) +
      (walk.path ? ' @' + walk.path : '');
    walk.dialogs.set(el, id);
  }
  return id;
}
function dialogOf(el) {
  for (let e = el; e; e = up(e)) if (isDialog(e, e.localName, e.getAttribute('role'))) return dialogHere(e);
  return '';
}
// modal is the topmost modal dialog of this document that shows, null when none does: one of the top layer
// before others, and among equals the one that a press at its own centre reaches, else the last one.
function modal() {
  let list = [...walk.dialogs.keys()].filter((d) => d.isConnected &&
    (d.matches(':modal') || d.getAttribute('aria-modal') === 'true' && inSight(d)));
  if (list.some((d) => d.matches(':modal'))) list = list.filter((d) => d.matches(':modal'));
  if (list.length < 2) return list[0] || null;
  const reached = list.filter((d) => {
    const p = visiblePoint(boxOf(d)), hit = p && hitAt(p[0], p[1]);
    return hit && under(hit, d) && !list.some((o) => o !== d && under(o, d) && under(hit, o));
  });
  return reached[reached.length - 1] || list[list.length - 1];
}
// A dialog without a box of its own may hold what is fixed to the viewport.
function inSight(d) {
  const b = boxOf(d);
  if (visiblePoint(b)) return true;
  return b[2] * b[3] === 0 &&
    walk.interactive.some((i) => under(i.el, d) && visiblePoint(boxOf(i.shown || i.el)));
}

// ---- what it shows ----
const buttonTypes = { submit: 'Submit', reset: 'Reset', button: '' };
const range = document.createRange();
// shownText is the text that a person sees on a control: not its accessible name, not what it holds, and ""
// for a picture. What is hidden from screen readers counts, and what is there for them alone does not.
function shownText(el, role) {
  const tag = el.localName;
  if (tag === 'input') return el.type in buttonTypes ? squash(el.value || buttonTypes[el.type], 200) : '';
  if (tag === 'textarea' || tag === 'select' || tag === 'img' || tag === 'area' ||
    isEditingHost(el) || holdsValue.has(role)) return '';
  const box = el.getBoundingClientRect();
  return squash(seen(el, box, 0), 200);
}
const holdsValue = new Set(['combobox', 'listbox', 'textbox', 'searchbox', 'spinbutton', 'slider']);
function seen(el, box, depth) {
  let s = generated(el, '::before');
  const nodes = el.localName === 'slot' && el.assignedNodes().length
    ? el.assignedNodes({ flatten: true })
    : (el.shadowRoot || el).childNodes;
  for (const n of nodes) {
    if (s.length > 300) break;
    if (n.nodeType === 3) { if (n.data.trim() && within(n, box)) s += n.data; continue; }
    if (n.nodeType !== 1 || depth > 12 || hiddenTag.has(n.localName) || unseen.has(n.localName)) continue;
    if (n.localName === 'br') { s += ' '; continue; }
    if (n.localName === 'svg') { s += drawnText(n, box); continue; }
    if (n.localName !== 'slot' && !legible(n)) continue;
    s += inline.has(n.localName) || n.localName === 'slot'
      ? seen(n, box, depth + 1)
      : ' ' + seen(n, box, depth + 1) + ' ';
  }
  return s + generated(el, '::after');
}
// generated is the text that a style sheet puts before or after what el holds; signs of icon fonts
// are no text.
function generated(el, which) {
  const content = getComputedStyle(el, which).content;
  if (!content.startsWith('"')) return '';
  const s = (content.match(/"(?:[^"\\]|\\.)*"/g) || []).map((q) => q.slice(1, -1)).join('');
  return /\p{L}/u.test(s) ? s : '';
}
// drawnText is the text in a drawing. What only names the drawing is not drawn.
function drawnText(svg, box) {
  let s = '';
  if (svg.checkVisibility(fullVis)) for (const t of svg.querySelectorAll('text'))
    if (s.length < 300 && within(t, box)) s += ' ' + t.textContent + ' ';
  return s;
}
const unseen = new Set(['input', 'textarea', 'select', 'img', 'canvas', 'video', 'picture', 'object',
  'iframe']);
// Text for screen readers alone is in a box of a pixel.
function legible(el) {
  if (!el.checkVisibility(fullVis))
    return getComputedStyle(el).display === 'contents'; // it has no box, and what it holds may have
  const r = el.getBoundingClientRect();
  return r.width > 2 && r.height > 2 || r.width === 0 && r.height === 0 && el.childElementCount > 0;
}
// Text that is indented out of its control, or has no size, is not seen.
function within(text, box) {
  range.selectNodeContents(text);
  const r = range.getBoundingClientRect();
  return r.width > 0 && r.height > 0 &&
    r.right > box.left - 50 && r.left < box.right + 50 &&
    r.bottom > box.top - 50 && r.top < box.bottom + 50;
}

// ---- input or actor ----
const inputTypes =
  new Set(['submit', 'image', 'button', 'reset', 'file', 'hidden']); // that are no inputs in this sense
const localRoles = new Set(['checkbox', 'radio', 'switch', 'option', 'slider', 'spinbutton', 'combobox',
  'listbox', 'textbox', 'searchbox', 'tab', 'gridcell']);
// changesLocal says whether a press of el changes local state only: it ticks, chooses, focuses or unfolds. In
// doubt it does not, and el is an actor.
function changesLocal(el, role) {
  const tag = el.localName;
  if (submits(el) || sendsByItself(el)) return false;
  if (navigates(el) || tag === 'area') return false;
  if (tag === 'input')
    return !inputTypes.has(el.type) && role !== 'button' && role !== 'link' && !role.startsWith('menuitem');
  if (tag === 'textarea' || tag === 'select') return true;
  if (tag === 'summary') return !holdsActor(el);
  if (localRoles.has(role)) return isEditingHost(el) || holdsValue.has(role) || !holdsActor(el);
  if (isEditingHost(el)) return true;
  return discloses(el, role) || isDay(el);
}
// A link leads elsewhere, unless to a place on this page.
function navigates(el) {
  const href = el.localName === 'a' ? el.getAttribute('href') : null;
  return href !== null && !(href.trim().startsWith('#') &&
    (el.getAttribute('role') === 'tab' || el.hasAttribute('aria-expanded') || isDay(el)));
}
const sends = /submit\s*\(/i;
const sendsByItself = (el) => el.getAttributeNames()
  .some((name) => name.startsWith('on') && sends.test(el.getAttribute(name)));
const actors = 'a[href],button,input[type=submit],input[type=image],input[type=button],' +
  '[role=button],[role=link],[role=menuitem]';
const holdsActor = (el) => el.querySelector(actors) !== null && !isDay(el);
// A button that says whether what it controls is unfolded is a disclosure. One that opens a menu or a dialog
// is not taken for one: what it opens holds actors, and some act themselves when pressed again.
function discloses(el, role) {
  if (role !== 'button' && el.localName !== 'button') return false;
  const pops = el.getAttribute('aria-haspopup');
  return el.hasAttribute('aria-expanded') && (pops === null || pops === 'false' || pops === 'listbox');
}
// isDay: a day of a calendar has a number up to 31 and lies in a row of seven or eight such, of several rows,
// or with 28 or more in one box.
function isDay(el) {
  const day = el.textContent.trim();
  if (!/^\d{1,2}$/.test(day) || Number(day) < 1 || Number(day) > 31) return false;
  let cell = el;
  for (let n = 0; n < 3 && cell.parentElement && cell.parentElement.childElementCount === 1; n++)
    cell = cell.parentElement;
  const row = cell.parentElement, count = row ? row.childElementCount : 0;
  if (!(count >= 28 && count <= 49 ||
    (count === 7 || count === 8) &&
      row.parentElement && row.parentElement.childElementCount >= 4)) return false;
  for (const c of row.children) if (!/^\d{0,2}$/.test(c.textContent.trim())) return false;
  return true;
}

// controlOf is what a record keeps of a control.
function controlOf(el) {
  const item = walk.items.get(el), role = item ? item.role : roleOf(el),
    name = item ? item.name : nameOf(el, role);
  return { id: walk.idOf.get(el) || structural(el, role, name), role, name,
    text: el.checkVisibility(fullVis) ? shownText(el, role) : '', tag: el.localName, type: typeOf(el),
    form: formID(el), dialog: dialogOf(el), input: changesLocal(el, role), submit: submits(el),
    disabled: isDisabled(el) };
}
const isDisabled = (el) => el.matches(':disabled') || el.getAttribute('aria-disabled') === 'true';
