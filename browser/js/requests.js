// requests.js: fetch and XMLHttpRequest, what they wrote to the server, and other calls that answer
// with a promise.

// promised follows a call that answers with a promise: our reaction is the
// first on it, so the page's continuation finds the cause set.
function promised(kind) {
  return (target, self, args) => {
    const c = follow(null, false);
    if (!c) return apply(target, self, args);
    return settleWith(apply(target, self, args), c, begin(kind, c, 0), null);
  };
}
function settleWith(p, c, op, write, asks) {
  try {
    apply(then, p, [
      (v) => { if (write || asks) replied(write, asks, +statusOf(v) || 0); enter(c); end(op); },
      () => { enter(c); end(op); },
    ]);
  } catch (e) { end(op); }
  return p;
}

// A write is a request that may change the server: {method, url, status}. One that is to outlive
// its page (keepalive) is a beacon and no write.
let writes = null, lastWrite = null, writeCount = 0;
function sameSite(host, base) {
  const here = location.hostname || hostOf(new URLOf(base)); // a document of its parent's making has no host
  return host === here || endsWith(host, '.' + here) || endsWith(here, '.' + host);
}
// answers counts the requests that the last action caused and that this site answered well.
let answers = 0;
function expects(c, url) {
  if (!c || c.load || c.recurring || !epoch || c.epoch !== epoch) return null;
  try {
    const base = baseOf(docOf(W));
    return sameSite(hostOf(new URLOf(url, base)), base) ? { epoch } : null;
  } catch (e) { return null; }
}
function replied(write, asks, status) {
  if (write) write.status = status;
  if (asks && asks.epoch === epoch && status >= 200 && status < 400) answers++;
}
let pollCount = 0;
const polls = map(); // endpoints to which the page writes by itself
function noteWrite(c, method, url, beacon) {
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return null;
  let u, same = false;
  try {
    const base = baseOf(docOf(W));
    u = new URLOf(url, base);
    same = sameSite(hostOf(u), base);
  } catch (e) { return null; }
  if (!same) return null;
  if (beacon || !c || c.load || c.epoch !== epoch || !epoch) {
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
  let write = null, asks = null;
  try {
    const input = args[0], init = args[1],
      isRequest = RequestOf && typeof input === 'object' && requestish(input);
    const method = init && init.method !== undefined ? '' + init.method
      : isRequest ? requestMethod(input) : 'GET';
    const beacon = init && init.keepalive !== undefined ? !!init.keepalive : isRequest && keptAlive(input);
    const url = isRequest ? requestURL(input) : '' + input;
    write = noteWrite(c, upper(method), url, beacon);
    asks = expects(c, url);
  } catch (e) { /* the page's own mistake; fetch itself will say so */ }
  if (!c) return apply(target, self, args);
  return settleWith(apply(target, self, args), c, begin('fetch', c, 0), write, asks);
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
    if (name !== 'constructor' && typeof name === 'string')
      patch(SubtleCrypto.prototype, name, promised('timer'));
  }
}

const requests = weak();
patchNew('XMLHttpRequest', (target, args, nt) => {
  const x = construct(target, args, nt),
    r = { method: 'GET', url: '', sent: false, cause: null, op: 0, write: null, asks: null };
  requests.set(x, r);
  const seen = () => {
    if (r.sent) enter(r.cause); // open() fires an event as well, within its caller's task
  };
  const done = () => {
    seen();
    replied(r.write, r.asks, +xhrStatus(x) || 0);
    r.asks = null;
    end(r.op);
    r.op = 0;
  };
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
    r.write = noteWrite(c, upper(r.method), r.url, false);
    r.asks = expects(c, r.url);
    r.op = begin('xhr', c, 0);
  }
  try { return apply(target, self, args); } catch (e) { if (r) { end(r.op); r.op = 0; } throw e; }
});
