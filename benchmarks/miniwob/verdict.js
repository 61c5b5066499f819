// How the episode stands: left is true where the page is no longer the one that was begun.
(() => {
  'use strict';
  if (!globalThis[Symbol.for('cua-runner.episode')]) return {left: true};
  const number = (x) => typeof x === 'number' && Number.isFinite(x) ? x : null;
  return {done: WOB_DONE_GLOBAL === true, raw: number(WOB_RAW_REWARD_GLOBAL),
    timed: number(WOB_REWARD_GLOBAL),
    reason: WOB_REWARD_REASON == null ? '' : String(WOB_REWARD_REASON).slice(0, 300)};
})()
