tasks['click-test'] = () => press(called('Click Me!', 'button'));
tasks['click-button'] = (goal) => press(called(quoted(goal), 'button'));
tasks['enter-text'] = (goal) => form([[one('#tt'), quoted(goal)]], called('Submit', 'button'));
tasks['login-user'] = (goal) =>
  form([[one('#username'), quoted(goal)], [one('#password'), quoted(goal, 1)]], called('Login', 'button'));
tasks['enter-date'] = (goal) => {
  const [, month, day, year] = /(\d\d)\/(\d\d)\/(\d{4})/.exec(goal);
  return form([[one('#tt'), `${year}-${month}-${day}`]], called('Submit', 'button'));
};
