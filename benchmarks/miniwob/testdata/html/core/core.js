// A core of our own that speaks the protocol of MiniWoB++ for the tests: what a driver may ask of a page, and no more.
var core = {EPISODE_MAX_TIME: 3600000, EP_TIMER: null, CD_TIMER: null, cover_div: null};
var WOB_REWARD_GLOBAL = 0, WOB_RAW_REWARD_GLOBAL = 0, WOB_REWARD_REASON = null;
var WOB_DONE_GLOBAL = false, WOB_EPISODE_ID = 0, WOB_TASK_READY = true;

// A seed of another type is another seed, even where it is written the same.
Math.seedrandom = function (seed) {
  var text = typeof seed + String(seed), state = 2166136261;
  for (var i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 16777619);
  Math.random = function () {
    state = (state + 0x6D2B79F5) | 0;
    var t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
};

core.sample = function (list) { return list[Math.floor(Math.random() * list.length)]; };

core.part = function (tag, id, text) {
  var e = document.createElement(tag);
  e.id = id;
  if (text) e.textContent = text;
  document.body.appendChild(e);
  return e;
};

core.canvasDrawClick = function (event) { event.target.dataset.drawn = 'yes'; };

core.startEpisode = function () {
  if (!document.getElementById('reward-display')) {
    core.part('canvas', 'click-canvas');
    core.part('div', 'reward-display').innerHTML = 'last <b id="reward-last">-</b> left <b id="timer-countdown">-</b>';
    document.body.addEventListener('click', core.canvasDrawClick);
  }
  if (!core.cover_div) {
    core.cover_div = core.part('div', 'sync-task-cover', 'START');
    core.cover_div.onclick = function () { core.startEpisodeReal(); };
  }
  core.cover_div.style.display = 'block';
};

core.startEpisodeReal = function () {
  document.getElementById('click-canvas').getContext('2d').clearRect(0, 0, 9, 9);
  genProblem();
  WOB_DONE_GLOBAL = false;
  WOB_REWARD_GLOBAL = WOB_RAW_REWARD_GLOBAL = 0;
  WOB_REWARD_REASON = null;
  core.cover_div.style.display = 'none';
  core.began = Date.now();
  core.clearTimer();
  core.CD_TIMER = setInterval(function () { document.getElementById('timer-countdown').textContent = Date.now() - core.began; }, 1000);
  clearTimeout(core.EP_TIMER);
  core.EP_TIMER = setTimeout(function () { core.endEpisode(-1, false, 'timed out'); }, core.EPISODE_MAX_TIME);
};

core.clearTimer = function () {
  clearInterval(core.CD_TIMER);
  document.getElementById('timer-countdown').textContent = '-';
};

core.endEpisode = function (reward, timed, reason) {
  if (core.EP_TIMER === null) return;
  clearTimeout(core.EP_TIMER);
  core.EP_TIMER = null;
  WOB_RAW_REWARD_GLOBAL = reward;
  WOB_REWARD_REASON = reason === undefined ? null : reason;
  WOB_REWARD_GLOBAL = timed ? reward * Math.max(0, 1 - (Date.now() - core.began) / core.EPISODE_MAX_TIME) : reward;
  WOB_DONE_GLOBAL = true;
  WOB_EPISODE_ID++;
  document.getElementById('reward-last').textContent = String(reward);
  core.clearTimer();
  core.startEpisode();
};

core.getUtterance = function () { return document.getElementById('query').textContent.replace(/\s+/g, ' ').trim(); };

window.onload = function () { core.startEpisode(); };
