// What is hidden behind something: under headers, tabs, menus, a pie and the folders of a tree.

// A press on the link of that name, or on what opens the panel that it is in.
function behind(name, panel, opener) {
  const links = Array.from(document.querySelectorAll('.alink')).filter((e) => text(e) === name);
  const open = links.find(shown);
  if (all(panel).some((e) => e.style.overflow === 'hidden')) return wait(300, 'until nothing moves any more');
  return open ? press(open) : links.length ? press(opener(links[0].closest(panel))) : null;
}
const header = (panel) => panel.previousElementSibling;
const tab = (panel) => one(`a[href="#${panel.id}"]`);
tasks['click-collapsible-2'] = (goal) => behind(quoted(goal), '.ui-accordion-content', header);
tasks['click-tab-2'] = (goal) => behind(quoted(goal), '.ui-tabs-panel', tab);
tasks['click-tab-2-hard'] = tasks['click-tab-2'];

// Down a menu whose parts open, after a moment, while the mouse is on them: a press there would choose them.
function descend(path) {
  const label = (item) => item.querySelector(':scope > div');
  const at = path.findLast(shown);
  if (!at) return null;
  if (at === path.at(-1)) return press(label(at));
  if (!label(at).matches(':hover')) return hover(label(at));
  if (label(at).matches('.ui-state-active')) return wait(400, 'until ' + text(label(at)) + ' opens');
  return {kind: 'hover', point: {x: 300, y: 200}, why: 'leave the menu, to come back to ' + text(label(at))};
}
const items = () => Array.from(document.querySelectorAll('#menu li'));
tasks['click-menu'] = (goal) => {
  const path = goal.replace(/^Select /, '').split('>')
    .map((name) => items().find((li) => text(li.firstElementChild) === name));
  return path.every(Boolean) ? descend(path) : null;
};
tasks['click-menu-2'] = (goal) => {
  if (!one('#menu')) return press(one('#open-menu'));
  const name = quoted(goal, 1);
  const item = items().find((li) =>
    !li.querySelector('ul') && (text(li) === name || li.querySelector('.' + CSS.escape(name))));
  const above = item?.parentElement.closest('li');
  return item ? descend(above ? [above, item] : [item]) : null;
};

// A pie grows out of its middle, and its names with it.
tasks['click-pie'] = (goal) => {
  const named = (part) => all(`#divWheel text[id*="-${part}"]`);
  const slice = named('title-').find((e) => text(e) === quoted(goal));
  if (slice && slice.getBoundingClientRect().height > 15) return press(slice);
  const middle = named('spreadertitle')[0];
  return middle && text(middle) === '-' ? wait(500, 'until the pie is open') : press(middle, 'open the pie');
};

tasks['navigate-tree'] = (goal) => {
  const named = Array.from(document.querySelectorAll('#tree span')).filter((e) => text(e) === quoted(goal));
  const there = named.find(shown);
  if (there || !named.length) return press(there);
  let folder = named[0].closest('li');
  while (folder && !shown(folder)) folder = folder.parentElement.closest('li');
  return folder && press(folder.querySelector('span'), 'open ' + text(folder.querySelector('span')));
};
