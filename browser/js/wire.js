// wire.js: what the isolated world asks and is told.

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
  apply(listen, root, ['submit', sent, true]);
  return root;
});
// That a form is sent is told in its own tree only, and the isolated world does not see into a closed one, or
// into one that is too new. Whether the page prevents it is known after the dispatch.
const prevented = getter(Event.prototype, 'defaultPrevented');
function sent(e) {
  const op = e.isTrusted ? begin('navigation', follow(null, false), now() + 100) : 0;
  if (op) apply(laterNative, W, [() => {
    if (prevented(e)) end(op); else apply(laterNative, W, [() => end(op), 100]);
  }, 0]);
}

// ---- the wire to the isolated world ----
let node = null;
const on = (type, fn) => apply(listen, node, [K + type, fn]);
function attribution() {
  const c = cur;
  if (!c) return epoch ? '4' : '0';
  if (c.load) return '0';
  if (c.epoch === epoch) return c.recurring ? '3' : '2'; // set off by the last action
  return c.recurring ? '0' : '1';    // by an earlier one
}
// point shows the isolated world an element of this document: only an event's target crosses over.
const FocusOf = FocusEvent, homeOf = getter(Node.prototype, 'ownerDocument');
function point(el) {
  if (node && homeOf(el) === homeOf(node))
    apply(dispatch, node, [new FocusOf(K + 'x', { __proto__: null, relatedTarget: el })]);
}
function report(e) {
  const deadline = +detailOf(e) || 0;
  let out = '';
  open.forEach((op) => {
    if (op.given || op.cause.epoch !== epoch || op.only && !op.only())
      return; // the load of a document counts until the first action
    if (op.kind !== 'timer' && op.due && op.due < now()) return;
    out += 'o\t' + op.kind + '\t' + (op.due ? op.due : 0) + '\t' + (op.due > deadline ? 1 : 0) + '\n';
  });
  for (let w = writes; w; w = w.next) out += 'w\t' + w.method + '\t' + w.url + '\t' + w.status + '\n';
  polls.forEach((v, key) => { out += 'p\t' + key + '\n'; });
  if (answers) out += 'r\t' + answers + '\n';
  tell('a', out);
}
apply(listen, docOf(W), [K, (e) => {
  if (node) return;
  node = relatedOf(e);
  on('b', () => { epoch++; cur = null; writes = lastWrite = null; writeCount = answers = 0; });
  on('c', () => enter({ epoch, load: false, depth: 0, fn: null, since: 0, recurring: false }));
  on('?', () => tell('a', attribution()));
  on('q', report);
  on('w', (ev) => { watched = detailOf(ev) === '1'; });
  on('g', () => open.forEach((op) => { op.given = true; })); // capped once is waited for no more
}]);
