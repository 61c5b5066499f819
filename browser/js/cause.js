// cause.js runs in the page's own world, before any script of the page. It
// knows which callback runs because of which input ("cause") and what such
// callbacks have left open: timers, requests, messages. It reads nothing of
// the page; probing is done in an isolated world, where the page's overwritten
// prototypes do not exist. The two talk by events on a node that is in no
// document and that the page cannot reach.
//
// Everything the page could replace is captured first. Each patched function
// is a Proxy, so it prints, names and measures itself like the native one.
// Arrays are never pushed to and no prototype method is looked up later: a
// setter on Array.prototype would run in the middle of us.
(function (K) {
'use strict';
const W = window;
const { apply, construct, getOwnPropertyDescriptor: ownDesc, defineProperty, ownKeys } = Reflect;
const ProxyOf = Proxy, EventOf = CustomEvent, URLOf = URL, RequestOf = W.Request;
const dispatch = EventTarget.prototype.dispatchEvent;
const listen = EventTarget.prototype.addEventListener;
const then = Promise.prototype.then;
const now = performance.now.bind(performance);
const upper = Function.prototype.call.bind(String.prototype.toUpperCase);
const endsWith = Function.prototype.call.bind(String.prototype.endsWith);
const getter = (proto, name) => {
  const d = proto && ownDesc(proto, name);
  return d && d.get ? (o) => apply(d.get, o, []) : () => undefined;
};
const detailOf = getter(CustomEvent.prototype, 'detail');
const relatedOf = getter(FocusEvent.prototype, 'relatedTarget');
const sourceOf = getter(MessageEvent.prototype, 'source');
const statusOf = getter(W.Response && Response.prototype, 'status');
const xhrStatus = getter(XMLHttpRequest.prototype, 'status');
const xhrState = getter(XMLHttpRequest.prototype, 'readyState');
const requestURL = getter(RequestOf && RequestOf.prototype, 'url');
const requestMethod = getter(RequestOf && RequestOf.prototype, 'method');
const baseOf = getter(Node.prototype, 'baseURI');
const hrefOf = getter(URL.prototype, 'href');
const hostOf = getter(URL.prototype, 'hostname');
const stateOf = getter(Document.prototype, 'readyState');
const docOf = getter(W, 'document');
const laterNative = W.setTimeout;

// own gives a collection its methods as its own properties.
const own = (c, ...names) => {
  for (let i = 0; i < names.length; i++) defineProperty(c, names[i], { __proto__: null, value: c[names[i]], writable: false });
  return c;
};
const map = () => own(new Map(), 'get', 'set', 'delete', 'forEach');
const weak = () => own(new WeakMap(), 'get', 'set', 'has');

// ---- causes ----
// A cause is {epoch, load, depth, fn, since, recurring}: which action started
// it (load: the document itself), how many callbacks lie between, the callback
// that is running and since when it calls itself.
let epoch = 0;        // number of the last acting action
let cur = null;       // cause of the code that runs now; null is ambient
let loading = true;   // until the document's load event
const LOAD = { epoch: 0, load: true, depth: 0, fn: null, since: 0, recurring: false };

// A message posted from the task that set the cause arrives in a later one:
// the microtasks in between still belong to the cause, what follows does not.
const channel = new MessageChannel();
const wire = channel.port2, post = MessagePort.prototype.postMessage;
let resetting = false;
apply(listen, channel.port1, ['message', () => { resetting = false; cur = null; }]);
channel.port1.start();
function enter(c) {
  cur = c;
  if (c && !resetting) { resetting = true; apply(post, wire, [0]); }
}
function current() {
  if (cur) return cur;
  if (!loading) return null;
  if (stateOf(docOf(W)) === 'complete') { loading = false; return null; }
  return LOAD;
}
// A timer that sets itself again, or the tenth in a row, is a poll or a ticker.
function follow(fn, frame) {
  const base = current();
  if (!base) return null;
  const self = !!fn && base.fn === fn, t = now();
  const since = self ? base.since : t;
  return {
    epoch: base.epoch, load: base.load, depth: base.depth + 1, fn, since,
    recurring: base.recurring || (frame ? self && t - since > 500 : self || base.depth > 10),
  };
}

// ---- what is open ----
let nextOp = 0;
const open = map();
let watched = false;
// due is when a timer fires, or until when the operation is waited for at all.
function begin(kind, c, due) {
  if (!c || c.recurring || (c.load && kind !== 'fetch' && kind !== 'xhr')) return 0;
  nextOp++;
  open.set(nextOp, { kind, cause: c, due, given: false });
  return nextOp;
}
function end(op) {
  if (!op) return;
  open.delete(op);
  if (watched) tell('n', '');
}
function tell(type, detail) {
  if (node) apply(dispatch, node, [new EventOf(K + type, { __proto__: null, detail })]);
}

function patch(obj, name, trap) {
  const d = obj && ownDesc(obj, name);
  if (!d || typeof d.value !== 'function' || !d.configurable && !d.writable) return;
  d.value = new ProxyOf(d.value, { __proto__: null, apply: trap });
  defineProperty(obj, name, d);
}
function patchNew(name, trap) {
  const d = ownDesc(W, name);
  if (!d || typeof d.value !== 'function') return;
  const proto = d.value.prototype;
  d.value = new ProxyOf(d.value, { __proto__: null, construct: trap });
  defineProperty(W, name, d);
  defineProperty(proto, 'constructor', { value: d.value, writable: true, configurable: true, enumerable: false });
}

// ---- timers ----
const timers = map();
function once(fn, c, op, id) {
  return function () {
    if (id.n) timers.delete(id.n);
    enter(c); // before end: whoever is woken must find the cause
    end(op);
    return apply(fn, this, arguments);
  };
}
const number = (v) => { const n = typeof v === 'number' ? v : +v; return n > 0 ? n : 0; };
patch(W, 'setTimeout', (target, self, args) => {
  const fn = args[0];
  if (typeof fn !== 'function') return apply(target, self, args);
  const c = follow(fn, false), id = { n: 0 };
  let ms = 0;
  if (args.length > 1) { ms = number(args[1]); args[1] = ms; }
  const op = begin('timer', c, now() + ms);
  args[0] = once(fn, c, op, id);
  const n = apply(target, self, args);
  if (op) { id.n = n; timers.set(n, op); }
  return n;
});
patch(W, 'setInterval', (target, self, args) => {
  const fn = args[0];
  if (typeof fn !== 'function') return apply(target, self, args);
  let c = follow(fn, false), first = true;
  const op = begin('timer', c, now() + number(args[1]));
  args[0] = function () {
    enter(c);
    if (first) { first = false; end(op); } else if (c && !c.recurring) {
      c = { epoch: c.epoch, load: c.load, depth: c.depth, fn, since: c.since, recurring: true };
      enter(c);
    }
    return apply(fn, this, arguments);
  };
  const n = apply(target, self, args);
  if (op) timers.set(n, op);
  return n;
});
const clear = (target, self, args) => {
  const op = timers.get(args[0]);
  if (op) { timers.delete(args[0]); end(op); }
  return apply(target, self, args);
};
patch(W, 'clearTimeout', clear);
patch(W, 'clearInterval', clear);

// callbacks patches a function that takes one callback and answers with a number for cancelling it.
function callbacks(name, cancel, kind) {
  const waiting = map();
  patch(W, name, (target, self, args) => {
    const fn = args[0];
    if (typeof fn !== 'function') return apply(target, self, args);
    const c = follow(fn, kind === 'frame'), op = begin(kind, c, 0);
    let n = 0;
    args[0] = function () { waiting.delete(n); enter(c); end(op); return apply(fn, this, arguments); };
    n = apply(target, self, args);
    if (op) waiting.set(n, op);
    return n;
  });
  patch(W, cancel, (target, self, args) => {
    const op = waiting.get(args[0]);
    if (op) { waiting.delete(args[0]); end(op); }
    return apply(target, self, args);
  });
}
callbacks('requestAnimationFrame', 'cancelAnimationFrame', 'frame');
callbacks('requestIdleCallback', 'cancelIdleCallback', 'timer');

// ---- messages to oneself (schedulers of frameworks use them as timers) ----
// A busy browser delivers them late; what is not there after messageLife never comes.
const messageLife = 1400;
const queues = weak(), arrivals = weak();
const queue = () => ({ head: null, tail: null, gone: false });
function send(q) {
  const c = follow(null, false);
  if (q.gone || !c && !q.head) return; // an ambient message counts only behind causal ones
  const item = { cause: c, op: begin('timer', c, now()), ttl: now() + messageLife, next: null };
  if (q.tail) q.tail.next = item; else q.head = item;
  q.tail = item;
}
function received(q) {
  while (q.head && q.head.ttl < now()) { end(q.head.op); q.head = q.head.next; }
  const item = q.head;
  if (!item) { q.tail = null; cur = null; return; }
  q.head = item.next;
  if (!q.head) q.tail = null;
  enter(item.cause);
  end(item.op);
}
patchNew('MessageChannel', (target, args, nt) => {
  const ch = construct(target, args, nt);
  const a = queue(), b = queue(), p1 = port1(ch), p2 = port2(ch);
  queues.set(p1, b); queues.set(p2, a); // what is posted on one arrives at the other
  arrivals.set(p1, a); arrivals.set(p2, b);
  apply(listen, p1, ['message', () => received(a)]);
  apply(listen, p2, ['message', () => received(b)]);
  return ch;
});
const port1 = getter(channel.constructor.prototype, 'port1'), port2 = getter(channel.constructor.prototype, 'port2');
// A port that was handed on receives its messages elsewhere.
function handedOn(list) {
  if (list && typeof list === 'object' && !list.length && list.transfer) list = list.transfer;
  for (let i = 0; list && i < list.length && i < 100; i++) {
    const q = typeof list[i] === 'object' && list[i] ? arrivals.get(list[i]) : null;
    if (q) q.gone = true;
  }
}
patch(MessagePort.prototype, 'postMessage', (target, self, args) => {
  const q = queues.get(self);
  handedOn(args[1]);
  if (q) send(q);
  return apply(target, self, args);
});
const windowQueue = queue();
patch(W, 'postMessage', (target, self, args) => {
  handedOn(args[2] || args[1]);
  if (self === W || self === undefined) send(windowQueue);
  return apply(target, self, args);
});
if (W.Worker) patch(Worker.prototype, 'postMessage', (target, self, args) => { handedOn(args[1]); return apply(target, self, args); });
apply(listen, W, ['message', (e) => { if (sourceOf(e) === W && windowQueue.head) received(windowQueue); }, true]);
if (W.Scheduler) {
  patch(Scheduler.prototype, 'postTask', (target, self, args) => {
    const fn = args[0];
    if (typeof fn !== 'function') return apply(target, self, args);
    const c = follow(fn, false), op = begin('timer', c, now() + number(args[1] && args[1].delay));
    args[0] = function () { enter(c); end(op); return apply(fn, this, arguments); };
    return apply(target, self, args);
  });
  patch(Scheduler.prototype, 'yield', promised('timer'));
}

// ---- requests ----
// promised follows a call that answers with a promise: our reaction is the
// first on it, so the page's continuation finds the cause set.
function promised(kind) {
  return (target, self, args) => {
    const c = follow(null, false);
    if (!c) return apply(target, self, args);
    return settleWith(apply(target, self, args), c, begin(kind, c, 0), null);
  };
}
function settleWith(p, c, op, write) {
  try {
    apply(then, p, [
      (v) => { if (write) { write.status = +statusOf(v) || 0; } enter(c); end(op); },
      () => { enter(c); end(op); },
    ]);
  } catch (e) { end(op); }
  return p;
}

// A write is a request that may change the server: {method, url, status}.
let writes = null, lastWrite = null, writeCount = 0;
function sameSite(host) {
  const here = location.hostname;
  return host === here || endsWith(host, '.' + here) || endsWith(here, '.' + host);
}
let pollCount = 0;
const polls = map(); // endpoints to which the page writes by itself
function noteWrite(c, method, url) {
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return null;
  let u;
  try { u = new URLOf(url, baseOf(docOf(W))); } catch (e) { return null; }
  if (!sameSite(hostOf(u))) return null;
  if (!c || c.load || c.epoch !== epoch || !epoch) {
    if (pollCount++ < 50) polls.set(method + '\t' + hrefOf(u), true);
    return null;
  }
  if (writeCount > 200) return null;
  const w = { method, url: hrefOf(u), status: 0, next: null };
  if (lastWrite) lastWrite.next = w; else writes = w;
  lastWrite = w;
  writeCount++;
  return w;
}
patch(W, 'fetch', (target, self, args) => {
  const c = follow(null, false);
  let write = null;
  try {
    const input = args[0], init = args[1], isRequest = RequestOf && typeof input === 'object' && requestish(input);
    const method = init && init.method !== undefined ? '' + init.method : isRequest ? requestMethod(input) : 'GET';
    write = noteWrite(c, upper(method), isRequest ? requestURL(input) : '' + input);
  } catch (e) { /* the page's own mistake; fetch itself will say so */ }
  if (!c) return apply(target, self, args);
  return settleWith(apply(target, self, args), c, begin('fetch', c, 0), write);
});
function requestish(v) { try { requestURL(v); return true; } catch (e) { return false; } }
for (const owner of [W.Response, W.Request, W.Blob]) {
  for (const name of ['arrayBuffer', 'blob', 'bytes', 'formData', 'json', 'text']) {
    if (owner) patch(owner.prototype, name, promised('fetch'));
  }
}
if (W.ReadableStreamDefaultReader) patch(ReadableStreamDefaultReader.prototype, 'read', promised('fetch'));
if (W.SubtleCrypto) {
  for (const name of ownKeys(SubtleCrypto.prototype)) {
    if (name !== 'constructor' && typeof name === 'string') patch(SubtleCrypto.prototype, name, promised('timer'));
  }
}

const requests = weak();
patchNew('XMLHttpRequest', (target, args, nt) => {
  const x = construct(target, args, nt), r = { method: 'GET', url: '', sent: false, cause: null, op: 0, write: null };
  requests.set(x, r);
  const seen = () => { if (r.sent) enter(r.cause); }; // open() fires an event as well, within its caller's task
  const done = () => { seen(); if (r.write) r.write.status = +xhrStatus(x) || 0; end(r.op); r.op = 0; };
  apply(listen, x, ['readystatechange', () => { if (xhrState(x) === 4) done(); else seen(); }]);
  for (const name of ['load', 'error', 'abort', 'timeout', 'loadend']) apply(listen, x, [name, done]);
  return x;
});
patch(XMLHttpRequest.prototype, 'open', (target, self, args) => {
  const r = requests.get(self);
  if (r) { r.sent = false; r.method = '' + args[0]; r.url = '' + args[1]; }
  return apply(target, self, args);
});
patch(XMLHttpRequest.prototype, 'send', (target, self, args) => {
  const r = requests.get(self), c = r && follow(null, false);
  if (r) {
    r.cause = c;
    r.sent = true;
    r.write = noteWrite(c, upper(r.method), r.url);
    r.op = begin('xhr', c, 0);
  }
  try { return apply(target, self, args); } catch (e) { if (r) { end(r.op); r.op = 0; } throw e; }
});

// ---- what only the isolated world can see ----
// form.submit() fires no event; its navigation follows in a task of its own.
patch(HTMLFormElement.prototype, 'submit', (target, self, args) => {
  const c = follow(null, false), op = begin('navigation', c, now() + 100);
  if (op) apply(laterNative, W, [() => end(op), 100]);
  return apply(target, self, args);
});
patch(Element.prototype, 'attachShadow', (target, self, args) => {
  const root = apply(target, self, args);
  tell('s', '');
  return root;
});

// ---- the wire to the isolated world ----
let node = null;
const on = (type, fn) => apply(listen, node, [K + type, fn]);
function attribution() {
  const c = cur;
  if (!c || c.load) return '0';
  if (c.epoch === epoch) return c.recurring ? '3' : '2'; // set off by the last action
  return c.recurring ? '0' : '1';    // by an earlier one
}
function report(e) {
  const deadline = +detailOf(e) || 0;
  let out = '';
  open.forEach((op) => {
    if (op.given || op.cause.epoch !== epoch) return; // the load of a document counts until the first action
    if (op.kind !== 'timer' && op.due && op.due < now()) return;
    out += 'o\t' + op.kind + '\t' + (op.due ? op.due : 0) + '\t' + (op.due > deadline ? 1 : 0) + '\n';
  });
  for (let w = writes; w; w = w.next) out += 'w\t' + w.method + '\t' + w.url + '\t' + w.status + '\n';
  polls.forEach((v, key) => { out += 'p\t' + key + '\n'; });
  tell('a', out);
}
apply(listen, docOf(W), [K, (e) => {
  if (node) return;
  node = relatedOf(e);
  on('b', () => { epoch++; cur = null; writes = lastWrite = null; writeCount = 0; });
  on('c', () => enter({ epoch, load: false, depth: 0, fn: null, since: 0, recurring: false }));
  on('?', () => tell('a', attribution()));
  on('q', report);
  on('w', (ev) => { watched = detailOf(ev) === '1'; });
  on('g', () => open.forEach((op) => { op.given = true; })); // capped once is waited for no more
}]);
})
