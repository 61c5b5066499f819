// identity.js: who is who over re-renders: role, name and place. Nothing in it is given out by a
// page's generators, no id and no class: landmarks and lists have names, rows say what they are about.

const places = new Set(['form', 'table', 'tbody', 'tr', 'td', 'ul', 'ol', 'li', 'nav', 'main', 'section',
  'article', 'aside', 'header', 'footer', 'dialog', 'fieldset', 'details']);
const placeRoles = new Set(['region', 'dialog', 'alertdialog', 'group', 'radiogroup', 'tabpanel', 'toolbar',
  'menu', 'menubar', 'listbox', 'tree', 'grid', 'navigation', 'form', 'search', 'complementary', 'row',
  'listitem', 'article', 'treeitem']);
const entryRoles = new Set(['listitem', 'row', 'article', 'treeitem']);
const headed =
  'section,article,aside,dialog,form,[role=region],[role=dialog],[role=alertdialog],[role=group],[role=form]';
// kindOf is the word for a place in the chain, '' for what is no place: plain wrappers are none.
function kindOf(el) {
  const role = el.getAttribute('role');
  if (role && placeRoles.has(role)) return role;
  const tag = el.localName;
  return places.has(tag) || tag.includes('-') ? clip(tag, 40) : '';
}
const isEntry = (kind) => kind === 'li' || kind === 'tr' || entryRoles.has(kind);

// placesAbove are the places around el, the nearest first, at most six: [{el, kind}].
const nowhere = [];
function placesAbove(el) {
  for (let e = up(el), n = 0; e && e !== document.body && n < 200; e = up(e), n++) {
    let list = walk.places.get(e);
    if (list) return list;
    const kind = kindOf(e);
    if (!kind) continue;
    list = [{ el: e, kind }, ...placesAbove(e)].slice(0, 6);
    walk.places.set(e, list);
    return list;
  }
  return nowhere;
}
// placeOf is that chain from the outside in. The nearest entry says what it is about, and the nearest
// place that has a name says it.
function placeOf(el, name) {
  let out = '', about = false, titled = false;
  for (const { el: e, kind } of placesAbove(el)) {
    let says = '';
    if (!about && isEntry(kind)) {
      about = true;
      says = lead(e, name);
    } else if (!titled) {
      says = titleOf(e);
      titled = says !== '';
    }
    out = kind + (says && ' "' + says + '"') + (out && '/' + out);
  }
  return out;
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
    const own = s ? null : place.querySelector(':scope > legend, :scope > caption, :scope > summary') ||
      place.matches(headed) && place.querySelector('h1,h2,h3,h4,h5,h6,[role=heading]');
    if (own) s = textOf(own, 40);
    if (!naming(s)) s = '';
    s = clip(s, 41);
    walk.titles.set(place, s);
  }
  return s;
}
// lead is what an entry is about: its first text that names something, other than name itself.
const silent = new Set(['button', 'select', 'textarea', 'script', 'style', 'template', 'svg', 'ul', 'ol',
  'table', 'iframe']);
function lead(entry, name) {
  let list = walk.leads.get(entry);
  if (!list) {
    list = [];
    walk.leads.set(entry, list);
    leads(entry, list, 0);
  }
  return list.find((s) => s !== name) || '';
}
function leads(el, list, depth) {
  for (let n = el.firstChild, i = 0; n && i < 20 && list.length < 2; n = n.nextSibling, i++) {
    if (n.nodeType === 3) {
      const s = n.data.trim() && squash(n.data, 40);
      if (s && naming(s)) list.push(s);
    } else if (n.nodeType === 1 && depth < 8 && !silent.has(n.localName) &&
      n.getAttribute('role') !== 'button') leads(n, list, depth + 1);
  }
}
// naming: what counts or tells the time is no name, for it changes while the thing stays. A number
// behind a word is one: it tells rows apart.
function naming(s) {
  if (!/[a-z]{2}/i.test(s) && !/\p{L}{2}/u.test(s) ||
    /\b(ago|now|today|yesterday|sec|min|hours?)\b/i.test(s)) return false;
  return !/\d/.test(s) ||
    /^[^\d!-\/:-@]+#?\d+$/.test(s) &&
      !/^(quantity|qty|amount|count|total|score|votes?|likes?|step|page)\b/i.test(s);
}

const shorten = (s, n) => s.length <= n ? s : clip(s, n - 8) + hash(s).slice(0, 6);
// identify tells equal ones apart by their number; seen counts those of one walk.
function identify(el, role, name, seen) {
  const base = shorten((role || el.localName) + ' "' + shorten(name, 60) + '" ' + placeOf(el, name), 180)
    .trim();
  const n = (seen.get(base) || 0) + 1;
  seen.set(base, n);
  return n > 1 ? base + ' ' + n : base;
}
// structural names an element that is no control: below the nearest place it goes by tags with
// their numbers among siblings.
function structural(el, role, name) {
  const at = [];
  for (let e = el, n = 0;
    e && n < 8 && e !== document.body && e !== document.documentElement && (e === el || !kindOf(e));
    e = up(e), n++) {
    let i = 1;
    for (let s = e.previousElementSibling; s && i < 1000; s = s.previousElementSibling)
      if (s.localName === e.localName) i++;
    at.unshift(i > 1 ? e.localName + ':' + i : e.localName);
  }
  const place = placeOf(el, name);
  const id = shorten((role || el.localName) + ' "' + shorten(name, 60) + '" ' +
    (place && place + '/') + at.join('/'), 200).trim() + (walk.path ? ' @' + walk.path : '');
  walk.byID.set(id, el);
  return id;
}
