// handlers.js: which elements the page listens for presses on. The isolated world cannot see listeners.

const pressTypes = map();
for (const type of ['click', 'mousedown', 'mouseup', 'pointerdown', 'pointerup']) pressTypes.set(type, true);
const rootOf = Node.prototype.getRootNode, isElement = getter(Element.prototype, 'localName');
const hostOfTree = getter(W.ShadowRoot && ShadowRoot.prototype, 'host');
const maxListeners = 5000; // told of in one document: each costs some microseconds
let listeners = 0;
// listened shows el to the isolated world. An element in a shadow tree would arrive as its host, so it
// is left out.
function listened(el) {
  if (listeners >= maxListeners) return;
  try {
    if (!isElement(el) || homeOf(el) !== homeOf(node)) return;
    let host = null;
    try { host = hostOfTree(apply(rootOf, el, [])); } catch (e) { /* no shadow tree */ }
    if (host) return;
  } catch (e) { return; } // a window or another target that is no element
  listeners++;
  apply(dispatch, node, [new FocusOf(K + 'h', { __proto__: null, relatedTarget: el })]);
}
patch(EventTarget.prototype, 'addEventListener', (target, self, args) => {
  if (node && typeof args[0] === 'string' && args[1] && pressTypes.get(args[0])) listened(self);
  return apply(target, self, args);
});
for (const name of ['onclick', 'onmousedown', 'onpointerdown']) {
  const d = ownDesc(HTMLElement.prototype, name);
  if (!d || !d.set || !d.configurable) continue;
  d.set = new ProxyOf(d.set, { __proto__: null, apply: (target, self, args) => {
    if (node && args[0]) listened(self);
    return apply(target, self, args);
  } });
  defineProperty(HTMLElement.prototype, name, d);
}
