// names.js: roles and accessible names, as far as a person would tell them apart.

const inputRoles = { checkbox: 'checkbox', radio: 'radio', range: 'slider', number: 'spinbutton',
  search: 'searchbox', button: 'button', submit: 'button', reset: 'button', image: 'button', file: 'button',
  color: 'button' };
const tagRoles = { button: 'button', textarea: 'textbox', select: 'combobox', option: 'option',
  summary: 'button', nav: 'navigation', main: 'main', form: 'form', dialog: 'dialog', img: 'img',
  table: 'table', tr: 'row', td: 'cell', th: 'columnheader', ul: 'list', ol: 'list', li: 'listitem',
  label: 'label', canvas: 'canvas', iframe: 'iframe', video: 'video',
  h1: 'heading', h2: 'heading', h3: 'heading', h4: 'heading', h5: 'heading', h6: 'heading',
  progress: 'progressbar', meter: 'meter' };
function roleOf(el) {
  const r = el.getAttribute('role');
  if (r && r.trim()) return squash(r.toLowerCase(), 40).split(' ')[0];
  const tag = el.localName;
  if (tag === 'a' || tag === 'area') return el.hasAttribute('href') ? 'link' : '';
  if (tag === 'input') return inputRoles[el.type] || 'textbox';
  if (tag === 'select') return el.multiple || el.size > 1 ? 'listbox' : 'combobox';
  if (isEditingHost(el)) return 'textbox';
  return tagRoles[tag] || '';
}
const isEditingHost = (el) => el.isContentEditable === true &&
  (el.getAttribute('contenteditable') !== null || !el.parentElement || !el.parentElement.isContentEditable);

// textOf is the visible text below el, without what fields hold.
function textOf(el, max = 200, depth = 0, skip = null) {
  let s = '';
  for (const n of (el.shadowRoot || el).childNodes) {
    if (s.length > max) break;
    if (n.nodeType === 3) { s += n.data; continue; }
    if (n.nodeType !== 1 || n === skip || depth > 12 || hiddenTag.has(n.localName)) continue;
    if (n.localName === 'input' || n.localName === 'textarea' || n.localName === 'select' ||
      n.getAttribute('aria-hidden') === 'true') continue;
    if (n.localName === 'slot') {
      s += ' ' + n.assignedNodes({ flatten: true })
        .map((m) => m.nodeType === 3 ? m.data : m.nodeType === 1 ? textOf(m, max, depth + 1, skip) : '')
        .join(' ');
      continue;
    }
    if (n.localName === 'img') { s += ' ' + (n.getAttribute('alt') || '') + ' '; continue; }
    if (n.localName === 'br') { s += ' '; continue; }
    if (!n.checkVisibility() && n.localName !== 'slot') continue;
    s += inline.has(n.localName)
      ? textOf(n, max, depth + 1, skip)
      : ' ' + (n.getAttribute('aria-label') || textOf(n, max, depth + 1, skip)) + ' ';
  }
  return depth ? s : squash(s, max);
}
const inline = new Set(['span', 'b', 'i', 'em', 'strong', 'u', 'small', 'mark', 'font', 'a', 'code', 'sub',
  'sup']);
const hiddenTag = new Set(['script', 'style', 'template', 'noscript', 'head', 'meta', 'link', 'title',
  'base']);

function byIds(el, attr) {
  const ids = el.getAttribute(attr);
  if (!ids) return '';
  const root = el.getRootNode();
  return squash(ids.split(/\s+/).slice(0, 10).map((id) => {
    const o = id && root.getElementById ? root.getElementById(id) : null;
    if (o && el.contains(o) && showsChoice(el)) return ''; // its value and not its name
    return o ? o.getAttribute('aria-label') || textOf(o) : '';
  }).join(' '), 200);
}
// showsChoice says whether what el shows is what was chosen in it.
function showsChoice(el) {
  const role = (el.getAttribute('role') || '').trim();
  return fieldRoles.has(role) && role !== 'checkbox' && role !== 'radio' && role !== 'switch' ||
    el.getAttribute('aria-haspopup') === 'listbox';
}
// labelText is what the page's own label says: that of el, or of the hidden control that el is shown for.
function labelText(el) {
  const byAria = byIds(el, 'aria-labelledby') || squash(el.getAttribute('aria-label') || '', 200);
  if (byAria) return byAria;
  const ls = labelsOf(el),
    own = ls ? squash(ls.slice(0, 5).map((l) => textOf(l, 200, 0, el)).join(' '), 200) : '';
  if (own) return own;
  const from = replaces(el);
  return from ? from.label : '';
}
// labelsOf reads all labels of a tree once a walk: el.labels searches the tree each time.
function labelsOf(el) {
  const root = el.getRootNode();
  let m = walk.labels.get(root);
  if (!m) {
    m = new Map();
    walk.labels.set(root, m);
    for (const l of root.querySelectorAll('label')) {
      const c = l.control;
      if (c && m.has(c)) m.get(c).push(l); else if (c) m.set(c, [l]);
    }
  }
  return m.get(el);
}
const fromContent = new Set(['button', 'link', 'option', 'tab', 'menuitem', 'menuitemcheckbox',
  'menuitemradio', 'heading', 'cell', 'gridcell', 'columnheader', 'rowheader', 'label', 'checkbox', 'radio',
  'switch', 'treeitem', 'tooltip', 'row', 'listitem', '']);
function nameOf(el, role = roleOf(el)) {
  const label = labelText(el);
  if (label) return label;
  const tag = el.localName;
  if (tag === 'input') {
    const t = el.type;
    if (t === 'button' || t === 'submit' || t === 'reset')
      return squash(el.value || { submit: 'Submit', reset: 'Reset' }[t] || '', 200);
    if (t === 'image') return squash(el.alt || el.title || 'Submit', 200);
  }
  if (tag === 'img' || tag === 'area') {
    const alt = el.getAttribute('alt');
    if (alt) return squash(alt, 200);
  }
  if (tag === 'fieldset') { const l = el.querySelector('legend'); if (l) return textOf(l); }
  if (tag !== 'input' && tag !== 'textarea' && tag !== 'select' && !isEditingHost(el) &&
    fromContent.has(role)) {
    const s = textOf(el);
    if (s) return s;
    const svg = el.querySelector('svg title');
    if (svg) return squash(svg.textContent, 200);
  }
  const title = el.getAttribute('title');
  return squash(title && !(showsChoice(el) && squash(title) === textOf(el)) ? title
    : el.getAttribute('placeholder') || el.getAttribute('aria-placeholder') || '', 200);
}
