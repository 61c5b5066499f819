// fields.js: form controls as the page shows them. Values leave the page raw; package browser
// digests them before anything is kept.

const noField = new Set(['hidden', 'button', 'submit', 'reset', 'image']);
const fieldRoles = new Set(['textbox', 'searchbox', 'combobox', 'spinbutton', 'checkbox', 'radio', 'switch',
  'slider', 'listbox']);
function isField(el) {
  const tag = el.localName;
  if (tag === 'input') return !noField.has(el.type);
  if (tag === 'textarea' || tag === 'select') return true;
  if (tag === 'button' || tag === 'a')
    return el.getAttribute('role') && ['combobox', 'checkbox', 'radio', 'switch'].includes(roleOf(el));
  return isEditingHost(el) || fieldRoles.has((el.getAttribute('role') || '').trim());
}
const noText = new Set(['checkbox', 'radio', 'range', 'color', 'file', 'button', 'submit', 'reset', 'image',
  'hidden']);
function isEditable(el) {
  const tag = el.localName;
  if (tag === 'input') return !noText.has(el.type) && !el.matches(':disabled') && !el.readOnly;
  if (tag === 'textarea') return !el.matches(':disabled') && !el.readOnly;
  return el.isContentEditable === true;
}
function typeOf(el) {
  const tag = el.localName;
  if (tag === 'input') return el.type;
  if (tag === 'textarea') return 'text';
  if (tag === 'select') return 'select';
  if (tag === 'button') return el.type || '';
  if (el.isContentEditable && isEditingHost(el)) return 'contenteditable';
  const r = (el.getAttribute('role') || '').trim();
  return fieldRoles.has(r)
    ? (r === 'textbox' || r === 'searchbox' ? 'text' : r === 'switch' ? 'checkbox' : r) : '';
}
const maxValue = 100000; // characters of a value that leave the page
const round = (v) => Math.round(v * 100) / 100;
function boxOf(el) {
  const r = el.getBoundingClientRect();
  return [round(r.x), round(r.y), round(r.width), round(r.height)];
}
const attr = (el, name, max = 200) => clip(el.getAttribute(name) || '', max);

function fieldOf(el, id, role, name, box, state = stateOf(el, role)) {
  const tag = el.localName, type = typeOf(el), from = replaces(el), n = from && from.native;
  return {
    id, role, name, tag, type, box, label: labelText(el), group: type === 'radio' ? groupName(el) : '',
    place: squash(attr(el, 'placeholder') || attr(el, 'aria-placeholder'), 200),
    nameAttr: attr(el, 'name') || (n ? attr(n, 'name') : ''), idAttr: attr(el, 'id'),
    auto: attr(el, 'autocomplete', 80), form: formID(el), edit: isEditable(el),
    required: el.required === true || el.getAttribute('aria-required') === 'true' ||
      !!n && n.required === true,
    options: optionsOf(el), ...state,
  };
}
// stateOf is what a person puts into a field, and what the page says of it. It may change without a mutation.
function stateOf(el, role) {
  const tag = el.localName, type = typeOf(el), choice = choiceOf(el);
  const s = {
    value: '', rest: '', given: gotSecret.get(el) || '', checked: false, selected: '',
    disabled: el.matches(':disabled') || el.getAttribute('aria-disabled') === 'true',
    readonly: el.readOnly === true || el.getAttribute('aria-readonly') === 'true', invalid: invalidOf(el),
  };
  if (type === 'checkbox' || type === 'radio') {
    s.checked = tag === 'input' ? el.checked : el.getAttribute('aria-checked') === 'true';
    s.value = s.checked ? (tag === 'input' ? el.value : 'on') : '';
    for (const o of radiosOf(el)) if (o.checked) s.selected = nameOf(o, 'radio');
  } else if (tag === 'select') {
    s.value = [...el.selectedOptions].map((o) => o.value).join('\n');
  } else if (tag === 'input' && type === 'file') {
    s.value = [...el.files].map((x) => x.name).join('\n');
  } else if (tag === 'input' || tag === 'textarea') {
    s.value = el.value;
  } else if (type === 'contenteditable' || el.isContentEditable) {
    s.value = (el.innerText || '').replace(/\n$/, '');
  } else {
    s.value = el.getAttribute('aria-valuetext') || el.getAttribute('aria-valuenow') || '';
    if (role === 'combobox') s.selected = clip(s.value = textOf(el, Infinity), 200);
  }
  if (s.value.length > maxValue) { // the digest is marked then, and no digest of a value
    s.rest = s.value.length + ' ' + hash(s.value);
    s.value = s.value.slice(0, maxValue);
  }
  if (choice)
    s.selected = [...choice.selectedOptions].slice(0, 10).map((o) => squash(o.label, 200)).join(', ');
  return s;
}
// choiceOf is the select whose choice el shows: itself, or the hidden one that it replaces.
function choiceOf(el) {
  if (el.localName === 'select') return el;
  const from = replaces(el);
  return from && from.native.localName === 'select' && !isEditable(el) ? from.native : null;
}
function optionsOf(el) {
  const choice = choiceOf(el);
  if (choice) return [...choice.options].slice(0, 100).map((o) => squash(o.label, 200));
  return radiosOf(el).slice(0, 100).map((o) => nameOf(o, 'radio'));
}
// radiosOf are the radio buttons of the group of el; none if it is none. Those of a form, or of a tree
// without one, are read once a walk.
function radiosOf(el) {
  if (el.localName !== 'input' || el.type !== 'radio' || !el.name) return [];
  const around = el.form || el.getRootNode();
  let groups = walk.radios.get(around);
  if (!groups) {
    walk.radios.set(around, groups = new Map());
    const all = el.form ? elementsOf.call(around) : around.querySelectorAll('input[type=radio]');
    for (const o of all) {
      if (o.localName !== 'input' || o.type !== 'radio' || o.form !== el.form) continue;
      if (groups.has(o.name)) groups.get(o.name).push(o); else groups.set(o.name, [o]);
    }
  }
  return groups.get(el.name) || [];
}
// groupName is what the page calls the group of a radio button. A fieldset around a whole form is none of its
// own: one that holds buttons of another group is passed over.
function groupName(el) {
  for (let g = up(el), depth = 0; g && g.localName !== 'form' && depth < 12; g = up(g), depth++) {
    if (g.localName !== 'fieldset' && !groupRoles.has((g.getAttribute('role') || '').trim())) continue;
    if (el.localName === 'input' &&
      [...g.querySelectorAll('input[type=radio]')].slice(0, 300).some((o) => o.name !== el.name)) return '';
    const legend = g.localName === 'fieldset' ? [...g.children].find((c) => c.localName === 'legend') : null;
    const name = byIds(g, 'aria-labelledby') || squash(g.getAttribute('aria-label') || '', 200) ||
      (legend ? textOf(legend) : '');
    if (name) return name;
  }
  return '';
}
const groupRoles = new Set(['radiogroup', 'group']);
// The message counts once the page shows the field as invalid, or shows the message itself; not before
// it was touched.
function invalidOf(el) {
  let shown = false;
  try { shown = el.matches(':user-invalid'); } catch { /* older engine */ }
  const aria = el.getAttribute('aria-invalid');
  if (!shown && (!aria || aria === 'false'))
    return el.hasAttribute('aria-errormessage') ? errorMessage(el) : '';
  return squash(byIds(el, 'aria-errormessage') || el.validationMessage || 'invalid', 200);
}

// pickerBoxes are where the browser's own pickers may show that are open now. No page can ask for
// their places: they lie below or above their control, and are not larger than this.
function pickerBoxes() {
  const out = [];
  for (const { el } of walk.fields) {
    if ((el.localName === 'select' || el.localName === 'input') && picking(el)) out.push(pickerBox(el));
  }
  return out;
}
function picking(el) {
  try { return el.matches(':open'); } catch { return false; /* an older engine does not say */ }
}
const pickerRows = 20, pickerSize = [420, 300]; // rows of a list at most; a date with its time
function pickerBox(el) {
  const [x, y, w, h] = boxOf(el), s = getComputedStyle(el);
  let [wide, high] = pickerSize;
  if (el.localName === 'select') {
    const size = parseFloat(s.fontSize), shown = [...el.options].map(boxOf).filter((b) => b[3] > 0);
    if (shown.length) { // the page draws it
      const edge = 3 * size, left = Math.min(x, ...shown.map((b) => b[0])) - edge,
        top = Math.min(y, ...shown.map((b) => b[1])) - edge;
      return [left, top,
        Math.max(x + w, ...shown.map((b) => b[0] + b[2])) + edge - left,
        Math.max(y + h, ...shown.map((b) => b[1] + b[3])) + edge - top];
    }
    const pen = new OffscreenCanvas(1, 1).getContext('2d');
    pen.font = s.font;
    wide = 4 * size + Math.max(0, ...[...el.options].slice(0, 1000)
      .map((o) => pen.measureText(squash(o.label, 200)).width));
    high = 4 + (1.5 * size + 8) *
      Math.min(pickerRows, el.options.length + el.getElementsByTagName('optgroup').length);
  }
  wide = Math.max(w, wide);
  // One that would reach over the edge ends where its control ends.
  const left = s.direction === 'rtl' || x + wide > innerWidth ? x + w - wide : x;
  const right = s.direction !== 'rtl' || left < 0 ? x + wide : x + w;
  return [left, y - high, right - left, h + 2 * high];
}

function formID(el) {
  const form = el.form || (el.closest && el.closest('form,[role=form]'));
  return form ? formHere(form) : '';
}
// formHere is the identity of a form. The walk asks for those that show, so that equal ones are numbered in
// document order, and not by where the focus is or what is in the viewport.
function formHere(form) {
  let id = walk.forms.get(form);
  if (id === undefined) {
    const path = clip((form.getAttribute('action') || '').replace(/[?#].*/, ''), 80);
    id = identify(form, 'form', nameOf(form, 'form') || attr(form, 'name', 60) || path, walk.seen) +
      (walk.path ? ' @' + walk.path : '');
    walk.forms.set(form, id);
  }
  return id;
}
const submits = (el) => {
  const tag = el.localName;
  if (tag === 'input') return (el.type === 'submit' || el.type === 'image') && !!el.form;
  return tag === 'button' && el.type === 'submit' && !!el.form;
};
