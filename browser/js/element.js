// element.js: finds a control by its identity and does what only script can do for it.

function resolve(id) {
  refresh();
  let el = walk.byID.get(id);
  if (el && el.isConnected) return el;
  dirty = true;
  refresh();
  el = walk.byID.get(id);
  return el && el.isConnected ? el : null;
}
function find(a) {
  refresh();
  if (a.id) return resolve(a.id);
  if (a.x == null) {
    let el = document.activeElement;
    while (el && el.shadowRoot && el.shadowRoot.activeElement) el = el.shadowRoot.activeElement;
    return el;
  }
  const hit = hitAt(a.x, a.y);
  return hit && (aimed(hit) || hit);
}
// inView scrolls only when less than the middle of the element can be seen.
function inView(el) {
  const b = boxOf(el), x = b[0] + b[2] / 2, y = b[1] + b[3] / 2;
  if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight || offset().some((v) => v) || clipped(el, x, y)) {
    el.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
  }
}
function clipped(el, x, y) { const hit = hitAt(x, y); return !hit || !related(hit, el); }

function element(a) {
  if (covered()) return { covered: true };
  let r = elementHere(a);
  if (r.missing) for (const c of worldsBelow()) { r = c.elementHere(a); if (!r.missing) break; }
  return r;
}
function elementHere(a) {
  if (!a.id && a.x != null) {
    const hit = hitAt(a.x, a.y);
    if (hit && hit.localName === 'iframe') {
      const t = intoFrame(hit, a);
      if (t.ask !== undefined) return { ask: t.ask, x: t.x, y: t.y };
      const b = boxOf(hit), o = contentOffset(hit);
      return hit.contentWindow.__cua.elementHere({ ...a, x: a.x - b[0] - o[0], y: a.y - b[1] - o[1] });
    }
  }
  let el = find(a);
  if (!el || el.nodeType !== 1) return { missing: true };
  if (!a.id && a.x == null && (el.localName === 'iframe' || el.localName === 'frame')) {
    // the focus is further in
    try { const c = el.contentWindow.__cua; if (c) return c.elementHere(a); } catch { /* cross-origin */ }
    return { ask: pathOf(el), x: 0, y: 0 };
  }
  if (!a.id && a.x == null && (el === document.body || el === document.documentElement) &&
    !el.isContentEditable) return { missing: true };
  const { held, at, ...fail } = act(el, a);
  el = held || el;
  const item = walk.items.get(el), role = roleOf(el), name = item ? item.name : nameOf(el, role);
  const shown = (item && item.shown) || el, b = boxOf(shown), o = offset(),
    p = at || visiblePoint(b) || [b[0] + b[2] / 2, b[1] + b[3] / 2];
  const id = walk.idOf.get(el) || structural(el, role, name);
  return { ...fail, path: walk.path, origin: self.origin,
    box: [b[0] + o[0], b[1] + o[1], b[2], b[3]], point: [p[0] + o[0], p[1] + o[1]],
    field: fieldOf(el, id, role, name, [b[0] + o[0], b[1] + o[1], b[2], b[3]]) };
}
function act(el, a) {
  switch (a.op) {
    case 'box': inView(el); break;
    case 'clear': byAction(() => clearable(el)); break;
    case 'hold': return holdFocus(el);
    case 'press': return press(el, a);
    case 'select': {
      // by script, as it reaches a list that the page draws another control over; never past an open dialog
      const top = a.id ? modal() : null;
      return top && !under(el, top)
        ? { refused: 'outside the open dialog: ' + called(top) }
        : byAction(() => choose(el, a.text));
    }
    case 'set': return byAction(() => setValue(el, a.text));
    case 'secret': return byAction(() => keep(el, a));
  }
  return {};
}
// gotSecret is the name of the secret that a control was given, also after somebody typed more into it.
const gotSecret = new WeakMap();
// keep puts a secret into el. Between the look at the origin of this document and the text nothing else
// runs but what the page does on focus, and the text cannot leave the document: it is no input that
// follows the focus.
function keep(el, a) {
  if (self.origin !== a.origin || identityOf(el) !== a.want) return { refused: 'the focus went elsewhere' };
  gotSecret.set(el, a.name);
  if (el.value === undefined) filled.add(el);
  if (el.localName === 'select') return choose(el, a.text);
  if (a.whole) return setValue(el, a.text);
  if (!isEditable(el)) return { refused: 'takes no text' };
  if (focusedElement() !== el) el.focus({ preventScroll: true });
  if (a.clear) clearable(el);
  if (focusedElement() !== el) return { refused: 'the page moves the focus elsewhere' };
  const held = () => (el.value === undefined ? el.innerText : el.value), before = held();
  document.execCommand('insertText', false, a.text);
  // Between clearing and typing a page that handles keys of its own may take nothing.
  return held() !== before || before === a.text ? {}
    : el.value === undefined ? { refused: 'takes no text' } : setValue(el, a.text);
}
function identityOf(el) {
  const role = roleOf(el);
  return walk.idOf.get(el) || structural(el, role, nameOf(el, role));
}
// byAction runs f as an input event would run: what it sets off belongs to the action.
// What f writes into controls no observer sees: the next frame shows it.
function byAction(f) {
  openEpoch();
  lastPress = performance.now();
  dirty = true;
  changed();
  enterCause();
  return f();
}
function clearable(el) {
  if (typeof el.select === 'function') { el.focus({ preventScroll: true }); el.select(); return; }
  el.focus({ preventScroll: true });
  const s = getSelection(), r = document.createRange();
  r.selectNodeContents(el); s.removeAllRanges(); s.addRange(r);
}
function fire(el, type) { el.dispatchEvent(new Event(type, { bubbles: true, composed: type === 'input' })); }
function choose(el, text) {
  if (el.localName !== 'select') return { refused: 'not a select' };
  const labels = [...el.options].map((o) => squash(o.label, 200)), want = squash(text, 200);
  if (el.matches(':disabled')) return { refused: 'disabled' };
  let i = labels.indexOf(want);
  if (i < 0) i = labels.findIndex((l) => l.toLowerCase() === want.toLowerCase());
  if (i < 0) return { refused: 'no such option', options: labels.slice(0, 100) };
  if (el.options[i].disabled) return { refused: 'option disabled' };
  el.focus({ preventScroll: true });
  if (el.multiple) el.options[i].selected = true; else el.selectedIndex = i;
  fire(el, 'input'); fire(el, 'change');
  return {};
}
function setValue(el, text) {
  if (el.localName !== 'input' && el.localName !== 'textarea' || el.matches(':disabled') || el.readOnly)
    return { refused: 'takes no value' };
  el.focus({ preventScroll: true });
  el.value = text;
  fire(el, 'input'); fire(el, 'change');
  return el.value === '' && text !== '' ? { refused: 'not a value of this field' } : {};
}

// text is what can be read, frames after the document that holds them.
function text(max) {
  if (covered()) return { covered: true };
  let s = textHere();
  for (const c of worldsBelow()) if (s.length < max) s += '\n' + c.textHere();
  return { text: clip(s, max) };
}
function textHere() { return document.body ? document.body.innerText : ''; }
