// Mail: {task, by, message, to} is what is to be done with a mail of whom; task is reply, forward, delete or
// star.
function mail(want) {
  const from = (e) => text(e.querySelector('.email-sender, .reply-sender'));
  const email = document.querySelector('#email');
  const ours = email && from(email) === want.by;
  const reply = one('#reply'), forward = one('#forward');
  if (reply) {
    if (want.task !== 'reply' || !ours) return press(one('#close-reply'), 'leave the answer');
    return form([[one('#reply-text'), want.message]], one('#send-reply'));
  }
  if (forward) {
    if (want.task !== 'forward' || !ours) return press(one('#close-forward'), 'do not pass it on');
    return form(
      [[one('.forward-sender'), want.to], [one('#forward-text'), text(email.querySelector('.email-body'))]],
      one('#send-forward'));
  }
  const part = {reply: '.email-reply', forward: '.email-forward', delete: '.trash', star: '.star'}[want.task];
  if (one('#email')) return ours ? press(one('#email ' + part), want.task)
    : press(one('#close-email'), 'leave the mail of another');
  if (one('#search')) return press(one('#search-cancel'), 'leave the search');
  const thread = all('#main .email-thread').find((e) => from(e) === want.by);
  if (!thread) return null;
  const icon = one(part, thread);
  return icon ? press(icon, `${want.task} the mail of ${want.by}`)
    : press(one('.email-sender', thread), 'open the mail of ' + want.by);
}
tasks['email-inbox'] = (goal) => {
  const [, by, rest] = /email by (.+?) and (.*)$/.exec(goal) || [];
  if (!by) return null;
  if (/^reply/.test(rest)) return mail({task: 'reply', by, message: quoted(goal)});
  if (/^forward/.test(rest))
    return mail({task: 'forward', by, to: rest.replace(/^forward that email to /, '').replace(/\.$/, '')});
  return mail({task: /trash/.test(rest) ? 'delete' : 'star', by});
};
// People wrote these goals, and some say the two names the wrong way round. The page keeps what it means
// beside them.
tasks['email-inbox-nl-turk'] = () => mail(core.currentFields);
