// main.js: what Go calls. All answers are strings of JSON: a lone surrogate in a page's text would
// break the protocol's own encoding.
const me = {
  attach,
  snapshot, targetAt, elementHere, textHere, offset, opened, watch, unwatch, give, worlds,
  path: framePath, segment: segmentOf, pathOf,
  bars, above, overFrame, enterHere, marksIn,
  secretsHere, keptHere, placesHere, putBackHere, storeHere, scrollHere,
  called: (path) => { told = path; dirty = true; return json(null); },
  late,
  stirredHere: () => {
    const o = offset();
    return ambientBoxes().boxes.map((b) => [b[0] + o[0], b[1] + o[1], b[2], b[3]]);
  },
  navigation: () => nav && !nav.told && { url: clip(nav.url, 8192), form: nav.form },
  toldNavigation: () => { if (nav) nav.told = true; },
  unpainted: () => need > got, forget: () => { got = need; asked = false; },
  up: parentWorld, number, released: () => released,
  // Input is handled before what is evaluated: the action's own may have opened the epoch and
  // been painted already.
  beginHere: (act) => {
    attach();
    const late = !closed && !begun;
    if (act) openEpoch();
    if (!late) framed = asked = false;
    begun = true;
  },
};
const json = (v) => JSON.stringify(v);
Object.assign(me, {
  begin: (act, from, press) => {
    for (const w of worlds()) w.beginHere(act);
    numberFrom(from);
    if (press) untilPress();
    return json(null);
  },
  stirred: (paint) => json(covered() ? { covered: true } : { path: framePath(),
    late: worlds().some((w) => w.late()), boxes: worlds().flatMap((w) => w.stirredHere()),
    secret: paint ? worlds().map((w) => ({ path: w.path(), boxes: w.secretsHere(paint) })) : [] }),
  settle: async (cap) => { attach(); return json(await settle(cap)); },
  // step settles and looks in one trip. The look is a task of its own: within the animation frame it would
  // hold up the painting.
  step: async (cap, from, releases, a) => {
    attach();
    const settled = await settle(cap, from, releases);
    if (settled.covered || settled.navigating || settled.unheard) return json({ settled });
    await new Promise(queueAfter);
    return `{"settled":${json(settled)},"probe":${probe(a)}}`;
  },
  probe, locate,
  element: (a) => json(element(a)),
  enter: (path) => { enter(path); return json(null); },
  text: (max) => json(text(max)),
  digest: (s) => json(hash(s)),
  places: () => json(covered() ? { covered: true } : { places: worlds().map((w) => w.placesHere()) }),
  putBack: (frames) => json(
    frames.reduce((n, f) => n + worldAt(f.path || '').putBackHere(f.controls || []), 0)),
  store: (frames) => { for (const f of frames) worldAt(f.path).storeHere(f); return json(null); },
  scroll: (frames) => { for (const f of frames) worldAt(f.path || '').scrollHere(f); return json(null); },
  touch: () => { dirty = moved = true; },
});
Object.defineProperty(globalThis, '__cua', { value: me });
attach();
