// What is drawn with the mouse: an order, a size, a value.

tasks['drag-sort-numbers'] = () => {
  const rows = all('#sortable li');
  const value = (row) => Number(text(row.querySelector('div')));
  const sorted = rows.map(value).sort((a, b) => a - b);
  const at = rows.findIndex((row, i) => value(row) !== sorted[i]);
  if (at < 0) return press(one('#subbtn'));
  const row = rows.slice(at).find((row) => value(row) === sorted[at]);
  const to = middle(rows[at]);
  return reach(row) || drag(middle(row), {x: to.x, y: to.y - 6}, `draw ${value(row)} up`);
};

// The size at the beginning is that which the page showed first.
tasks['resize-textarea'] = (goal) => {
  const box = one('#tt').getBoundingClientRect();
  seen.size ||= {width: box.width, height: box.height};
  const [, side, way] = /the (width|height) is (smaller|larger)/.exec(goal);
  const sign = way === 'larger' ? 1 : -1;
  if (sign * (box[side] - seen.size[side]) > 0) return press(one('#submit'));
  const grip = one(side === 'width' ? '.ui-resizable-e' : '.ui-resizable-s');
  const from = spot(grip), by = sign * 20 + (seen.size[side] - box[side]);
  return drag(from, side === 'width' ? {x: from.x + by, y: from.y} : {x: from.x, y: from.y + by},
    `make the ${side} ${way}`);
};

// One step of a slider towards a value; null once it has it. What value is where follows from what it showed:
// two values at two places, or one and a beginning at 0.
function slide(slider, value, want) {
  const grip = one('.ui-slider-handle', slider), upright = slider.matches('.ui-slider-vertical');
  const share = parseFloat(upright ? grip.style.bottom : grip.style.left) / 100, now = Number(text(value));
  const known = (seen['at ' + slider.id] ||= {});
  known[now] = share;
  if (now === want) return null;
  const box = slider.getBoundingClientRect(), length = upright ? box.height : box.width;
  const [a, b] = Object.keys(known).map(Number);
  const each = b !== undefined ? (known[b] - known[a]) / (b - a) : now && share ? share / now : NaN;
  const steps = Math.abs(want - now), held = document.activeElement === grip;
  if (held && steps <= 5)
    return key(Array(steps).fill(want > now ? 'Right' : 'Left').join(' '), `from ${now} to ${want}`);
  // Where it was drawn and shows one value still, the guess was too small a way: then to the far end.
  const sure = each > 0 && (b !== undefined || !held);
  const goal = sure ? Math.min(Math.max(share + (want - now) * each, 0), 1) : share < 0.5 ? 1 : 0;
  const from = middle(grip), by = Math.round((goal - share) * length) || Math.sign(goal - share);
  return drag(from, upright ? {x: from.x, y: from.y - by} : {x: from.x + by, y: from.y},
    `draw ${now} to ${want}`);
}
tasks['use-slider'] = (goal) =>
  slide(one('#slider'), one('#val'), Number(/Select (-?\d+) with/.exec(goal)[1])) || press(one('#subbtn'));
tasks['use-slider-2'] = (goal) => {
  const wants = /\[(.*)\]/.exec(goal)[1].split(',').map(Number);
  for (const [i, want] of wants.entries()) {
    const step = slide(one(`#slider-${i + 1}`), one(`#val-${i + 1}`), want);
    if (step) return step;
  }
  return press(one('#subbtn'));
};
