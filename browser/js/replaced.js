// replaced.js: a native control that is hidden, and the one that the page shows in its place. The label is
// the native one's; what is shown is the other.

const natives = 'select,textarea,' +
  'input:not([type=hidden],[type=submit],[type=button],[type=reset],[type=image],[type=file])';
const choosing =
  '[role=combobox],[role=listbox],[role=textbox],[role=searchbox],[role=spinbutton],[role=slider]';
const ticking = '[role=checkbox],[role=radio],[role=switch]';
const chosen = choosing +
  ',[aria-haspopup=listbox],input:not([type=hidden],[type=checkbox],[type=radio]),[tabindex="0"],button';
const hiddenAway = (el) => el.offsetWidth <= 2 || el.offsetHeight <= 2;

// heirsOf are the replacements in a tree: replacement → {native, label}. It is read once a walk.
function heirsOf(root) {
  let m = walk.heirs.get(root);
  if (m) return m;
  m = new Map();
  walk.heirs.set(root, m);
  if (root.querySelectorAll) for (const n of root.querySelectorAll(natives)) {
    if (!hiddenAway(n)) continue;
    const found = heirOf(n, m);
    if (!found) continue;
    const ls = labelsOf(n);
    const label = byIds(n, 'aria-labelledby') || squash(n.getAttribute('aria-label') || '', 200) ||
      (ls ? squash(ls.slice(0, 5).map((l) => textOf(l, 200, 0, found.skip)).join(' '), 200) : '');
    m.set(found.el, { native: n, label });
    walk.natives.add(n);
  }
  return m;
}
// heirOf is the replacement of a hidden control: what holds it, or lies beside it or beside a wrapper
// of its own.
function heirOf(n, taken) {
  const ticks = n.type === 'checkbox' || n.type === 'radio';
  const roles = ticks ? ticking : choosing,
    beside = ticks ? ticking : n.localName === 'select' ? chosen : choosing;
  const fits = (e) => !taken.has(e) && e !== n && !hiddenAway(e) && e.checkVisibility();
  for (let e = n.parentElement, i = 0; e && i < 3; e = e.parentElement, i++)
    if (e.matches(roles) && fits(e)) return { el: e, skip: e };
  for (let e = n, i = 0; e && i < 3; e = e.parentElement, i++) {
    for (const s of [e.nextElementSibling, e.previousElementSibling]) {
      const r = !s ? null : s.matches(beside) ? s : s.querySelector(beside);
      if (r && fits(r)) return { el: r, skip: s };
    }
    if (!e.parentElement || e.parentElement.childElementCount > 1) return null;
  }
  return null;
}
const replaces = (el) => heirsOf(el.getRootNode()).get(el);
// replaced says whether el is a hidden control with a replacement that is a field itself.
function replaced(el) {
  if (!hiddenAway(el)) return false;
  const m = heirsOf(el.getRootNode());
  if (!walk.natives.has(el)) return false;
  for (const [heir, from] of m) if (from.native === el) return !!isField(heir);
  return false;
}
// holder is what is drawn around a transparent input: the widest of three elements above it that hold
// no other control.
function holder(el) {
  let out = null;
  for (let e = up(el), n = 0; e && n < 3; e = up(e), n++) {
    if (e.querySelectorAll('a[href],button,input,select,textarea').length > 1) break;
    out = e;
  }
  return out;
}
