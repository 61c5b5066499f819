// Drawing. All that pages and brains wrote goes through text nodes: nothing here makes markup of text.
import { frame } from "./api.js";
import * as words from "./words.js";

/** el makes an element. Children are elements or text; nothing is made of "", undefined and null. */
export const el = (tag, cls, ...children) => {
  const e = document.createElement(tag);
  if (cls) e.className = cls;
  const some = children.flat().filter((c) => c !== "" && c !== undefined && c !== null);
  e.append(...some.map((c) => (typeof c === "string" ? words.visible(c) : c)));
  return e;
};

const long = 600; // characters of a text that may be higher than its place

/** reach lets the keyboard scroll a text that may be higher than its place. */
export const reach = (e) => {
  if (e.textContent.length > long) e.tabIndex = 0;
  else e.removeAttribute("tabindex");
  return e;
};

const at = (e, places) => {
  for (const [name, share] of Object.entries(places)) e.style[name] = share + "%";
  return e;
};

const percent = (v, of) => Math.min(Math.max((100 * v) / of, 0), 100);

const pin = (cls, p, v) =>
  p ? at(el("i", "pin " + cls), { left: percent(p.x, v.w), top: percent(p.y, v.h) }) : null;

const box = (cls, b, v) => {
  if (!b?.w || !b?.h) return null;
  const [left, top] = [percent(b.x, v.w), percent(b.y, v.h)];
  return at(el("i", "box " + cls), {
    left, top, width: percent(b.x + b.w, v.w) - left, height: percent(b.y + b.h, v.h) - top,
  });
};

/** into is the middle of a control of a page by its identity; undefined where the page does not show it. */
const into = (page, id) => {
  const found = [...(page.marks ?? []), ...(page.fields ?? [])].find((m) => id && m.id === id);
  return found?.box && { x: found.box.x + found.box.w / 2, y: found.box.y + found.box.h / 2 };
};

const same = (a, b) => a && b && a.x === b.x && a.y === b.y;

/** pins are what was asked for (hollow) and what was done (filled), on the page before the step. */
const pins = (s, before, v) => {
  const from = words.proposedPoint(s);
  const to = words.dispatchedPoint(s) ?? into(before, s.action?.into);
  if (same(from, to) && s.action.kind === s.proposed.kind) return [pin("both", to, v)];
  return [pin("proposed", from, v), pin("dispatched", to, v), pin("to", s.proposed.to, v)];
};

/** size is the viewport of a page, or that of the episode where the page does not say it. */
const size = (page, run) =>
  [page.viewport, run.header?.viewport].find((v) => v?.w && v?.h) ?? { w: 1280, h: 800 };

const picture = (run, page, alt) => {
  if (!page.frame_sha) return el("span", "missing", page.dialog ? "no frame: a dialog is open" : "no frame");
  const img = el("img", "frame");
  img.alt = alt;
  frame(run.path, page.frame_sha).then(
    (url) => (img.src = url),
    (fault) => img.replaceWith(el("span", "missing", "no frame: " + fault.message)),
  );
  return img;
};

const shot = (run, page, alt, marks, caption) => {
  const b = el("div", "shot", picture(run, page, alt), marks);
  const v = size(page, run);
  b.style.aspectRatio = v.w + "/" + v.h;
  return el("figure", "", b, el("figcaption", "", caption));
};

/** before is the page as it was before step i of the run, an index. */
const before = (run, i) => (i > 0 ? run.steps[i - 1].after : run.start);

const typed = (a) =>
  a && (a.kind === "type" || a.kind === "key")
    ? el("kbd", "typed", words.clip(words.sentence(a), long)) : null;

/** aimed is the page before step i with what was asked and what was done. */
const aimed = (run, i) => {
  const s = run.steps[i];
  const page = before(run, i) ?? s.after;
  const v = size(page, run);
  const marks = [box("target", s.target?.box, v), box("covering", s.target?.covering?.box, v),
    ...pins(s, page, v), typed(s.action)];
  return shot(run, page, `The page before step ${s.number}`, marks,
    `Before step ${s.number}: asked and done`);
};

/** frames are the figures of step i; newest says that it is the last one, whose page is the page now. */
export const frames = (run, i, newest) => {
  const s = run.steps[i];
  if (newest) {
    const page = s?.after ?? run.start;
    const v = size(page, run);
    const doing = run.intent && [pin("dispatched", run.intent.action.point, v), typed(run.intent.action)];
    const badge = el("b", "badge", "");
    badge.id = "age";
    const what = s ? `The page after step ${s.number}` : "The start page";
    const fig = shot(run, page, what, doing, "");
    fig.className = "now";
    fig.querySelector("figcaption")
      .append(badge, " ", what, page.tabs > 1 ? `, tab ${page.tab} of ${page.tabs}` : "");
    return s ? [fig, aimed(run, i)] : [fig];
  }
  const shots = [aimed(run, i)];
  if (s.action && s.after.frame_sha !== before(run, i)?.frame_sha) {
    shots.push(shot(run, s.after, `The page after step ${s.number}`, [], `After step ${s.number}`));
  }
  return shots;
};

const chip = ([cls, text], more = "") => (text ? el("span", `chip ${cls} ${more}`.trim(), text) : null);

const folded = (summary, ...body) => el("details", "", el("summary", "text", summary), ...body);

const rows = (list) => list.filter(([, v]) => v && v.length !== 0)
  .map(([name, v]) => [el("dt", "", name), reach(el("dd", "text", v))]);

const target = (t) => [t?.role, t?.name && `“${t.name}”`].filter(Boolean).join(" ");

/** reasons is why step s is as it is, and the outcome. */
export const reasons = (run, s, incident) => {
  const [cls, label] = words.standing(s);
  const asked = words.clip(words.proposed(s), long);
  const what = el("span", "what", el("code", cls === "plain" || cls === "failed" ? "" : "struck", asked));
  if (cls === "replaced") what.append(" → ", el("code", "did", words.clip(words.dispatched(s), long)));
  const on = target(s.target);
  const head = el("header", "", el("h2", "number", String(s.number)), what,
    on && el("span", "on", "on ", el("bdi", "", on)),
    el("span", "chips", chip(["", label], "label"),
      (s.signals ?? []).map((g) => chip([words.signalClass(g), words.signal(g)])),
      chip(words.effect(s)), chip(words.verified(s))));
  const r = words.ruled(s);
  const all = (s.rulings ?? []).map((x) => el("li", "text", words.ruling(x)));
  const lines = (list) => list.map((t) => el("div", "", t));
  const dl = el("dl", "", ...rows([
    ["ruled", r && el("b", "", r.gate + ": " + (r.reason || r.verdict))],
    ["reason code", s.loop_recovery_reason && el("code", "", s.loop_recovery_reason)],
    ["done refused", s.done_rejected_reason && el("code", "", s.done_rejected_reason)],
    ["because", r?.detail],
    ["evidence", r?.evidence?.length && "steps " + r.evidence.join(" ")],
    ["covered", s.target?.covering && "by " + target(s.target.covering)],
    ["incident", incident && [...lines([words.incident(incident)]), ...lines(words.tried(incident))]],
    ["thought", s.thought],
    ["why", s.proposed.why],
    ["told", lines((s.notes ?? []).map((n) => `${n.text} (${n.from}${n.level ? " " + n.level : ""})`))],
    ["failure", s.failure && [s.failure.kind, s.failure.detail].filter(Boolean).join(": ")],
    ["feedback", s.feedback],
    ["restored", s.restored && restored(s.restored)],
    ["gates", all.length && folded(all.length + " asked", el("ul", "", all))],
    ["page", folded(words.clip(s.after.url, long), words.clip(s.after.title ?? "", long))],
    ["cost", words.usage(s.usage)],
    ["by", s.by],
  ]).flat());
  const after = run.events.filter((e) => e.step === s.number)
    .map((e) => reach(el("p", "event", words.happened(e))));
  return [el("article", "card " + cls, head, el("div", "body", dl)), ...after];
};

/** restored is the outcome of going back, in words. */
export const restored = (r) => {
  if (r.error) return "nothing was restored: " + r.error.replaceAll("_", " ");
  const facets = Object.entries(r.facets ?? {}).map(([name, how]) => `${name} ${how}`);
  return `the page is as before step ${r.to_step}` + (facets.length ? ": " + facets.join(", ") : "");
};

/** card is why an episode waits, or why it stopped. */
export const card = (c) => {
  const by = c.by ? ` by a ${c.by}` : "";
  const why = c.by === "person" && c.detail === "" ? "" : c.detail;
  return [
    el("p", "", el("b", "", `${c.ended ? "Stopped" : "Paused"} after step ${c.step}${by}: ${c.reason}`)),
    c.question ? reach(el("p", "text question", c.question)) : why && reach(el("p", "text", why)),
    c.incident && el("p", "text", words.incident(c.incident)),
    c.asked?.length ? el("p", "text", words.clip("Asked for: " + c.asked.join("; "), 300)) : "",
    c.refused && el("p", "text", restored(c.refused)),
  ].filter(Boolean);
};

/** step is the button of a step in the strip. Its picture is fetched when it comes into sight. */
export const step = (run, i) => {
  const s = run.steps[i];
  const [cls, label] = words.standing(s);
  const page = before(run, i) ?? s.after;
  const v = size(page, run);
  const thumb = el("span", "thumb", pins(s, page, v));
  thumb.style.aspectRatio = v.w + "/" + v.h;
  const b = el("button", "step " + cls, thumb, el("b", "", String(s.number)), " ",
    label && el("em", "", label));
  b.type = "button";
  b.setAttribute("aria-label",
    words.visible(`${s.number} ${label}: ${words.clip(words.proposed(s), 200)}`.replace(" :", ":")));
  seen.observe(thumb);
  thumb.show = () => page.frame_sha && frame(run.path, page.frame_sha).then((url) => {
    const img = el("img", "frame");
    img.alt = "";
    img.src = url;
    thumb.prepend(img);
  }, () => {});
  return b;
};

const seen = new IntersectionObserver((list) => {
  for (const e of list.filter((e) => e.isIntersecting)) {
    seen.unobserve(e.target);
    e.target.show();
  }
});
