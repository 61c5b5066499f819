// Begins an episode as the pages want it and comes to its goal in words. OPTIONS stands for seed (a number:
// the same digits as text are another episode), limitMS (0 leaves the page's), bare and readyMS.
(async (o) => {
  'use strict';
  const page = globalThis;
  const wants = {
    core: 'object',
    WOB_DONE_GLOBAL: 'boolean',
    WOB_TASK_READY: 'boolean',
    WOB_RAW_REWARD_GLOBAL: 'number'
  };
  for (const [name, type] of Object.entries(wants)) {
    if (typeof page[name] !== type || page[name] === null)
      throw new Error('no page of MiniWoB++: ' + name + ' is not there');
  }
  if (typeof Math.seedrandom !== 'function')
    throw new Error('no page of MiniWoB++: Math.seedrandom is not there');
  if (typeof genProblem !== 'function') throw new Error('no page of MiniWoB++: genProblem is not there');

  Math.seedrandom(o.seed);
  if (o.limitMS > 0) core.EPISODE_MAX_TIME = o.limitMS;
  core.startEpisodeReal();
  const began = performance.now();
  while (!WOB_TASK_READY) {
    if (performance.now() - began > o.readyMS)
      throw new Error('the task was not ready within ' + o.readyMS + ' ms');
    await new Promise((go) => setTimeout(go, 5));
  }
  const said = core.getUtterance();
  let goal = typeof said === 'string' ? said : said && said.utterance;
  if (typeof goal !== 'string' || !goal.trim()) throw new Error('the task has no goal');

  const query = document.getElementById('query');
  const shown = query && pictured(query);
  if (shown) goal = shown;
  page[Symbol.for('cua-runner.episode')] = true;
  if (o.bare) undress();
  return {goal: goal};

  // The goal with what it shows instead of saying it, an icon or a colour, in words; '' where it says
  // everything.
  function pictured(query) {
    const plain = (node) => node.textContent.replace(/\s+/g, ' ').trim();
    let found = false;
    const words = Array.from(query.childNodes, (node) => {
      if (node.nodeType !== Node.ELEMENT_NODE || plain(node)) return plain(node);
      const icon = Array.from(node.classList).find((name) => name.startsWith('ui-icon-'));
      const colour = /^rgb\((\d+), (\d+), (\d+)\)$/.exec(node.style.backgroundColor);
      if (icon) return found = true, '"' + icon + '"';
      if (colour) return found = true,
        '#' + colour.slice(1).map((n) => Number(n).toString(16).padStart(2, '0')).join('');
      return '';
    });
    return found ? words.filter(Boolean).join(' ') : '';
  }

  // Takes off the page what is made for people. The page's own code writes to it when the episode ends, so it
  // is there for that moment.
  function undress() {
    const made = ['reward-display', 'click-canvas', 'sync-task-cover']
      .map((id) => document.getElementById(id)).filter(Boolean);
    const words = query ? Array.from(query.childNodes) : [];
    const off = () => {
      core.clearTimer();
      for (const e of made) e.remove();
      if (query) query.replaceChildren();
    };
    const on = () => {
      if (query) query.replaceChildren(...words);
      document.body.append(...made);
    };
    document.body.removeEventListener('click', core.canvasDrawClick);
    off();
    const end = core.endEpisode;
    core.endEpisode = function (...args) {
      on();
      try {
        return end.apply(this, args);
      } finally {
        off();
      }
    };
  }
})(OPTIONS)
