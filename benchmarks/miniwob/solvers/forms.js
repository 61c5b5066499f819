// Forms of text fields.

tasks['enter-password'] = (goal) =>
  form([[one('#password'), quoted(goal)], [one('#verify'), quoted(goal)]], submit());
tasks['enter-text-2'] = (goal) => {
  const words = quoted(goal);
  return form([[one('#tt'), /all upper case/.test(goal) ? words.toUpperCase() : words.toLowerCase()]],
    submit());
};
tasks['enter-text-dynamic'] = (goal) => form([[one('#tt'), quoted(goal)]], submit());
tasks['enter-time'] = (goal) => {
  const [, hour, minute, half] = /(\d+):(\d\d)\s*([AP]M)/.exec(goal);
  const of24 = Number(hour) % 12 + (half === 'PM' ? 12 : 0);
  return form([[one('#tt'), String(of24).padStart(2, '0') + ':' + minute]], submit());
};

// A box that asks about something else may come up once a field gets the focus; its OK leaves the page.
tasks['login-user-popup'] = (goal) => press(one('#popup-cancel')) ||
  form([[one('#username'), quoted(goal)], [one('#password'), quoted(goal, 1)]], one('#subbtn'));

// The fields change their places and are told apart by the words beside them; what sends has many names.
function movie(goal) {
  const [, genre, director, year] = /Search for (.+) movies directed by (.+) from year (\d+)/.exec(goal);
  const beside = (e) => text(e) || beside(e.parentElement);
  const field = (name) => all('#area input').find((e) => name.test(beside(e.parentElement)));
  return form([[field(/genre/i), genre], [field(/director/i), director], [field(/year|date/i), year]],
    one('#area button, #area .final, #area .ui-submit'));
}
tasks['multi-layouts'] = movie;
tasks['multi-orderings'] = movie;

// One radio button, one of three text fields; the others stay empty.
tasks['form-sequence-2'] = (goal) => {
  const [, radio, field] = /the (\d)\w\w radio .* the (\d)\w\w textbox/.exec(goal).map(Number);
  const button = all('#area input[type=radio]')[radio - 1];
  if (!button.checked) return press(button, 'tick the radio button ' + radio);
  return form(all('#area input[type=text]').map((e, i) => [e, i === field - 1 ? quoted(goal) : '']),
    submit());
};
