// replies.js: answers that come in a task of their own: of servers by socket, of workers, of
// databases and files, of the observers of layout. What comes soon after the question belongs to
// what asked it.

// replyLife (3 s) is how long after a question a message counts as its answer; replyHold (0.3 s) is how long
// the end of an action is put off for it. One that left two questions unanswered is waited for no more.
const replyLife = 2 * CAP, replyHold = CAP / 5;
const asked = weak(); // socket or worker → {cause, until, op, mute}
function question(self) {
  const q = asked.get(self), c = q && follow(null, false);
  if (!c || c.load || c.recurring) return;
  end(q.op);
  q.cause = c;
  q.until = now() + replyLife;
  if (q.mute > 1) return;
  const op = q.op = begin('message', c, now() + replyHold);
  if (op) apply(laterNative, W, [() => { if (q.op === op) { q.mute++; q.op = 0; end(op); } }, replyHold]);
}
function replying(name, events) {
  patchNew(name, (target, args, nt) => {
    const x = construct(target, args, nt), q = { cause: null, until: 0, op: 0, mute: 0 };
    asked.set(x, q);
    question(x); // one that an action makes answers by opening
    const answer = () => {
      if (q.cause && now() < q.until) { enter(q.cause); q.mute = 0; }
      end(q.op);
      q.op = 0;
    };
    for (let i = 0; i < events.length; i++) apply(listen, x, [events[i], answer]);
    return x;
  });
}
replying('WebSocket', ['open', 'message', 'error', 'close']);
replying('Worker', ['message', 'error']);
if (W.WebSocket) patch(WebSocket.prototype, 'send', (target, self, args) => {
  question(self);
  return apply(target, self, args);
});
if (W.Worker) patch(Worker.prototype, 'postMessage', (target, self, args) => {
  handedOn(args[1]);
  question(self);
  return apply(target, self, args);
});

// An object made by a call, or reading since one, fires events later: our listener is the first.
function firing(x, c, events, op) {
  if (!c || !x) { end(op); return x; }
  try {
    for (let i = 0; i < events.length; i++) apply(listen, x, [events[i], () => { enter(c); end(op); }]);
  } catch (e) { end(op); }
  return x;
}
const requested = (target, self, args) => {
  const c = follow(null, false), op = begin('storage', c, now() + replyHold);
  if (op) apply(laterNative, W, [() => end(op), replyHold]);
  try {
    return firing(apply(target, self, args), c, ['success', 'error'], op);
  } catch (e) { end(op); throw e; }
};
for (const name of ['add', 'put', 'get', 'getAll', 'getKey', 'getAllKeys', 'count', 'delete', 'clear',
  'openCursor', 'openKeyCursor']) {
  if (W.IDBObjectStore) patch(IDBObjectStore.prototype, name, requested);
  if (W.IDBIndex) patch(IDBIndex.prototype, name, requested);
}
if (W.IDBFactory) for (const name of ['open', 'deleteDatabase']) patch(IDBFactory.prototype, name, requested);
if (W.IDBDatabase) patch(IDBDatabase.prototype, 'transaction', (target, self, args) =>
  firing(apply(target, self, args), follow(null, false), ['complete', 'error', 'abort'], 0));

const readers = weak();
patchNew('FileReader', (target, args, nt) => {
  const x = construct(target, args, nt), r = { cause: null, op: 0 };
  readers.set(x, r);
  for (const name of ['load', 'error', 'loadend'])
    apply(listen, x, [name, () => { enter(r.cause); end(r.op); }]);
  return x;
});
for (const name of ['readAsText', 'readAsDataURL', 'readAsArrayBuffer', 'readAsBinaryString']) {
  if (W.FileReader) patch(FileReader.prototype, name, (target, self, args) => {
    const r = readers.get(self);
    if (r) { r.cause = follow(null, false); r.op = begin('fetch', r.cause, 0); }
    return apply(target, self, args);
  });
}
// A picture that is loaded before it is shown is waited for where the page does: most are counters.
const onload = getter(HTMLElement.prototype, 'onload');
patchNew('Image', (target, args, nt) => {
  const x = construct(target, args, nt), c = follow(null, false);
  return firing(x, c, ['load', 'error'], begin('image', c, 0, () => !!onload(x)));
});

// What is animated, or shown in place of what was there, goes on by events and promises.
patch(Element.prototype, 'animate', (target, self, args) => {
  const a = apply(target, self, args), c = follow(null, false);
  if (attribution() === '0') { point(self); return a; }
  firing(a, c, ['finish', 'cancel'], 0);
  if (c) settleWith(finishedOf(a), c, 0, null);
  return a;
});
const finishedOf = getter(W.Animation && Animation.prototype, 'finished');
patch(Document.prototype, 'startViewTransition', (target, self, args) => {
  const c = follow(null, false), options = args[0] && typeof args[0] === 'object' ? args[0] : null;
  const fn = options ? options.update : args[0];
  if (!c || typeof fn !== 'function') return apply(target, self, args);
  const change = function () { enter(c); return apply(fn, this, arguments); };
  if (options) options.update = change; else args[0] = change;
  const t = apply(target, self, args);
  settleWith(overOf(t), c, begin('transition', c, 0), null);
  return t;
});
const overOf = getter(W.ViewTransition && ViewTransition.prototype, 'finished');

// Layout changes when an action has scrolled or changed the page, and its observers hear of that
// one or two frames later (layoutLag is 150 ms).
const layoutLag = CAP / 10;
for (const name of ['IntersectionObserver', 'ResizeObserver']) {
  patchNew(name, (target, args, nt) => {
    const fn = args[0];
    if (typeof fn === 'function') args[0] = function () {
      if (!cur && epoch && now() - acted < layoutLag)
        enter({ epoch, load: false, depth: 1, fn: null, since: 0, recurring: false });
      return apply(fn, this, arguments);
    };
    return construct(target, args, nt);
  });
}

// Scripts that scroll by themselves (a carousel) leave no mutation behind.
const scrolled = (el) => { if (attribution() === '0') point(el); };
for (const name of ['scrollTop', 'scrollLeft']) {
  const d = ownDesc(Element.prototype, name);
  if (d && d.set && d.configurable) {
    d.set = new ProxyOf(d.set, { __proto__: null, apply: (target, self, args) => {
      scrolled(self);
      return apply(target, self, args);
    } });
    defineProperty(Element.prototype, name, d);
  }
}
for (const name of ['scroll', 'scrollTo', 'scrollBy', 'scrollIntoView']) {
  patch(Element.prototype, name, (target, self, args) => {
    scrolled(self);
    return apply(target, self, args);
  });
}
