// What a person can do. The state of the episode alone decides what is enabled; the server has the last word.
import { call, get } from "./api.js";
import { el, restored } from "./draw.js";
import { follow, hands } from "./takeover.js";
import { clip } from "./words.js";

const $ = (id) => document.getElementById(id);

const can = {
  queued: ["stop"],
  running: ["pause", "back", "stop", "tell"],
  paused: ["continue", "back", "stop", "tell", "answer"],
  interrupted: ["stop", "resume"],
  ended: ["resume"],
};

let episode = null; // as the server said it last
let path = "";
let picked = () => 0; // the number of the step that is looked at; 0 is the newest
let say = () => {};
let changed = () => {};
const busy = new Set(); // what was asked and is not answered yet

const allowed = (verb) => {
  const state = episode?.state;
  if (episode?.read_only || !can[state]?.includes(verb)) return false;
  if (episode.controlled && ["continue", "back", "answer"].includes(verb)) return false;
  if (verb === "answer") return Boolean(episode.question);
  return verb !== "resume" || state === "interrupted" || Boolean(episode.can_continue);
};

/** enable gives the controls the state of the episode. */
export const enable = (e) => {
  episode = e;
  const had = document.activeElement;
  for (const verb of ["pause", "continue", "back", "stop", "resume"]) $(verb).disabled = !allowed(verb);
  $("answer").hidden = !episode?.question;
  for (const e of $("answer").elements) e.disabled = !allowed("answer");
  for (const e of $("tell").elements) e.disabled = !allowed("tell");
  follow(episode);
  // The keyboard does not fall out of the controls where the button that was pressed is off now.
  if (had?.closest?.(".controls") && (had.disabled || had.closest("[hidden]"))) {
    document.querySelector(".buttons button:enabled")?.focus();
  }
};

/** post asks for verb; what the server refuses is said. */
const post = async (verb, at, body) => {
  if (busy.has(verb)) return false;
  busy.add(verb);
  try {
    say("");
    const r = await call("POST", `${path}/${at}`, { body });
    const doc = await r.json();
    if (at === "pause" && r.status === 202) say("It pauses after the current step.");
    if (at === "rewind") say((doc.error ? "" : "Went back: ") + restored(doc));
    return true;
  } catch (fault) {
    say(fault.message);
    return false;
  } finally {
    busy.delete(verb);
    changed();
  }
};

const button = (verb, at) => $(verb).addEventListener("click", () => post(verb, at));

const form = (id, of) =>
  $(id).addEventListener("submit", async (e) => {
    e.preventDefault();
    if (await post(id, id, of($(id).elements))) {
      $(id).reset();
      naming();
    }
  });

const naming = () => {
  const f = $("answer").elements;
  $("naming").hidden = !f.secret.checked;
  f.name.required = f.secret.checked;
  f.text.type = f.secret.checked ? "password" : "text";
};

let points = [];

/** cross says what going back to the chosen step would leave behind on the server. */
const cross = () => {
  const f = $("going").querySelector("form").elements;
  const crosses = points.find((p) => p.step === Number(f.step.value))?.crosses ?? [];
  const many = crosses.length > 1;
  $("crosses").textContent = crosses.length
    ? `${many ? "Steps" : "Step"} ${
      crosses.join(", ")} sent something that the server keeps. Going back does not undo it there.`
    : "No step since then sent anything that the server keeps.";
  $("consenting").hidden = !crosses.length;
  $("go").disabled = crosses.length > 0 && !f.consent.checked;
};

const goBack = async () => {
  try {
    points = await get(path + "/checkpoints");
  } catch (fault) {
    return say(fault.message);
  }
  if (!points.length) return say("There is nothing to go back to: no checkpoint is kept.");
  const f = $("going").querySelector("form");
  f.reset();
  const options = points.toReversed().map((p) => {
    const o = el("option", "", clip(`step ${p.step}: ${p.title || p.url}`, 120));
    o.value = p.step;
    o.selected = p.step === picked();
    return o;
  });
  f.elements.step.replaceChildren(...options);
  cross();
  $("going").showModal();
};

const resume = () => {
  const names = episode.secrets_needed ?? [];
  if (!names.length) return post("resume", "resume");
  $("needs").replaceChildren(...names.map((name) => {
    const input = el("input");
    Object.assign(input, { type: "password", name, required: true, autocomplete: "off" });
    return el("label", "", name, " ", input);
  }));
  $("resuming").showModal();
};

const values = () => {
  const secrets = {};
  for (const input of $("needs").querySelectorAll("input")) {
    secrets[input.name] = input.value;
    input.value = "";
  }
  return { secrets };
};

/** control connects the controls to the episode at an address. */
export const control = (at, looked, tell, refresh) => {
  [path, picked, say, changed] = [at, looked, tell, refresh];
  hands(at, tell, refresh);
  button("pause", "pause");
  button("continue", "continue");
  button("stop", "stop");
  $("back").addEventListener("click", goBack);
  $("resume").addEventListener("click", resume);
  form("tell", (f) => ({ text: f.text.value }));
  form("answer", (f) =>
    (f.secret.checked ? { secret: f.name.value, value: f.text.value } : { text: f.text.value }));
  $("answer").addEventListener("change", naming);
  $("going").addEventListener("change", cross);
  $("going").querySelector("form").addEventListener("submit", (e) => {
    const f = e.target.elements;
    post("back", "rewind", { step: Number(f.step.value), consent: f.consent.checked });
  });
  $("resuming").querySelector("form").addEventListener("submit", () => post("resume", "resume", values()));
  $("cancel").addEventListener("click", () => $("going").close());
  $("not").addEventListener("click", () => $("resuming").close());
};
