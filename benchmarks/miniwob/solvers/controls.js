// Controls on which one repeats what one did.

tasks['use-spinner'] = (goal) => {
  const off = Number(/Select (-?\d+) with/.exec(goal)[1]) - Number(one('#spinner').value);
  if (off === 0) return press(submit());
  return off > 0 ? press(one('.ui-spinner-up'), 'one more') : press(one('.ui-spinner-down'), 'one less');
};

tasks['choose-date'] = (goal) =>
  dated(one('#datepicker'), /\d\d\/\d\d\/\d{4}/.exec(goal)[0]) || send(submit());

// Three results are shown at a time. What was found for other words counts for nothing; its results have no
// number.
tasks['search-engine'] = (goal) => {
  const place = Number(/the (\d)\w\w search result/.exec(goal)[1]) - 1, page = Math.floor(place / 3) + 1;
  const results = all('#page-content .search-title');
  if (one('#search-text').value !== quoted(goal)) return fill(one('#search-text'), quoted(goal));
  if (results.length === 0 || results[0].dataset.result === '-1') return press(one('#search'));
  if (Number(text(one('.page-item.active'))) === page)
    return press(results[place % 3], `press result ${place + 1}`);
  return press(called(String(page), '#pagination .page-item a'));
};

tasks['generate-number'] = (goal) => {
  const [, than, limit] = /(less|greater) than (\d+)/.exec(goal) || [];
  const shows = text(one('#display-number')), n = Number(shows);
  const right = than === 'less' ? n < Number(limit)
    : than === 'greater' ? n > Number(limit)
    : n % 2 === (/odd/.test(goal) ? 1 : 0);
  return press(one(/\d/.test(shows) && right ? '#submit' : '#generate'));
};

tasks['scroll-text-2'] = (goal) => {
  const area = one('#text-area');
  const rest = /to the top/.test(goal) ? -area.scrollTop
    : area.scrollHeight - area.clientHeight - area.scrollTop;
  // One goes on by less than what is shown, as one does who reads.
  const page = area.clientHeight * 0.9;
  return Math.abs(rest) < 1 ? press(submit())
    : scroll(area, Math.sign(rest) * Math.min(page, Math.abs(rest) + 10));
};

// The price moves on between the look and the press, by up to 1.5 ten times a second, a hundred times in all.
// So it has to be that much lower, until little time is left; and the further it is above, the longer one can
// wait.
tasks['stock-market'] = (goal) => {
  const limit = Number(/less than \$(\d+\.\d+)/.exec(goal)[1]),
    shows = document.querySelector('#stock-price').textContent;
  if (shows === '') return wait(100, 'wait for a price');
  const above = Number(shows.slice(1)) - limit, points = document.querySelectorAll('svg .plot-point').length;
  if (Number.isNaN(above)) return null; // the hundred are over
  if (above < (points < 85 ? -1.5 : -0.5)) return press(one('#buy'));
  return wait(Math.max(300, Math.round(150 * (above + 1.5))), 'wait for the price to fall');
};

// The files are listed, then one is removed. The page listens to keys and not to text.
tasks['terminal'] = (goal) => {
  const listener = document.querySelector('#terminal-target'),
    typed = document.querySelector('#active-input').textContent;
  if (document.activeElement !== listener) return press(one('#terminal'), 'press the terminal');
  const ending = /extension (\.[\w.]+)/.exec(goal)?.[1] || '';
  const lists = all('.terminal-line').filter((e) =>
    text(e.querySelector('.command')) === 'ls' && e.nextElementSibling);
  const files = lists.length > 0 ? text(lists[lists.length - 1].nextElementSibling).split(' ') : [];
  // The page looks for the ending where its letters come first: shark.sh ends with no .sh for it.
  const right = (name) => ending
    ? name.endsWith(ending) && name.indexOf(ending.slice(1)) === name.length - ending.length + 1
    : !name.includes('.');
  const file = files.find(right) || files.find((name) => name.endsWith(ending));
  const command = file ? 'rm ' + file : 'ls';
  if (!command.startsWith(typed))
    return key(Array.from(typed, () => 'BackSpace').join(' '), 'take back what was typed');
  if (typed === command) return key('Return');
  const rest = Array.from(command.slice(typed.length), (c) => c === ' ' ? 'space' : c).join(' ');
  return key(rest, 'type ' + command.slice(typed.length));
};
