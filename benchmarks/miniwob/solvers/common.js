// What solvers are made of. A solver is a function of the goal that looks at the page and comes to the next
// action, as cua.Action is written in JSON; null where it knows none. Points are CSS pixels of the viewport.
// It keeps nothing of what it decided; what the page showed and no longer shows may be kept in seen.
const tasks = {};
const next = (name, goal) => tasks[name] ? tasks[name](goal) : null;

const all = (selector, within = document) => Array.from(within.querySelectorAll(selector)).filter(shown);
const one = (selector, within = document) => all(selector, within)[0] || null;
const text = (e) => (
  e.value !== undefined && e.tagName === 'INPUT' && /^(submit|button)$/.test(e.type)
    ? e.value : e.textContent
).replace(/\s+/g, ' ').trim();
// The first element that is called so, whole and as it is written.
const called = (name, selector) => all(selector).find((e) => text(e) === name) || null;
// The n-th thing in quotes, from 0.
const quoted = (goal, n = 0) => (goal.match(/"[^"]*"/g) || [])[n]?.slice(1, -1) ?? '';

function shown(e) {
  const box = e.getBoundingClientRect();
  return box.width > 0 && box.height > 0 && getComputedStyle(e).visibility !== 'hidden';
}

function middle(e) {
  const box = Array.from(e.getClientRects()).find((b) => b.width > 0 && b.height > 0) ||
    e.getBoundingClientRect();
  return {x: Math.round(box.x + box.width / 2), y: Math.round(box.y + box.height / 2)};
}

// Whether a press at the point arrives at the element.
const hit = (e, p) => e.contains(document.elementFromPoint(p.x, p.y));

// A point at which a press arrives at the element: its middle, or another where something lies over that.
function spot(e) {
  const box = e.getBoundingClientRect();
  const parts = [1, 2, 3, 4, 5].map((n) => n / 6);
  const others = parts.flatMap((v) => parts.map((u) =>
    ({x: Math.round(box.x + u * box.width), y: Math.round(box.y + v * box.height)})));
  return [middle(e), ...others].find((p) => hit(e, p)) || middle(e);
}

// The scroll that brings the element to where the page shows it; null where nothing hides it.
function reach(e) {
  const {y} = middle(e);
  let over = null; // what scrolls around it
  for (let p = e.parentElement; p && !over; p = p.parentElement) {
    if (p !== document.body &&
      p !== document.documentElement &&
      /auto|scroll/.test(getComputedStyle(p).overflowY)) over = p;
  }
  const box = over ? over.getBoundingClientRect() : {top: 0, bottom: innerHeight};
  const top = Math.max(box.top, 0), bottom = Math.min(box.bottom, innerHeight);
  if (over && bottom - top < 20) return reach(over);
  if (y > top && y < bottom - 1) return null;
  const at = {x: over ? middle(over).x : Math.round(innerWidth / 2), y: Math.round((top + bottom) / 2)};
  return {kind: 'scroll', point: at, dy: y - at.y, why: 'scroll to ' + (text(e) || 'it').slice(0, 40)};
}

// A click on the element, once it is in sight. The words are for whoever reads the trajectory.
const press = (e, why = '') => e && (reach(e) ||
  {kind: 'click', point: spot(e), why: why || 'press ' + (text(e) || 'it').slice(0, 40)});
const hover = (e, why = '') => e && (reach(e) ||
  {kind: 'hover', point: spot(e), why: why || 'point at ' + (text(e) || 'it').slice(0, 40)});
// Text in place of what the field holds.
const fill = (e, words, why = '') => e && (reach(e) ||
  {kind: 'type', point: spot(e), text: words, clear: true,
    why: why || (words ? 'type ' + words : 'empty it')});
const key = (keys, why = '') => ({kind: 'key', keys, why: why || 'press the key ' + keys});
const wait = (ms, why = '') => ({kind: 'wait', ms, why: why || 'wait'});
const scroll = (e, dy, why = '') => e && {kind: 'scroll', point: middle(e), dy, why: why || 'scroll'};
const drag = (from, to, why = '') => ({kind: 'drag', point: from, to, why: why || 'drag'});
// The option of a native list, by its label.
const choose = (e, label) => e && (reach(e) ||
  {kind: 'select', point: spot(e), text: label, why: 'choose ' + label});

// A click right of what a task fills, where nothing is: what is open shuts.
const aside = (why) => ({kind: 'click', point: {x: innerWidth - 20, y: Math.round(innerHeight / 2)}, why});
// Whether a press would arrive at the element: nothing lies over all of it.
const bare = (e) => hit(e, spot(e));

// What the page showed earlier, by a name; it lives as long as the page.
const seen = (() => {
  const at = Symbol.for('cua-runner.seen');
  return globalThis[at] || (globalThis[at] = {});
})();

// The first field that does not hold its value yet is filled in, else the button is pressed. Each row is an
// element and its value.
function form(rows, button) {
  const open = rows.find(([e, value]) => e && e.value !== value);
  return open ? fill(...open) : press(button);
}

const submit = () => called('Submit', 'button');
