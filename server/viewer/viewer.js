// The viewer: it follows the events of one episode and shows them. Watching changes nothing.
import { call, events, get, login, now } from "./api.js";
import { control, enable } from "./controls.js";
import * as draw from "./draw.js";
import { list } from "./list.js";
import { mine } from "./takeover.js";
import * as words from "./words.js";

const $ = (id) => document.getElementById(id);
const { el } = draw;

const id = new URLSearchParams(location.search).get("id");
const path = "/v1/cua/" + encodeURIComponent(id ?? "");
const run = { path, header: null, start: null, steps: [], events: [], intent: null };
let status = null; // the last event status
let episode = null; // the last answer of GET
let picked = 0; // the number of the step that is looked at; 0 follows the newest
let read = 0; // the number of the last record
let watching = false;

const say = (text) => {
  $("notice").textContent = words.visible(text);
  $("notice").hidden = !text;
};

const newest = () => run.steps.length - 1;

/** at is the index of the step that is looked at; -1 is the start page. */
const at = () => (picked ? picked - 1 : newest());

const incidentAt = (n) =>
  (episode?.result?.incidents ?? []).find((i) => i.first_step <= n && n <= i.last_step);

const badge = () => {
  const e = episode;
  const r = e?.result;
  if (e?.state === "ended" && r)
    return r.success ? ["good", "Ended: success"] : ["bad", "Ended: " + r.termination_reason];
  return { queued: ["", "Queued"], running: ["", "Running"], paused: ["warn", "Paused"],
    interrupted: ["warn", "Interrupted"], ended: ["", "Ended"] }[e?.state] ?? ["", ""];
};

const setText = (e, said) => {
  const text = words.visible(said);
  if (e.textContent !== text) e.textContent = text; // a live region speaks only of what is new
};

const above = () => {
  const [cls, text] = badge();
  $("state").className = "badge " + cls;
  setText($("state"), text);
  const stage = episode?.state === "running" && status?.stage ? `step ${status.step}: ${status.stage}` : "";
  const queue = episode?.state === "queued" && status?.queue_position ? "place " + status.queue_position : "";
  const hands = episode?.controlled ? (mine() ? "You have the browser." : "A person has the browser.") : "";
  setText($("stage"), hands || stage || queue || (episode?.result?.answer ?? ""));
  draw.reach($("stage"));
  const r = episode?.result ?? {};
  const facts = [["steps", String(run.steps.length)], ["tokens", (r.tokens ?? 0).toLocaleString("en")],
    ["cost", r.cost_usd === undefined ? "unknown" : words.dollars(r.cost_usd) + " USD"],
    ["wasted steps", String(r.wasted_steps ?? 0)]];
  $("facts").replaceChildren(...facts.map(([name, value]) =>
    el("li", "", el("b", "", value), el("span", "", name))));
  const c = episode?.card;
  $("card").hidden = !c;
  if (c) $("card").replaceChildren(...draw.card(c));
  else if (episode?.state === "interrupted") {
    const names = episode.secrets_needed ?? [];
    $("card").hidden = false;
    $("card").replaceChildren(el("p", "",
      names.length ? "It needs secrets again: " + names.join(", ") : "It waits to be resumed."));
    if (run.intent)
      $("card").append(el("p", "", `The outcome of an action was not seen: ${words.cut(run.intent)}.`));
  }
};

const mid = (e) => e.getBoundingClientRect().left + e.clientWidth / 2;

/** strip adds the steps that are new and marks the one that is looked at. */
const strip = () => {
  const box = $("strip");
  const follow = box.scrollLeft + box.clientWidth >= box.scrollWidth - 150;
  const focused = document.activeElement?.parentElement === box;
  while (box.children.length < run.steps.length) box.append(draw.step(run, box.children.length));
  for (const [i, b] of [...box.children].entries()) {
    const here = i === at();
    b.tabIndex = here ? 0 : -1;
    if (here) b.setAttribute("aria-current", "step");
    else b.removeAttribute("aria-current");
  }
  const here = box.children[at()];
  if (here && focused && !picked) here.focus({ preventScroll: true });
  if (here && (picked || follow))
    box.scrollLeft += mid(here) - mid(box); // and the page itself stays where it is
  $("newest").disabled = !picked;
};

let shown = "";
const middle = () => {
  if (!run.start) return;
  const i = at();
  const s = run.steps[i];
  const key = JSON.stringify([picked, i, run.intent?.number, s && incidentAt(s.number), run.events.length]);
  if (key === shown) return;
  shown = key;
  document.querySelector(".frames").replaceChildren(...draw.frames(run, i, !picked));
  const right = s ? draw.reasons(run, s, incidentAt(s.number)) : [el("p", "event", "No step was made yet.")];
  document.querySelector(".reasons").replaceChildren(...right);
  age();
};

/** age says beside the newest frame whether it is live. */
const age = () => {
  const e = $("age");
  if (!e) return;
  const s = run.steps[newest()];
  const page = s?.after ?? run.start;
  const [live, text] = page.frame_sha ? words.age(s?.at_ms, now()) : [false, "no frame"];
  e.className = live ? "badge good" : "badge";
  setText(e, text);
};

let due = false;
const redraw = () => {
  if (due) return;
  due = true;
  setTimeout(() => {
    due = false;
    $("episode").hidden = !episode;
    above();
    strip();
    middle();
    enable(episode);
  });
};

const take = (e) => {
  if (e.id) read = e.id;
  if (e.event === "status") {
    const other = status?.state !== e.data.state || status?.controlled !== e.data.controlled;
    status = e.data;
    if (other) refresh();
  } else if (e.event === "header") run.header = e.data.header;
  else if (e.event === "start") run.start = e.data.start;
  else if (e.event === "intent") run.intent = e.data.intent;
  else if (e.event === "event") run.events.push(e.data.event);
  else if (e.event === "step") {
    run.steps.push(e.data.step);
    run.intent = null;
  }
  if (e.id && e.event !== "intent") refresh();
  redraw();
};

let asking = false;
let again = false;
/** refresh asks for the episode, once for all that happens meanwhile. */
const refresh = async () => {
  again = true;
  if (asking) return;
  asking = true;
  try {
    while (again) {
      again = false;
      episode = await get(path);
      setText($("goal"), episode.request.instruction);
      draw.reach($("goal"));
      document.title = words.visible(words.clip(episode.request.instruction, 80)) + " – cua-runner";
      redraw();
    }
    if (episode.state !== "ended") watch();
  } catch (fault) {
    fail(fault);
  } finally {
    asking = false;
  }
};

/** fail says what went wrong; without a token it asks for one. */
const fail = (fault) => {
  say(fault.status === 401
    ? "The token of the server is needed: it is in the link that cua-runner printed."
    : fault.status ? fault.message : "The server does not answer. It may have ended with its command.");
  $("login").hidden = fault.status !== 401;
};

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** watch follows the events until the episode has ended. A lost connection is taken up where it was. */
const watch = async () => {
  if (watching) return;
  watching = true;
  for (let wait = 250; ; wait = Math.min(2 * wait, 8000)) {
    try {
      const r = await call("GET", path + "/events", { headers: { "Last-Event-ID": String(read) } });
      if (r.status === 204) break;
      if (lost) say("");
      lost = false;
      for await (const e of events(r.body)) {
        wait = 250;
        take(e);
      }
      if (status?.state === "ended") break;
    } catch (fault) {
      if ([401, 403, 404].includes(fault.status)) {
        fail(fault);
        break;
      }
    }
    lost = true;
    say("The connection is lost. Trying again …");
    await pause(wait);
  }
  watching = false;
  if (status?.state === "ended") refresh();
};
let lost = false;

const pick = (n) => {
  picked = n >= run.steps.length || n < 1 ? 0 : n;
  redraw();
};

const open = () => {
  $("login").hidden = true;
  say("");
  if (!id) return list().catch(fail);
  $("which").textContent = id;
  watch();
  return refresh();
};

document.addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || e.shiftKey || !id) return;
  if (e.target.closest("input,select,textarea,dialog")) return;
  const i = at();
  const to = { ArrowLeft: Math.max(i, 1), ArrowRight: i + 2, Home: 1, End: 0 }[e.key];
  if (to === undefined) return;
  e.preventDefault();
  const inStrip = e.target.closest("#strip");
  picked = to > newest() + 1 || to === 0 ? 0 : to;
  strip();
  if (inStrip) $("strip").children[at()]?.focus({ preventScroll: true });
  redraw();
});
$("strip").addEventListener("click", (e) => {
  const b = e.target.closest("button");
  if (b) pick([...$("strip").children].indexOf(b) + 1);
});
$("newest").addEventListener("click", () => pick(0));
$("login").addEventListener("submit", (e) => {
  e.preventDefault();
  login(e.target.elements.token.value);
  e.target.reset();
  open();
});
$("reload").addEventListener("click", () => list().catch(fail));
$("older").addEventListener("click", () => list(true).catch(fail));
control(path, () => picked || newest() + 1, say, refresh);
setInterval(age, 250);
// Another viewer may have resumed what has ended here.
setInterval(() => id && episode?.state === "ended" && !document.hidden && refresh(), 15_000);
open();
