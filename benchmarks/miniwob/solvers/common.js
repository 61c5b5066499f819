// What solvers are made of. A solver is a function of the goal that looks at the page and comes to the next action, as
// cua.Action is written in JSON; null where it knows none. Points are CSS pixels of the viewport. It keeps nothing of what it
// decided; what the page showed and no longer shows may be kept in seen.
const tasks = {};
const next = (name, goal) => tasks[name] ? tasks[name](goal) : null;

const all = (selector, within = document) => Array.from(within.querySelectorAll(selector)).filter(shown);
const one = (selector, within = document) => all(selector, within)[0] || null;
const text = (e) => (e.value !== undefined && e.tagName === 'INPUT' && /^(submit|button)$/.test(e.type) ? e.value : e.textContent).replace(/\s+/g, ' ').trim();
// The first element that is called so, whole and as it is written.
const called = (name, selector) => all(selector).find((e) => text(e) === name) || null;
// The n-th thing in quotes, from 0.
const quoted = (goal, n = 0) => (goal.match(/"[^"]*"/g) || [])[n]?.slice(1, -1) ?? '';

function shown(e) {
  const box = e.getBoundingClientRect();
  return box.width > 0 && box.height > 0 && getComputedStyle(e).visibility !== 'hidden';
}

function middle(e) {
  const box = e.getBoundingClientRect();
  return {x: Math.round(box.x + box.width / 2), y: Math.round(box.y + box.height / 2)};
}

// A click on the element. The words are for whoever reads the trajectory.
const press = (e, why = '') => e && {kind: 'click', point: middle(e), why: why || 'press ' + (text(e) || 'it').slice(0, 40)};
// Text in place of what the field holds.
const fill = (e, words, why = '') => e && {kind: 'type', point: middle(e), text: words, clear: true, why: why || 'type ' + words};
const key = (keys, why = '') => ({kind: 'key', keys, why: why || 'press the key ' + keys});
const wait = (ms, why = '') => ({kind: 'wait', ms, why: why || 'wait'});
const scroll = (e, dy, why = '') => e && {kind: 'scroll', point: middle(e), dy, why: why || 'scroll'};
const drag = (from, to, why = '') => ({kind: 'drag', point: from, to, why: why || 'drag'});
// The option of a native list, by its label.
const choose = (e, label) => e && {kind: 'select', point: middle(e), text: label, why: 'choose ' + label};

// What the page showed earlier, by a name; it lives as long as the page.
const seen = (() => {
  const at = Symbol.for('cua-runner.seen');
  return globalThis[at] || (globalThis[at] = {});
})();

// The first field that does not hold its value yet is filled in, else the button is pressed. Each row is an element and
// its value.
function form(rows, button) {
  const open = rows.find(([e, value]) => e && e.value !== value);
  return open ? fill(...open) : press(button);
}
