// Forms in which something is picked: boxes, lists, items, flights.

// What is asked for between Select and the button; nothing is no name.
const wanted = (goal) => /Select (.*) and click Submit/.exec(goal)[1].split(', ');
const tick = (box) => box && press(box, 'tick ' + text(box.parentElement));

function ticks(goal) {
  const names = wanted(goal);
  return tick(all('#area input[type=checkbox]').find((e) =>
    e.checked !== names.includes(text(e.parentElement)))) || press(submit());
}
for (const name of ['click-checkboxes', 'click-checkboxes-large', 'click-checkboxes-transfer'])
  tasks[name] = ticks;
tasks['click-option'] = (goal) => {
  const box = all('#area input[type=radio]').find((e) => text(e.parentElement) === wanted(goal)[0]);
  return box && (box.checked ? press(submit()) : tick(box));
};

tasks['choose-list'] = (goal) => {
  const list = one('#options'), [, name] = /Select (.*) from the list/.exec(goal);
  return list.selectedOptions[0]?.textContent === name ? press(submit()) : choose(list, name);
};

// A list made of other elements: it is opened, and shuts when an item is pressed.
tasks['form-sequence-3'] = (goal) => {
  const [, item] = /Choose (.*) from the dropdown/.exec(goal), list = one('.selectric');
  const open = one('.selectric-items');
  if (text(one('.label', list)) === item)
    return open ? press(list, 'shut the list') : press(called(quoted(goal), '#buttons button'));
  return open ? press(all('li', open).find((e) => text(e) === item)) : press(list, 'open the list');
};

function item(goal) {
  const [start, end] = [quoted(goal), quoted(goal, 1)];
  return suggested(one('#tags'), start, (name) => name.startsWith(start) && name.endsWith(end)) ||
    send(submit());
}
tasks['use-autocomplete'] = item;
tasks['use-autocomplete-nodelay'] = item;

function flight(goal) {
  const [, best, from, to, date] = /the (\w+) one-way flight from: (.+) to: (.+) on ([\d/]+)/.exec(goal);
  const [origin, destination, day] = ['#flight-from', '#flight-to', '#datepicker']
    .map((id) => document.querySelector(id));
  // A place is given as its city or as the code of its airport, and is entered with both.
  const fits = (place) => (name) => name === `${name.slice(0, -6)} (${place})` ||
    name.slice(0, -6) === place && /^ \(\w{3}\)$/.test(name.slice(-6));
  if (one('#results')) {
    if (!fits(from)(origin.value) || !fits(to)(destination.value) || day.value !== date)
      return press(one('#menu-back'));
    const worth = (e) =>
      Number(e.querySelector(best === 'cheapest' ? '.flight-price' : '.time-duration')
        .getAttribute(best === 'cheapest' ? 'data-price' : 'data-duration'));
    return press(one('.flight-price', all('.flight').sort((a, b) => worth(a) - worth(b))[0]));
  }
  return suggested(origin, from, fits(from)) ||
    suggested(destination, to, fits(to)) ||
    dated(day, date) ||
    send(one('#search'));
}
tasks['book-flight'] = flight;
tasks['book-flight-nodelay'] = flight;
