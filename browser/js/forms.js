// forms.js: the forms of a page with the control that Return activates, what is written in and beside them,
// and what the page announces.

const maxTexts = 60, maxNotices = 20, maxForms = 100;
// The text of these is theirs: what they hold, or what they are called, or advice that is no alert.
const speaks = new Set(['button', 'option', 'combobox', 'listbox', 'textbox', 'searchbox', 'spinbutton',
  'menuitem', 'tab', 'status', 'log']);
// beginPlace and endPlace mark which of walk.texts are in el.
function beginPlace(el, tag, role) {
  const place = { el, from: walk.texts.length, items: walk.interactive.length, dialog: walk.dialog,
    muted: walk.muted, hand: walk.hand };
  walk.open.push(el);
  if (isDialog(el, tag, role)) walk.dialog = dialogHere(el);
  walk.muted = walk.muted || tag === 'button' || tag === 'output' || role !== null && speaks.has(role) ||
    el.hasAttributes() && el.hasAttribute('contenteditable') && isEditingHost(el);
  return place;
}
function endPlace(el, tag, role, place) {
  const span = [place.from, walk.texts.length], depth = walk.open.length - 1;
  if (tag === 'form' || role === 'form') spanOf(el, span);
  if (walk.spans.has(el)) walk.spans.set(el, span);
  if (walk.loose && walk.loose.length - 1 === depth && walk.loose[depth] === el) {
    walk.looseIn = el;
    spanOf(el, span);
  }
  if (announcing(el, tag, role)) notice(walk.texts.slice(...span).join(' '));
  walk.open.pop();
  walk.dialog = place.dialog;
  walk.muted = place.muted;
  walk.hand = place.hand;
}
// announcing says whether el is for telling something: by its markup, or because it floats over the page from
// outside of its content, as toasts do that nobody gave a role.
function announcing(el, tag, role) {
  if (role === 'alert') return true;
  if (!el.hasAttributes()) return false;
  if (/^(polite|assertive)$/.test(el.getAttribute('aria-live') || '')) return true;
  return el.parentNode === document.body && getComputedStyle(el).position === 'fixed';
}
// spanOf keeps which texts are in el, and asks for those of its parent.
function spanOf(el, span) {
  walk.spans.set(el, span);
  const above = up(el);
  if (above && !walk.spans.has(above)) walk.spans.set(above, null);
}
// looseField narrows the nearest common ancestor of the fields that are in no form.
function looseField(el) {
  if (el.form || el.closest('form,[role=form]')) return;
  if (!walk.loose) {
    walk.loose = walk.open[walk.open.length - 1] === el ? walk.open.slice(0, -1) : walk.open.slice();
    return;
  }
  let n = 0;
  while (n < walk.loose.length && walk.loose[n] === walk.open[n] && walk.open[n] !== el) n++;
  walk.loose.length = n;
}
// What counts or tells the time is no new text when it continues: digits are folded, and a piece without a
// word is none.
const folded = (s) => hash(s.replace(/\d+/g, '#'));
const wordy = /\p{L}{2}|\p{Lo}/u;
function notice(text) {
  const s = squash(text, 1000);
  if (wordy.test(s) && walk.notices.size < maxNotices) walk.notices.add(folded(s));
}
function notices() {
  const out = new Set(walk.notices);
  for (const { el } of walk.fields) {
    if (out.size >= maxNotices) break;
    const s = el.hasAttribute('aria-errormessage') ? errorMessage(el) : '';
    if (s) out.add(folded(s));
  }
  return [...out].sort();
}
// errorMessage is what an aria-errormessage that shows says.
function errorMessage(el) {
  const root = el.getRootNode(), out = [];
  for (const id of (el.getAttribute('aria-errormessage') || '').split(/\s+/).slice(0, 5)) {
    const o = id && root.getElementById ? root.getElementById(id) : null;
    if (o && o.checkVisibility(fullVis)) out.push(textOf(o));
  }
  return squash(out.join(' '), 200);
}

// textsOf are digests of the texts in el and, from the nearest on, beside it in its parent.
function textsOf(el) {
  const own = walk.spans.get(el), above = up(el), around = above && walk.spans.get(above), out = new Set();
  if (!own) return [];
  const take = (i) => {
    if (out.size < maxTexts && wordy.test(walk.texts[i])) out.add(folded(walk.texts[i]));
  };
  for (let i = own[0]; i < own[1] && out.size < maxTexts; i++) take(i);
  if (around) {
    for (let a = own[0] - 1, b = own[1]; out.size < maxTexts && (a >= around[0] || b < around[1]); a--, b++) {
      if (a >= around[0]) take(a);
      if (b < around[1]) take(b);
    }
  }
  return [...out].sort();
}
// A control of the form may be named like what the script asks it for.
const elementsOf = Object.getOwnPropertyDescriptor(HTMLFormElement.prototype, 'elements').get;
const isSubmit = (e) => e.type === 'submit' && (e.localName === 'button' || e.localName === 'input');
// defaultOf is the control that Return activates: the first submit control of the form in tree order,
// wherever in the tree, disabled or not. A picture is none of the form's elements.
function defaultOf(form) {
  if (form.localName !== 'form') return null;
  let first = null;
  for (const e of elementsOf.call(form)) if (isSubmit(e)) { first = e; break; }
  const root = form.getRootNode();
  for (const e of root.querySelectorAll('input[type=image]')) {
    if (e.form !== form) continue;
    if (!first || first.compareDocumentPosition(e) & Node.DOCUMENT_POSITION_PRECEDING) first = e;
    break;
  }
  return first;
}
function formsNow() {
  if (walk.formList && walk.formCount === walk.forms.size) return walk.formList;
  const out = [];
  for (const [form, id] of [...walk.forms].slice(0, maxForms)) {
    const send = defaultOf(form);
    out.push({ id, dialog: dialogOf(form), default: send && controlOf(send), texts: textsOf(form) });
  }
  if (walk.looseIn)
    out.push({ id: '', dialog: dialogOf(walk.looseIn), default: null, texts: textsOf(walk.looseIn) });
  walk.formCount = walk.forms.size;
  walk.formList = out;
  return out;
}
