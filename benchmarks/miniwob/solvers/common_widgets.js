// The lists and calendars of jQuery UI, for the tasks that have them. Each function comes to the next action
// until its field holds what it should, null once it does.

// An item of the list that opens under a field when words are typed; fits says of a text whether it is a
// right one.
function suggested(field, words, fits) {
  const items = all('.ui-autocomplete .ui-menu-item');
  const focused = document.activeElement === field;
  if (focused && items.length > 0) {
    seen.suggested = (seen.suggested || []).concat(items.map(text));
    const item = items.find((e) => fits(text(e)));
    if (item) return press(item);
  }
  if (fits(field.value) && (seen.suggested || []).includes(field.value)) return null;
  // The list opens by itself a while after the typing, and at once with the arrow.
  return focused && field.value === words ? key('Down', 'open the list') : fill(field, words);
}

const months = ['January', 'February', 'March', 'April', 'May', 'June',
  'July', 'August', 'September', 'October', 'November', 'December'];

// A day of the calendar that opens when a field gets the focus. The day is written as the field shows it,
// MM/DD/YYYY.
function dated(field, date) {
  if (field.value === date) return null;
  const calendar = one('.ui-datepicker');
  // A field that has the focus already does not get it by a press.
  if (!calendar) return document.activeElement === field
    ? aside('leave the field, for its calendar to open again') : press(field, 'open the calendar');
  const [month, day, year] = date.split('/').map(Number);
  const shows = Number(text(one('.ui-datepicker-year', calendar))) * 12 +
    months.indexOf(text(one('.ui-datepicker-month', calendar)));
  const off = year * 12 + month - 1 - shows;
  if (off) return press(one(off < 0 ? '.ui-datepicker-prev' : '.ui-datepicker-next', calendar));
  return press(all('td a', calendar).find((e) => text(e) === String(day)), 'press the day ' + day);
}

// A press on what sends, once nothing lies over it. What lies there and fades is not there for long.
function send(button) {
  if (!button || reach(button) || bare(button)) return press(button);
  const {x, y} = spot(button);
  for (let over = document.elementFromPoint(x, y); over; over = over.parentElement) {
    if (Number(getComputedStyle(over).opacity) < 1)
      return wait(200, 'wait until what lies over the button is gone');
  }
  return aside('shut what lies over the button');
}
