// secrets.js: where this document shows what is secret, for the picture. No document is told a value: it is
// given fingerprints of the spellings, and looks for text that has one.

const wasPassword = new WeakSet(); // controls that were a password field at some time, whatever they are now
const filled = new Set();          // elements that were given a secret and are no controls
function secretField(el) {
  if (el.type === 'password') wasPassword.add(el);
  return wasPassword.has(el) || gotSecret.has(el);
}
// What may part the characters of a spelling without changing how it reads.
const parting = /[\s\-\u00ad\u200b-\u200f\u2060\ufeff]+/g;
const unread = new Set(['script', 'style', 'noscript', 'template', 'textarea', 'title', 'option']);
const maxSecretBoxes = 300, glyphEdge = 3; // letters reach over their boxes

// spelled calls found(start, end) for each part of s that has the fingerprint of a spelling. A fingerprint is
// the length and two polynomials in the bases p.a and p.b, modulo 2^32.
function spelled(s, p, found) {
  const value = (at, n, base) => {
    let x = 0;
    for (let i = 0; i < n; i++) x = Math.imul(x, base) + s.charCodeAt(at + i) | 0;
    return x;
  };
  for (const [n, marks] of Object.entries(p.prints || {})) {
    const len = Number(n);
    if (s.length < len) continue;
    let high = 1;
    for (let i = 0; i < len; i++) high = Math.imul(high, p.a);
    let x = value(0, len, p.a);
    for (let i = 0; ; i++) {
      for (const m of marks) if (m[0] === x && m[1] === value(i, len, p.b)) { found(i, i + len); break; }
      if (i + len >= s.length) break;
      x = Math.imul(x, p.a) + s.charCodeAt(i + len) - Math.imul(high, s.charCodeAt(i)) | 0;
    }
  }
}
function shows(text, p) {
  let any = false;
  if (text) spelled(text.replace(parting, ''), p, () => { any = true; });
  return any;
}
// secretsHere are the boxes to be painted over, in this document's own viewport.
function secretsHere(p) {
  const out = [], edge = (r, e) => {
    if (r.width > 0 && r.height > 0)
      out.push([round(r.x - e), round(r.y - e), round(r.width + 2 * e), round(r.height + 2 * e)]);
  };
  for (const root of [document, ...shadows]) {
    if (root !== document && !root.host.isConnected) continue;
    for (const el of root.querySelectorAll('input,textarea,select')) {
      if (el.type === 'hidden') continue;
      const text = el.localName === 'select'
        ? [...el.selectedOptions].map((o) => o.label).join(' ') : el.value;
      if (text && secretField(el) || p.prints && (shows(text, p) || shows(el.placeholder, p)))
        edge(el.getBoundingClientRect(), 0);
    }
    if (p.prints) secretTexts(root, p, edge);
  }
  for (const el of filled) {
    if (!el.isConnected) { filled.delete(el); continue; }
    if (!el.textContent) continue;
    const r = document.createRange();
    r.selectNodeContents(el);
    edge(el.getBoundingClientRect(), 0);
    for (const b of r.getClientRects()) edge(b, glyphEdge);
  }
  return out.length > maxSecretBoxes ? [[-1e5, -1e5, 2e5, 2e5]] : out;
}
function secretTexts(root, p, edge) {
  const nodes = [], starts = [], walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  let s = '';
  for (let n = walker.nextNode(); n; n = walker.nextNode()) {
    if (n.parentNode && unread.has(n.parentNode.localName)) continue;
    const text = n.data.replace(parting, '');
    if (!text) continue;
    nodes.push(n); starts.push(s.length);
    s += text;
  }
  // at is the node and the offset in it of the character at i.
  const at = (i) => {
    let lo = 0, hi = starts.length - 1;
    while (lo < hi) { const mid = (lo + hi + 1) >> 1; if (starts[mid] <= i) lo = mid; else hi = mid - 1; }
    const { data } = nodes[lo];
    let left = i - starts[lo], k = 0;
    for (; k < data.length; k++) if (data[k].replace(parting, '') && left-- === 0) break;
    return [nodes[lo], k];
  };
  spelled(s, p, (from, to) => {
    const r = document.createRange(), end = at(to - 1);
    r.setStart(...at(from)); r.setEnd(end[0], end[1] + 1);
    for (const b of r.getClientRects()) edge(b, glyphEdge);
  });
}
