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
//
// The files of this world are joined into one function of K, the name of those events, and of CAP, how
// long at most what an action sets off is waited for, ms (1500 unless asked otherwise), and of VIEW, the
// size of the viewport.
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
const keptAlive = getter(RequestOf && RequestOf.prototype, 'keepalive');
const baseOf = getter(Node.prototype, 'baseURI');
const hrefOf = getter(URL.prototype, 'href');
const hostOf = getter(URL.prototype, 'hostname');
const docOf = getter(W, 'document');
const laterNative = W.setTimeout;

// own gives a collection its methods as its own properties.
const own = (c, ...names) => {
  for (let i = 0; i < names.length; i++)
    defineProperty(c, names[i], { __proto__: null, value: c[names[i]], writable: false });
  return c;
};
const map = () => own(new Map(), 'get', 'set', 'delete', 'forEach');
const weak = () => own(new WeakMap(), 'get', 'set', 'has');

// ---- causes ----
// A cause is {epoch, load, depth, fn, since, recurring}: which action started
// it (load: the document itself), how many callbacks lie between, the callback
// that is running and since when it calls itself.
let epoch = 0;        // number of the last acting action
let cur = null;       // cause of the code that runs now; null is not known
let acted = 0;        // when code of the last action ran last
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
  if (c && c.epoch === epoch && epoch && !c.recurring) acted = now();
  if (c && !resetting) { resetting = true; apply(post, wire, [0]); }
}
// Before anybody acts all that runs belongs to the load of the document.
const current = () => cur || (epoch ? null : LOAD);
// What is drawn frame by frame is waited for so long, whether it asks for frames or has an interval as short
// as one, as jQuery's animations do; what continues after that is no transition.
const drawnMS = 500, frameMS = 20;
// A timer that sets itself again, or the tenth in a row, is a poll or a ticker.
function follow(fn, frame) {
  const base = current();
  if (!base) return null;
  const self = !!fn && base.fn === fn, t = now();
  const since = self ? base.since : t;
  return {
    epoch: base.epoch, load: base.load, depth: base.depth + 1, fn, since,
    recurring: base.recurring || (frame ? self && t - since > drawnMS : self || base.depth > 10),
  };
}

// ---- what is open ----
let nextOp = 0;
const open = map();
let watched = false;
// due is when a timer fires, or until when the operation is waited for at all; only says whether it is.
function begin(kind, c, due, only) {
  if (!c || c.recurring || (c.load && kind !== 'fetch' && kind !== 'xhr')) return 0;
  nextOp++;
  open.set(nextOp, { kind, cause: c, due, only, given: false });
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
  defineProperty(proto, 'constructor',
    { value: d.value, writable: true, configurable: true, enumerable: false });
}

// ---- the window ----
// A window that nobody sees is smaller than its page (session.go). Pages are told a window as large
// as the viewport.
for (const [name, px] of [['outerWidth', VIEW[0]], ['outerHeight', VIEW[1]]]) {
  const d = ownDesc(W, name);
  if (!d || !d.get || !d.configurable) continue;
  d.get = new ProxyOf(d.get, { __proto__: null, apply: () => px });
  defineProperty(W, name, d);
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
  const ms = number(args[1]), began = now();
  let c = follow(fn, false), first = true;
  const op = begin('timer', c, began + ms);
  args[0] = function () {
    enter(c);
    if (op && ms <= frameMS && now() - began <= drawnMS) return apply(fn, this, arguments);
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
// A busy browser delivers them late; what is not there after messageLife (1.4 s) never comes.
const messageLife = 0.95 * CAP;
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
const port1 = getter(channel.constructor.prototype, 'port1'),
  port2 = getter(channel.constructor.prototype, 'port2');
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
apply(listen, W, ['message', (e) => {
  if (sourceOf(e) === W && windowQueue.head) received(windowQueue);
}, true]);
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
