// digest.js: what the page shows, cut into regions. A region's key is a structural path,
// its digest covers visible text and structure. Both are functions of the page as it is
// now and of nothing before, so a page that returns to a state returns to its digests.

// hash is 53 bits of two multiplicative hashes (cyrb53): fast, and not meant to be secret.
function hash(s) {
  let a = 0xdeadbeef, b = 0x41c6ce57;
  for (let i = 0; i < s.length; i++) {
    const c = s.charCodeAt(i);
    a = Math.imul(a ^ c, 2654435761);
    b = Math.imul(b ^ c, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return ((b >>> 0).toString(16).padStart(8, '0') + (a >>> 0).toString(16).padStart(8, '0')).slice(3);
}
// clip is s cut to max characters. The sign at its end tells that it was cut: what is redacted later is
// looked for up to it (cua/redact). So page text is cut by nothing else.
const clip = (s, max) => s.length > max ? s.slice(0, max).replace(/[\ud800-\udbff]$/, '') + '…' : s;
const squash = (s, max = 10000) => clip(s, max).replace(/\s+/g, ' ').trim();

// States that mean something to a person. Ids, classes, styles and addresses are left out:
// they renumber themselves. So are values: they are the form digest's.
const stateAttrs = ['role', 'aria-label', 'aria-checked', 'aria-expanded', 'aria-selected', 'aria-pressed',
  'aria-current', 'aria-disabled', 'aria-invalid', 'aria-valuenow', 'aria-valuetext', 'aria-busy',
  'aria-sort', 'disabled', 'readonly', 'open', 'alt', 'placeholder', 'title'];
const stateSet = new Set(stateAttrs);
const plain = new Set(['div', 'span', 'slot', 'font', 'center', 'b', 'i', 'em', 'strong', 'small', 'u']);
function token(el, tag) {
  let s = plain.has(tag) ? '' : '<' + tag;
  if (tag === 'progress' || tag === 'meter') s += ' ' + (el.hasAttribute('value') ? el.value : '');
  if (el.hasAttributes()) for (const name of el.getAttributeNames()) {
    if (!stateSet.has(name)) continue;
    for (const n of stateAttrs) { // in a fixed order: the page may set them in any
      const v = el.getAttribute(n);
      if (v !== null) s += ' ' + n + '=' + squash(v, 200);
    }
    break;
  }
  return s;
}

// A branch is one visible element with content: its key segment, its own tokens and its
// branches. units counts elements with content below and including it.
function branch(seg, el) { return { seg, el, own: [], kids: [], units: 0, bits: 0 }; }

// cut makes 20 to 200 regions where there is as much: an element is one when it holds at most
// `limit` units and its parent holds more. A wide parent's small children (rows of a table) are taken
// together in at most 64 runs. Limit and run are powers of two, so that small changes seldom move cuts.
function cut(root) {
  let limit = 1;
  while (limit * 96 < root.units) limit *= 2;
  for (; ; limit *= 2) {
    const out = cutBy(root, limit);
    if (out.size <= 200 || limit > root.units) return out;
  }
}
function cutBy(root, limit) {
  const out = new Map();
  out.limit = limit;
  regions(root, '', limit, out);
  return out;
}
// recut are the keys that came, went or changed since the cut of before only because the page has grown or
// shrunk so much that it is cut by another limit. Regions that hold, or lie in, a change are not among them.
function recut(before) {
  const keys = new Set();
  if (!before.size || before.limit === walk.parts.limit) return keys;
  const as = cutBy(walk.root, before.limit), is = (a, b) => !!a && !!b && a.digest === b.digest;
  const above = new Set(), inside = new Set(); // elements around a change; elements of changed regions
  for (const [k, p] of as) {
    if (is(p, before.get(k))) continue;
    for (const el of [p.el, ...p.els]) for (let e = el; e && !above.has(e); e = up(e)) above.add(e);
    for (const e of p.els) inside.add(e);
  }
  const touched = (p) => {
    if (p.els.some((e) => above.has(e))) return true;
    for (let e = p.el; e; e = up(e)) if (inside.has(e)) return true;
    return false;
  };
  for (const [k, p] of before) {
    const now = walk.parts.get(k); // a run may have other members
    if (is(p, as.get(k)) && !is(p, now) && !(now && touched(now))) keys.add(k);
  }
  for (const [k, p] of walk.parts) if (!before.has(k) && !touched(p)) keys.add(k);
  return keys;
}
function regions(b, path, limit, out) {
  if (b.units <= limit || !b.kids.length) { region(out, path || 'body', [b]); return; }
  if (b.own.length) add(out, (path || 'body') + '/.', b.own.join('\n'), b.bits, b.el, []);
  let run = 1;
  while (run * 64 < b.kids.length) run *= 2;
  for (let i = 0; i < b.kids.length; i += run) {
    const small = [];
    for (let j = i; j < Math.min(i + run, b.kids.length); j++) {
      const k = b.kids[j], at = path ? path + '/' + k.seg : k.seg;
      if (run > 1 && k.units <= limit) small.push(k); else regions(k, at, limit, out);
    }
    if (small.length)
      region(out, (path ? path + '/' : '') + small[0].seg + (small.length > 1 ? '+' : ''), small);
  }
}
function region(out, path, list) {
  const own = [];
  let bits = 0;
  for (const b of list) { gather(b, own); bits |= bitsBelow(b); }
  if (own.length) add(out, path, own.join('\n'), bits, list[0].el, list.map((b) => b.el));
}
function gather(b, own) {
  for (const t of b.own) own.push(t);
  for (const k of b.kids) { own.push('>'); gather(k, own); own.push('<'); }
}
function bitsBelow(b) { let bits = b.bits; for (const k of b.kids) bits |= bitsBelow(k); return bits; }
// digestOf is the digest of a region. One that shows a secret has a digest with a key that this page alone is
// told: its other words are recorded, so that a short secret could be guessed from a plain one.
let guarded = null, guardedText = '';
const digested = new Map(); // by plain digest: what is told
function guard(paint) {
  const text = paint && paint.prints ? json(paint) : guardedText;
  if (text === guardedText) return;
  guarded = paint;
  guardedText = text;
  digested.clear();
  dirty = true;
}
function digestOf(text) {
  const plain = hash(text);
  if (!guarded) return plain;
  let d = digested.get(plain);
  if (d === undefined) {
    d = shows(text, guarded) ? hash(guarded.a + ' ' + guarded.b + ' ' + text) : plain;
    if (digested.size > 5000) digested.clear();
    digested.set(plain, d);
  }
  return d;
}
// add makes a region of el, or of several elements. els are those of which all that they hold is in it.
function add(out, path, text, bits, el, els) {
  // A path that is too long keeps whole segments: the end of a name is no name.
  const key = path.length > 72
    ? '~' + hash(path.slice(0, -56)).slice(0, 6) + path.slice(-57).replace(/^[^/]*/, '')
    : path;
  const digest = digestOf(text);
  const old = out.get(key);
  out.set(key, old
    ? { digest: hash(old.digest + digest), bits: old.bits | bits, el: old.el, els: old.els.concat(els) }
    : { digest, bits, el, els });
}

// canvasDigest reads the pixels without touching the canvas's own context.
function canvasDigest(c) {
  const scale = Math.min(1, Math.sqrt(1e6 / Math.max(1, c.width * c.height)));
  const w = Math.max(1, Math.floor(c.width * scale)), h = Math.max(1, Math.floor(c.height * scale));
  try {
    const g = new OffscreenCanvas(w, h).getContext('2d', { willReadFrequently: true });
    g.drawImage(c, 0, 0, w, h);
    const px = new Uint32Array(g.getImageData(0, 0, w, h).data.buffer);
    let a = 0x811c9dc5, b = 0x9747b28c;
    for (let i = 0; i < px.length; i++) {
      a = Math.imul(a ^ px[i], 0x01000193);
      b = Math.imul(b ^ (px[i] + i), 0x85ebca6b) ^ (b >>> 15);
    }
    return (a >>> 0).toString(16).padStart(8, '0') + (b >>> 0).toString(16).padStart(8, '0');
  } catch { return 'tainted'; }
}
