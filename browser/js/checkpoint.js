// checkpoint.js: what a page must be given back to be as it was, and the giving back. Values leave the
// page raw; package browser seals the secrets among them before anything is kept.

const maxControls = 1000, maxKept = 1 << 20; // characters of all controls of a document together
const notKept = new Set(['hidden', 'submit', 'button', 'reset', 'image']);
function controlKind(el) {
  const tag = el.localName;
  if (tag === 'select') return 'select';
  if (tag === 'textarea') return 'text';
  if (tag !== 'input') return 'rich';
  return el.type === 'checkbox' || el.type === 'radio' ? 'check' : el.type === 'file' ? 'file' : 'text';
}
// controls are all that hold a value, whether they show or not: the later steps of a wizard are
// often there, hidden.
function controls() {
  const out = [], full = new Map(), short = new Map();
  const nth = (m, k) => { const n = (m.get(k) || 0) + 1; m.set(k, n); return k + '#' + n; };
  const visit = (root) => {
    for (const el of root.querySelectorAll('input,textarea,select,[contenteditable]')) {
      if (out.length >= maxControls) return;
      const kind = controlKind(el);
      if (el.localName === 'input' && notKept.has(el.type) || kind === 'rich' && !isEditingHost(el)) continue;
      const what = [el.localName, typeOf(el), attr(el, 'name'), kind === 'check' ? attr(el, 'value') : '']
        .join('|');
      out.push({ el, kind, key: nth(full, what + '|' + attr(el, 'id')), alt: nth(short, what) });
    }
  };
  visit(document);
  for (const r of shadows) if (r.host.isConnected) visit(r);
  return out;
}
function held(c) {
  const el = c.el;
  switch (c.kind) {
    case 'check': return { on: el.checked };
    case 'select': return { chosen: [...el.selectedOptions].map((o) => o.value) };
    case 'file': return { withheld: el.files.length > 0 };
    case 'rich': return { value: (el.innerText || '').replace(/\n$/, '') };
  }
  return { value: el.value };
}
// structure is the way to an element through its document: it only has to last for one load of a page
// that is alike.
function structure(el) {
  const out = [];
  for (let e = el; e && e !== document.documentElement && out.length < 60; e = e.parentElement) {
    let n = 1;
    for (let p = e.previousElementSibling; p; p = p.previousElementSibling)
      if (p.localName === e.localName) n++;
    out.unshift(e.localName + ':nth-of-type(' + n + ')');
  }
  return out.join('>');
}

// A page that has no storage or no cookies (a sandbox) throws when it is asked.
const safely = (f, none) => { try { return f(); } catch { return none; } };
const entriesOf = (s) => {
  const out = {};
  for (const k of Object.keys(s)) out[k] = s.getItem(k);
  return out;
};
const storageHere = () => safely(
  () => ({ local: entriesOf(localStorage), session: entriesOf(sessionStorage) }),
  { local: null, session: null });
let toldStorage = false; // what this document's origin has stored was told once
function keptHere(withStorage) {
  let room = maxKept;
  const list = controls().map((c) => {
    const h = held(c), size = (h.value || '').length;
    if (size > room) return { key: c.key, alt: c.alt, kind: c.kind, withheld: true };
    room -= size;
    return { key: c.key, alt: c.alt, kind: c.kind, type: typeOf(c.el),
      auto: attr(c.el, 'autocomplete', 80), ...h };
  });
  const n = safely(() => navigation.currentEntry.index, 0), e = lastScroller;
  const out = { origin: location.origin, x: round(scrollX), y: round(scrollY), boxes: [], controls: list,
    entry: n, entries: history.length, cookies: safely(() => hash(document.cookie), '') };
  if (e && e.isConnected && e.getRootNode() === document && (e.scrollTop || e.scrollLeft))
    out.boxes.push({ path: structure(e), x: round(e.scrollLeft), y: round(e.scrollTop) });
  if (withStorage || !toldStorage) { out.stored = storageHere(); toldStorage = true; }
  return out;
}

// ---- giving back ----
// placesHere says which documents this one answers for: what is given back to one goes to no other origin.
const placesHere = () => ({ path: framePath(), origin: location.origin });
function setControl(c, want) {
  const el = c.el;
  switch (c.kind) {
    case 'check':
      if (el.checked === !!want.on) return;
      if (want.on || el.type === 'checkbox') el.click(); // pages listen for the press
      if (el.checked !== !!want.on && (want.on || el.type === 'checkbox')) {
        el.checked = !!want.on;
        fire(el, 'input'); fire(el, 'change');
      }
      return;
    case 'select': {
      const chosen = new Set(want.chosen || []);
      if ([...el.options].every((o) => o.selected === chosen.has(o.value))) return;
      for (const o of el.options) o.selected = chosen.has(o.value);
      break;
    }
    case 'rich':
      if (held(c).value === (want.value || '')) return;
      el.innerText = want.value || '';
      break;
    case 'text':
      if (el.value === (want.value || '')) return;
      el.value = want.value || '';
      break;
    default: return;
  }
  fire(el, 'input'); fire(el, 'change');
}
const asWanted = (c, want) => {
  const h = held(c), chosen = want.chosen || [];
  return c.kind === 'check' ? h.on === !!want.on
    : c.kind === 'select' ? h.chosen.length === chosen.length && h.chosen.every((v, i) => v === chosen[i])
      : h.value === (want.value || '');
};
// putBackHere gives the controls their values and says how many of them are not there. Radios that are
// unchecked follow those that are checked.
function putBackHere(list) {
  let missing = 0;
  const byKey = new Map(), byAlt = new Map();
  const index = () => {
    byKey.clear(); byAlt.clear();
    for (const c of controls()) { byKey.set(c.key, c); byAlt.set(c.alt, c); }
  };
  index();
  byAction(() => {
    for (const want of list) {
      if (want.withheld) continue;
      let c = byKey.get(want.key) || byAlt.get(want.alt);
      if (!c || !c.el.isConnected) { index(); c = byKey.get(want.key) || byAlt.get(want.alt); }
      if (c && c.kind === want.kind) setControl(c, want);
      if (!c || c.kind !== want.kind || !asWanted(c, want)) missing++;
    }
  });
  return missing;
}
function storeHere(s) {
  const fill = (to, from) => {
    for (const k of Object.keys(to)) if (!(k in from)) to.removeItem(k);
    for (const k of Object.keys(from)) if (to.getItem(k) !== from[k]) to.setItem(k, from[k]);
  };
  safely(() => {
    if (s.local) fill(localStorage, s.local);
    if (s.session) fill(sessionStorage, s.session);
  }, null);
}
function scrollHere(f) {
  byAction(() => {
    scrollTo({ left: f.x, top: f.y, behavior: 'instant' });
    for (const b of f.boxes || []) {
      const e = safely(() => document.querySelector('html>' + b.path), null);
      if (e) { e.scrollTo({ left: b.x, top: b.y, behavior: 'instant' }); lastScroller = e; }
    }
  });
}
const worldAt = (path) => worlds().find((w) => w.path() === path);
