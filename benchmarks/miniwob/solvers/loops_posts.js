// Posts by people who may have several, each with its buttons.
const user = (e) => text(e.closest('.media').querySelector('.username'));

tasks['social-media'] = (goal) => {
  const [, whose] = /user (\S+), click/.exec(goal);
  const post = all('.media').find((e) => user(e) === whose);
  if (!post) return null;
  const name = quoted(goal);
  const button = one({Reply: '.reply', Retweet: '.retweet', Like: '.like'}[name] || '.none', post);
  const menu = all('li', post).find((e) => text(e).startsWith(name));
  const target = button || menu || one('.more', post);
  const other = all('.media ul').find((e) => !post.contains(e)); // an open menu lies over what is below it
  if (other && !reach(target) && !hit(target, middle(target)))
    return press(one('.more', other.parentElement), 'close the menu');
  return press(target, `${target === button || target === menu ? name : 'more'} of ${whose}`);
};

// So many posts of the user are marked with the button, and nothing else is.
function markPosts(name, whose, count) {
  const kind = '.' + name.toLowerCase();
  const on = all('.media .active');
  const wrong = on.find((e) => !e.matches(kind) || user(e) !== whose);
  if (wrong) return press(wrong, 'take back what was not asked for');
  const mine = all('.media ' + kind).filter((e) => user(e) === whose);
  const marked = mine.filter((e) => on.includes(e));
  const many = Math.min(count, mine.length);
  if (marked.length > many) return press(marked.at(-1), 'take back one too many');
  const open = mine.filter((e) => !on.includes(e));
  if (marked.length < many) return press(open.find((e) => !reach(e)) || open[0], `${name} of ${whose}`);
  return press(called('Submit', 'button'));
}
tasks['social-media-all'] = (goal) => markPosts(quoted(goal), /posts by (\S+) and/.exec(goal)[1], Infinity);
tasks['social-media-some'] = (goal) => {
  const [, count, whose] = /on (\d+) posts? by (\S+) and/.exec(goal);
  return markPosts(quoted(goal), whose, Number(count));
};
