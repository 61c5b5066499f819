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
const squash = (s, max = 10000) => (s.length > max ? s.slice(0, max) + '…' : s).replace(/\s+/g, ' ').trim();

// States that mean something to a person. Ids, classes, styles and addresses are left out:
// they renumber themselves. So are values: they are the form digest's.
const stateAttrs = ['role', 'aria-label', 'aria-checked', 'aria-expanded', 'aria-selected', 'aria-pressed', 'aria-current', 'aria-disabled',
  'aria-invalid', 'aria-valuenow', 'aria-valuetext', 'aria-busy', 'aria-sort', 'disabled', 'readonly', 'open', 'alt', 'placeholder', 'title'];
const plain = new Set(['div', 'span', 'slot', 'font', 'center', 'b', 'i', 'em', 'strong', 'small', 'u']);
function token(el, tag) {
  let s = plain.has(tag) ? '' : '<' + tag;
  if (el.attributes.length) {
    for (const name of stateAttrs) {
      const v = el.getAttribute(name);
      if (v !== null) s += ' ' + name + '=' + squash(v, 200);
    }
  }
  return s;
}

// A branch is one visible element with content: its key segment, its own tokens and its
// branches. units counts elements with content below and including it.
function branch(seg) { return { seg, own: [], kids: [], units: 0, bits: 0 }; }

// cut makes 20 to 200 regions: an element is one when it holds at most `limit` units and its
// parent holds more. The limit is a power of two, so that small changes seldom move the cuts.
function cut(root) {
  let limit = 1;
  while (limit * 96 < root.units) limit *= 2;
  for (; ; limit *= 2) {
    const out = new Map();
    if (regions(root, '', limit, out) <= 200 || limit > root.units) return out;
  }
}
function regions(b, path, limit, out) {
  if (b.units <= limit || !b.kids.length) {
    const own = [];
    gather(b, own);
    if (own.length) add(out, path || 'body', own.join('\n'), bitsBelow(b));
  } else {
    if (b.own.length) add(out, (path || 'body') + '/.', b.own.join('\n'), b.bits);
    for (const k of b.kids) regions(k, path ? path + '/' + k.seg : k.seg, limit, out);
  }
  return out.size;
}
function gather(b, own) {
  for (const t of b.own) own.push(t);
  for (const k of b.kids) { own.push('>'); gather(k, own); own.push('<'); }
}
function bitsBelow(b) { let bits = b.bits; for (const k of b.kids) bits |= bitsBelow(k); return bits; }
function add(out, path, text, bits) {
  const key = path.length > 72 ? '~' + hash(path.slice(0, -56)).slice(0, 6) + path.slice(-56) : path;
  const digest = hash(text);
  const old = out.get(key);
  out.set(key, old ? { digest: hash(old.digest + digest), bits: old.bits | bits } : { digest, bits });
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
    for (let i = 0; i < px.length; i++) { a = Math.imul(a ^ px[i], 0x01000193); b = Math.imul(b ^ (px[i] + i), 0x85ebca6b) ^ (b >>> 15); }
    return (a >>> 0).toString(16).padStart(8, '0') + (b >>> 0).toString(16).padStart(8, '0');
  } catch { return 'tainted'; }
}
