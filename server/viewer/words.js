// Steps in words. They are those of the page that cua-runner export --format html writes; a test compares
// them.

const escape = (c) => {
  const n = c.codePointAt(0);
  const [letter, digits] = n < 0x100 ? ["x", 2] : n < 0x10000 ? ["u", 4] : ["U", 8];
  return "\\" + letter + n.toString(16).padStart(digits, "0");
};

/**
 * visible is text with escapes for control characters and for what turns the direction of writing or cannot
 * be seen. Line ends, tabs and the joiner of emoji stay. It is redact.Visible of the program.
 */
export const visible = (text) => text.replace(/(?![\n\t\u200d])[\p{Cc}\p{Cf}\u2028\u2029]/gu, escape);

/** clip is text of at most n characters; where it is cut, "…" is the last. */
export const clip = (text, n) =>
  (text.length <= n ? text : text.slice(0, n - 1).toWellFormed().replace(/\ufffd$/, "") + "…");

const place = (p) => p.x.toFixed(0) + "," + p.y.toFixed(0);

const args = (a) => {
  const out = [];
  if (a.mark && !a.point) out.push("mark " + a.mark);
  if (a.text) out.push(JSON.stringify(a.text));
  if (a.keys) out.push(a.keys);
  if (a.url) out.push(a.url);
  if (a.to) out.push("to " + place(a.to));
  if (a.dx || a.dy) out.push("by " + place({ x: a.dx ?? 0, y: a.dy ?? 0 }));
  if (a.ms) out.push(a.ms + " ms");
  if (a.tab) out.push("tab " + a.tab);
  if (a.files?.length) out.push(a.files.join(", "));
  if (a.into) out.push("into " + a.into);
  if (a.step) out.push("to step " + a.step);
  if (a.kind === "dialog") out.push(a.accept ? "accept" : "dismiss");
  if (a.kind === "done") out.push(a.success ? "success" : "no success");
  return out.join(" ");
};

/** sentence is an action with its place: click 320,195. */
export const sentence = (a, at) =>
  a.kind ? [a.kind, at ? place(at) : "", args(a)].filter(Boolean).join(" ") : "unreadable reply";

/** ruled is the ruling that decided; undefined is that every gate passed. */
export const ruled = (s) => (s.rulings ?? []).findLast((r) => r.verdict !== "pass" && !r.shadow);

export const substituted = (s) => Boolean(s.action) && ruled(s)?.verdict === "replace";

export const proposedPoint = (s) => s.target?.point ?? s.proposed.point;

export const dispatchedPoint = (s) =>
  !s.action ? undefined : substituted(s) ? s.action.point : proposedPoint(s);

export const proposed = (s) => sentence(s.proposed, proposedPoint(s));

export const dispatched = (s) => (s.action ? sentence(s.action, dispatchedPoint(s)) : "–");

/** standing is the class of a step and the word for it. */
export const standing = (s) => {
  const r = ruled(s);
  if (substituted(s)) return ["replaced", "substituted"];
  if (r?.verdict === "refuse") return ["refused", "refused"];
  if (r?.verdict === "halt" || r?.verdict === "pause") return ["refused", r.verdict];
  if (s.failure) return ["failed", "failed"];
  return ["plain", ""];
};

/** effect is the outcome of a step: a class and words. */
export const effect = (s) => {
  if (!s.action) return ["", "nothing dispatched"];
  if (s.action.kind === "done" || s.action.kind === "ask") return ["", "ends the episode"];
  if (!s.effect) return ["", "effect unknown"];
  if (s.effect.progress?.length) return ["good", "effect: " + s.effect.progress.join(", ")];
  if (s.effect.presentation?.length) return ["warn", `no effect (only ${s.effect.presentation.join(", ")})`];
  return ["warn", "no effect"];
};

export const verified = (s) =>
  s.action_effect_observed === undefined
    ? ["", ""]
    : [s.action_effect_observed ? "good" : "bad", "verifier: " + s.action_effect_reason];

export const plural = (n, one) => n.toLocaleString("en") + " " + one + (n === 1 ? "" : "s");

export const signal = (g) => `${g.shape} ${g.level}, ${plural(g.run, "step")}`;

export const signalClass = (g) => ({ hard: "bad", soft: "warn" })[g.level] ?? "";

export const ruling = (r) =>
  `${r.gate} ${r.verdict}` +
  (r.reason ? ", " + r.reason : "") +
  (r.detail ? ": " + r.detail : "") +
  (r.action ? " → " + sentence(r.action, r.action.point) : "") +
  (r.end ? ", ends as " + r.end : "") +
  (r.shadow ? " (shadow: without force)" : "");

export const dollars = (usd) =>
  usd === undefined || usd === null ? "–"
    : usd >= 1 || usd === 0 ? usd.toFixed(2) : String(Number(usd.toPrecision(3)));

export const seconds = (s) => (s < 9.95 ? s.toFixed(1) : Math.round(s).toLocaleString("en")) + " s";

/** usage is what a step took of the brain; "" is nothing. */
export const usage = (u) => {
  if (!u?.input_tokens && !u?.output_tokens && u?.cost_usd === undefined) return "";
  const n = (v) => (v ?? 0).toLocaleString("en");
  const cost = u.cost_usd === undefined ? "" : `, ${dollars(u.cost_usd)} USD`;
  return `${n(u.input_tokens)} in, ${n(u.output_tokens)} out, ${n(u.cached_tokens)} cached${cost}`;
};

/** incident is what an incident has come to. */
export const incident = (i) =>
  `${i.id}: ${i.shapes.join(", ")}, steps ${
    i.first_step === i.last_step ? i.first_step : i.first_step + "–" + i.last_step}` +
  `, ${i.outcome || "open"}; ${(i.tokens ?? 0).toLocaleString("en")} tokens, ${dollars(i.cost_usd)} USD, ` +
  seconds(i.seconds ?? 0);

export const tried = (i) =>
  (i.tried ?? []).map((a) => `${a.reason} at ${a.step} → ${a.effect ? "effect" : "no effect"}`);

/** cut is an action whose outcome nobody saw. */
export const cut = (i) =>
  i && `step ${i.number}, ${sentence(i.action, i.action.point)}` + (i.submit ? ": possibly sent" : "");

const browser = (b) =>
  b && "in another browser: " + [b.name, b.version, b.remote && "at " + b.remote].filter(Boolean).join(" ");

/** happened is an event between steps in words. */
export const happened = (e) =>
  [e.kind.replaceAll("_", " ") + (e.by ? " by a " + e.by : "") + (e.reason ? " (" + e.reason + ")" : ""),
    cut(e.intent), browser(e.browser), e.answer, e.detail].filter(Boolean).join(": ");

const clock = (ms) => new Date(ms).toLocaleTimeString("en-GB");

/** age says whether a frame is live: it is less than 2 s old. taken and now are Unix ms. */
export const age = (taken, now) => {
  if (!taken || Number.isNaN(now)) return [false, "taken at an unknown time"];
  const ms = now - taken;
  if (ms < 2000) return [true, "Live"];
  if (ms < 120_000) return [false, Math.floor(ms / 1000) + " s old"];
  return [false, "taken at " + clock(taken)];
};
