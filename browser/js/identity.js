// identity.js: who is who over re-renders: role, name and place. Nothing in it is a number that a
// page gives out anew: ids count only where they read as words, rows are known by what they say.

// follows[a] are the letters that come after the letter a in words; a generator's are seldom all among them.
const follows = ('bcdefghiklmnprstuvwxy abcdefijloprstuy abcdefghiklmnoprstuvy abcdefghilmnopqrstuvwxy abcdefghiklmnopqrstuvwxy acdefilmnoprstuy ' +
  'acdefghilmnoprstu acdeilmoprstuy abcdefgklmnoprstvxz aeiosu acegilnoprstu abcdefgiklmnoprstuvy abcdefilmnoprstuy abcdefghiklmnoprstuvwy ' +
  'abcdefgiklmnoprstuvwx abcdefghiklmnoprstuwy mu abcdefghiklmnoprstuvwy abcdefghiklmnopqrstuvwy abcdefghiklmnoprstuvwxy abcdefgilmnoprstx ' +
  'abcdefhilmopqstw acdehilnors abcdefimoprst aceilmnoprst aei').split(' ');
function wordy(w) {
  if (/[^aeiouy]{3}/.test(w) || !/[aeiouy]/.test(w)) return false;
  for (let i = 1; i < w.length; i++) if (!follows[w.charCodeAt(i - 1) - 97].includes(w[i])) return false;
  return true;
}
// An id with a digit or a colon counts something, and letters that make no word are a generator's.
const ids = new Map();
function stableId(id) {
  if (typeof id !== 'string' || !/^[a-z][a-z_-]{2,39}$/i.test(id)) return false;
  let ok = ids.get(id);
  if (ok === undefined) {
    const words = id.split(/[_-]+|(?<=[a-z])(?=[A-Z])/).filter((w) => w).map((w) => w.toLowerCase());
    ok = words.length * 3 <= id.length && words.every((w) => w.length < 3 || wordy(w)) && words.some((w) => w.length > 2);
    if (ids.size > 5000) ids.clear();
    ids.set(id, ok);
  }
  return ok;
}

// The place is the chain of landmarks and lists above; the nearest row or entry of a list says
// what it is about, so that one that is put before it changes nothing. Plain wrappers are no part.
const places = new Set(['form', 'table', 'tbody', 'tr', 'td', 'ul', 'ol', 'li', 'nav', 'main', 'section', 'article', 'aside', 'header', 'footer',
  'dialog', 'fieldset', 'details']);
const entries = new Set(['li', 'tr', 'article']);
const entryRoles = new Set(['listitem', 'row', 'article', 'treeitem']);
const isEntry = (el) => entries.has(el.localName) || el.hasAttribute('role') && entryRoles.has(el.getAttribute('role'));
const isPlace = (el) => places.has(el.localName) || el.localName.includes('-') || isEntry(el);

function placeOf(el, name) {
  const at = [];
  let told = false;
  for (let e = up(el), n = 0; e && n < 200 && at.length < 6; e = up(e), n++) {
    if (e === document.documentElement || e === document.body) continue;
    if (stableId(e.id)) { at.unshift('#' + e.id); break; }
    if (!isPlace(e)) continue;
    const about = !told && isEntry(e) ? lead(e, name) : '';
    told = told || isEntry(e);
    at.unshift(e.localName.slice(0, 40) + (about && ' "' + about + '"'));
  }
  return at.join('/');
}
function up(el) {
  const p = el.assignedSlot || el.parentNode;
  return !p ? null : p.nodeType === 11 ? p.host || null : p.nodeType === 1 ? p : null;
}

// lead is what an entry is about: its first text that names something, other than name itself.
// What counts or tells the time is passed over: it changes while the entry stays.
const silent = new Set(['button', 'select', 'textarea', 'script', 'style', 'template', 'svg', 'ul', 'ol', 'table', 'iframe']);
function lead(entry, name) {
  let list = walk.leads.get(entry);
  if (!list) {
    list = [];
    walk.leads.set(entry, list);
    const w = document.createTreeWalker(entry, 5, (n) => n.nodeType === 3 ? 1 : silent.has(n.localName) || n.getAttribute('role') === 'button' ? 2 : 3);
    for (let i = 0; i < 30 && list.length < 3 && w.nextNode(); i++) {
      const s = squash(w.currentNode.data, 40);
      if (names(s)) list.push(s);
    }
  }
  return list.find((s) => s !== name) || '';
}
const names = (s) => /\p{L}{2}/u.test(s) && !/\b(ago|now|today|yesterday|sec|min|hours?)\b/i.test(s) &&
  (!/\d/.test(s) || /^\p{L}[\p{L} #-]*\d+$/u.test(s) && !/^(quantity|qty|amount|count|total|score|votes?|likes?|step|page)\b/i.test(s));

const shorten = (s, n) => s.length <= n ? s : s.slice(0, n - 8) + '~' + hash(s).slice(0, 6);
// identify tells equal ones apart by their number; seen counts those of one walk.
function identify(el, role, name, seen) {
  const base = shorten((role || el.localName) + ' "' + shorten(name, 60) + '" ' + placeOf(el, name), 160).trim();
  const n = (seen.get(base) || 0) + 1;
  seen.set(base, n);
  return n > 1 ? base + ' ' + n : base;
}
// structural names an element that is no control: below the nearest landmark or entry it goes by
// tags with their numbers among siblings.
function structural(el, role, name) {
  const at = [];
  let e = el;
  for (let n = 0; e && n < 8 && e !== document.body && e !== document.documentElement; e = up(e), n++) {
    if (stableId(e.id)) { at.unshift('#' + e.id); e = null; break; }
    if (e !== el && isPlace(e)) break;
    let i = 1;
    for (let s = e.previousElementSibling; s && i < 1000; s = s.previousElementSibling) if (s.localName === e.localName) i++;
    at.unshift(i > 1 ? e.localName + ':' + i : e.localName);
  }
  const below = e && (e.firstElementChild || e.firstChild);
  const place = below && isPlace(e) ? placeOf(below, name) + '/' : '';
  const id = shorten((role || el.localName) + ' "' + shorten(name, 60) + '" ' + place + at.join('/'), 200).trim() + (walk.path ? ' @' + walk.path : '');
  walk.byID.set(id, el);
  return id;
}
