// An editor whose text is selected and given styles by the buttons above it.

// The characters, each with its place and styles.
function letters(editor) {
  const out = [], walk = document.createTreeWalker(editor, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const styles = new Set();
    for (let e = node.parentElement; e && e !== editor; e = e.parentElement) {
      const style = {STRONG: 'bold', EM: 'italics', U: 'underlined'}[e.tagName];
      if (style) styles.add(style);
      if (e.style.color) styles.add(e.style.color);
    }
    for (let at = 0; at < node.length; at++) out.push({node, at, styles});
  }
  return out;
}

// The numbers of those that are selected. The editor keeps them while its colours are open, when the page
// shows nothing selected.
function selected(editor, chars) {
  const all = getSelection();
  if (!editor.contains(document.activeElement) || !all.rangeCount) return seen.selected || [];
  const range = all.getRangeAt(0);
  const within = (node, at) => range.intersectsNode(node) && range.comparePoint(node, at) === 0;
  return seen.selected = [...chars.keys()].filter((i) =>
    within(chars[i].node, chars[i].at) && within(chars[i].node, chars[i].at + 1));
}

// The box of a character.
function boxOf(c) {
  const range = document.createRange();
  range.setStart(c.node, c.at);
  range.setEnd(c.node, c.at + 1);
  return range.getBoundingClientRect();
}

// Selects characters that stand side by side: all of them by the keyboard, some with the mouse.
function selectLetters(editor, chars, some) {
  if (some.length === chars.length)
    return editor.contains(document.activeElement) ? key('Control+a') : press(editor, 'go to the text');
  const first = boxOf(some[0]), last = boxOf(some.at(-1));
  return drag({x: first.left + 0.5, y: first.top + first.height / 2},
    {x: last.right, y: last.top + last.height / 2}, 'select the text');
}

// The first of each shade that the editor offers; no colour is the first of all.
const shade = {red: '#e60000', orange: '#ff9900', yellow: '#ffff00',
  green: '#008a00', blue: '#0066cc', purple: '#9933ff'};
const rgb = (hex) => `rgb(${hex.match(/[^#]{2}/g).map((h) => parseInt(h, 16)).join(', ')})`;

// The first and the last of the characters that are not yet as they should be side by side, and the style
// that is to be put on or taken off there; null where all is well. A style that does not belong comes first.
function fault(chars, part, want) {
  const extra = (c) => [...c.styles].find((s) => s !== want || !part.includes(c));
  const from = chars.findIndex(extra);
  if (from >= 0) {
    const style = extra(chars[from]), end = chars.findIndex((c, i) => i > from && extra(c) !== style);
    return {from, to: (end < 0 ? chars.length : end) - 1, style, off: true};
  }
  return part.every((c) => c.styles.has(want)) ? null
    : {from: chars.indexOf(part[0]), to: chars.indexOf(part.at(-1)), style: want};
}

tasks['text-editor'] = (goal) => {
  const [, word, , style] = /(?:the text (\S+)|everything) the (style|color) (\w+)/.exec(goal);
  const editor = one('.ql-editor'), chars = letters(editor),
    whole = chars.map((c) => c.node.data[c.at]).join('');
  seen.text ||= whole;
  if (whole !== seen.text) return fill(editor, seen.text, 'put the text back');
  const begins = word ? ` ${whole} `.indexOf(` ${word} `) : 0;
  const wrong = fault(chars, word ? chars.slice(begins, begins + word.length) : chars,
    shade[style] ? rgb(shade[style]) : style);
  const colours = one('.ql-color .ql-picker-label'), open = one('.ql-color.ql-expanded');
  const now = selected(editor, chars);
  const ready = wrong && now[0] === wrong.from && now.at(-1) === wrong.to;
  const colour = wrong?.style.startsWith('rgb');
  if (open && !(ready && colour)) return press(colours, 'close the colours');
  if (!wrong) return press(one('#subbtn'));
  if (!ready) return selectLetters(editor, chars, chars.slice(wrong.from, wrong.to + 1));
  if (!colour) return press(
    one({bold: '.ql-bold', italics: '.ql-italic', underlined: '.ql-underline'}[wrong.style]), wrong.style);
  if (!open) return press(colours, 'open the colours');
  return press(
    one('.ql-color .ql-picker-item' + (wrong.off ? ':not([data-value])' : `[data-value="${shade[style]}"]`)),
    wrong.off ? 'no colour' : style);
};
