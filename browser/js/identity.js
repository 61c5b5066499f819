// identity.js: who is who over re-renders: role, name and place. Nothing in it is given out by a
// page's generators, no id and no class: landmarks and lists have names, rows say what they are about.

const places = new Set(['form', 'table', 'tbody', 'tr', 'td', 'ul', 'ol', 'li', 'nav', 'main', 'section', 'article', 'aside', 'header', 'footer',
  'dialog', 'fieldset', 'details']);
const placeRoles = new Set(['region', 'dialog', 'alertdialog', 'group', 'radiogroup', 'tabpanel', 'toolbar', 'menu', 'menubar', 'listbox', 'tree',
  'grid', 'navigation', 'form', 'search', 'complementary', 'row', 'listitem', 'article', 'treeitem']);
const entryRoles = new Set(['listitem', 'row', 'article', 'treeitem']);
const headed = 'section,article,aside,dialog,form,[role=region],[role=dialog],[role=alertdialog],[role=group],[role=form]';
// kindOf is the word for a place in the chain, '' for what is no place: plain wrappers are none.
function kindOf(el) {
  const role = el.getAttribute('role');
  if (role && placeRoles.has(role)) return role;
  const tag = el.localName;
  return places.has(tag) || tag.includes('-') ? tag.slice(0, 40) : '';
}
const isEntry = (kind) => kind === 'li' || kind === 'tr' || entryRoles.has(kind);

// placeOf is the chain of places above el, the nearest six. The nearest entry says what it is
// about, and the nearest place that has a name says it.
function placeOf(el, name) {
  const at = [];
  let about = false, titled = false;
  for (let e = up(el), n = 0; e && n < 200 && at.length < 6; e = up(e), n++) {
    const kind = e === document.body ? '' : kindOf(e);
    if (!kind) continue;
    let says = '';
    if (!about && isEntry(kind)) { about = true; says = lead(e, name); } else if (!titled) { says = titleOf(e); titled = says !== ''; }
    at.unshift(kind + (says && ' "' + says + '"'));
  }
  return at.join('/');
}
function up(el) {
  const p = el.assignedSlot || el.parentNode;
  return !p ? null : p.nodeType === 11 ? p.host || null : p.nodeType === 1 ? p : null;
}

// titleOf is the name of a place: its label, legend, caption or heading.
function titleOf(place) {
  let s = walk.titles.get(place);
  if (s === undefined) {
    s = byIds(place, 'aria-labelledby') || squash(place.getAttribute('aria-label') || '', 40);
    const own = s ? null : place.querySelector(':scope > legend, :scope > caption, :scope > summary') || place.matches(headed) && place.querySelector('h1,h2,h3,h4,h5,h6,[role=heading]');
    if (own) s = textOf(own, 40);
    if (!naming(s)) s = '';
    s = s.slice(0, 40);
    walk.titles.set(place, s);
  }
  return s;
}
// lead is what an entry is about: its first text that names something, other than name itself.
const silent = new Set(['button', 'select', 'textarea', 'script', 'style', 'template', 'svg', 'ul', 'ol', 'table', 'iframe']);
function lead(entry, name) {
  let list = walk.leads.get(entry);
  if (!list) {
    list = [];
    walk.leads.set(entry, list);
    const w = document.createTreeWalker(entry, 5, (n) => n.nodeType === 3 ? 1 : silent.has(n.localName) || n.getAttribute('role') === 'button' ? 2 : 3);
    for (let i = 0; i < 30 && list.length < 3 && w.nextNode(); i++) {
      const s = squash(w.currentNode.data, 40);
      if (naming(s)) list.push(s);
    }
  }
  return list.find((s) => s !== name) || '';
}
// naming: what counts or tells the time is no name, for it changes while the thing stays. A number
// behind a word is one: it tells rows apart.
const naming = (s) => /\p{L}{2}/u.test(s) && !/\b(ago|now|today|yesterday|sec|min|hours?)\b/i.test(s) &&
  (!/\d/.test(s) || /^\p{L}[\p{L} #-]*\d+$/u.test(s) && !/^(quantity|qty|amount|count|total|score|votes?|likes?|step|page)\b/i.test(s));

const shorten = (s, n) => s.length <= n ? s : s.slice(0, n - 8) + '~' + hash(s).slice(0, 6);
// identify tells equal ones apart by their number; seen counts those of one walk.
function identify(el, role, name, seen) {
  const base = shorten((role || el.localName) + ' "' + shorten(name, 60) + '" ' + placeOf(el, name), 180).trim();
  const n = (seen.get(base) || 0) + 1;
  seen.set(base, n);
  return n > 1 ? base + ' ' + n : base;
}
// structural names an element that is no control: below the nearest place it goes by tags with
// their numbers among siblings.
function structural(el, role, name) {
  const at = [];
  for (let e = el, n = 0; e && n < 8 && e !== document.body && e !== document.documentElement && (e === el || !kindOf(e)); e = up(e), n++) {
    let i = 1;
    for (let s = e.previousElementSibling; s && i < 1000; s = s.previousElementSibling) if (s.localName === e.localName) i++;
    at.unshift(i > 1 ? e.localName + ':' + i : e.localName);
  }
  const place = placeOf(el, name);
  const id = shorten((role || el.localName) + ' "' + shorten(name, 60) + '" ' + (place && place + '/') + at.join('/'), 200).trim() + (walk.path ? ' @' + walk.path : '');
  walk.byID.set(id, el);
  return id;
}
