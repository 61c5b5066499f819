// What is found step by step: by hints, by leafing and by scrolling.

tasks['guess-number'] = () => {
  const hint = (id) => { const e = one(`#${id} span`); return e ? Number(text(e)) : NaN; };
  const higher = hint('higher'), lower = hint('lower');
  seen.least = Math.max(seen.least ?? 0, Number.isNaN(higher) ? 0 : higher + 1);
  seen.most = Math.min(seen.most ?? 9, Number.isNaN(lower) ? 9 : lower - 1);
  return form([[one('#tt'), String(Math.floor((seen.least + seen.most) / 2))]], one('#subbtn'));
};

// Where the mouse last was on an element, in pixels of the page. It is only listened to.
function pointer(on) {
  if (!seen.watching) {
    addEventListener('mousemove', (e) => {
      if (on.contains(e.target)) seen.pointer = {x: e.pageX, y: e.pageY};
    }, true);
    seen.watching = true;
  }
  return seen.pointer;
}

// What the page says at a distance, coldest last.
const ring = (a, b) => [5, 10, 40, Infinity].findIndex((r) => Math.hypot(a.x - b.x, a.y - b.y) < r);
const said = {'HOT': 0, 'WARM': 1, 'COLD': 2, 'ICE COLD': 3};
tasks['hot-cold'] = () => {
  const area = one('#touch-area'), signal = one('#signal');
  const at = pointer(area);
  seen.signals ||= {};
  if (at && signal) seen.signals[`${at.x},${at.y}`] = {...at, ring: said[text(signal)]};
  const signals = Object.values(seen.signals);
  const hot = signals.find((s) => s.ring === 0);
  const press = (p) =>
    ({kind: 'click', point: {x: p.x - scrollX, y: p.y - scrollY}, why: 'press where it is hot'});
  if (hot) return press(hot);
  const places = grid(5, 55, 154, 169, 1).filter((p) => signals.every((s) => ring(s, p) === s.ring));
  const some = places.filter((_, i) => i % Math.ceil(places.length / 400) === 0);
  const tries = grid(4, 54, 156, 176, places.length > 400 ? 4 : 2);
  const sure = tries.find((t) => places.every((p) => ring(t, p) === 0));
  if (sure) return press(sure);
  const left = (t) => {
    const counts = [0, 0, 0, 0];
    for (const p of some) counts[ring(t, p)]++;
    return counts.reduce((sum, n) => sum + n * n, 0);
  };
  let best = null, least = Infinity;
  for (const t of tries) if (left(t) < least) [best, least] = [t, left(t)];
  return best && {kind: 'hover', point: {x: best.x - scrollX, y: best.y - scrollY},
    why: `${places.length} places are left`};
};
function grid(left, top, right, bottom, step) {
  const out = [];
  for (let y = top; y <= bottom; y += step) for (let x = left; x <= right; x += step) out.push({x, y});
  return out;
}

tasks['phone-book'] = (goal) => {
  const [, name, what] = /Find (.+) in the contact book and click on their (\w+)/.exec(goal);
  const page = Number(text(one('#pagination .active')));
  seen.pages ||= {};
  seen.pages[page] = text(one('#contact .name'));
  if (seen.pages[page] === name) return press(one(`#contact a.${what}`));
  const known = Object.keys(seen.pages).find((n) => seen.pages[n] === name);
  const unread = [1, 2, 3, 4, 5].filter((n) => !(n in seen.pages))
    .sort((a, b) => Math.abs(a - page) - Math.abs(b - page) || b - a)[0];
  const to = Number(known ?? unread ?? NaN);
  return Number.isNaN(to) ? null : press(one(`#pagination .${to > page ? 'next' : 'prev'} a`));
};

// The end of the text is read before its last word is typed.
tasks['scroll-text'] = () => {
  const area = one('#text-area'), answer = one('#answer-input');
  seen.text ||= area.value;
  const word = seen.text.trim().split(/\s/).at(-1).replace(/[^a-zA-Z0-9]/g, '');
  const below = area.scrollHeight - area.clientHeight - area.scrollTop;
  if (answer.value !== word && below > 2)
    return scroll(area, Math.ceil(below), 'scroll to the end of the text');
  return form([[answer, word]], one('#subbtn'));
};

tasks['click-scroll-list'] = (goal) => {
  const list = one('#options'), options = Array.from(list.options);
  const names = /^Select (.*) from the scroll list/.exec(goal)[1].split(', ');
  const wanted = options.filter((o) => names.includes(o.label));
  if (options.some((o) => o.selected && !wanted.includes(o)))
    return press(wanted[0], 'choose ' + wanted[0].label + ' alone');
  const open = wanted.find((o) => !o.selected);
  return open ? choose(list, open.label) : press(called('Submit', 'button'));
};
