// The list of episodes.
import { get } from "./api.js";
import { el } from "./draw.js";
import { clip } from "./words.js";

const $ = (id) => document.getElementById(id);

let next = "";

const row = (e) => {
  const a = el("a", "", el("bdi", "", clip(e.request.instruction, 300)));
  a.href = "?id=" + encodeURIComponent(e.id);
  const how = e.state === "ended" && e.result?.termination_reason;
  const [cls, word] = !how ? [e.state === "paused" ? "warn" : "", e.state]
    : e.result.success ? ["good", "success"] : ["bad", how];
  return el("tr", "", el("th", "", a), el("td", "", el("span", "chip " + cls, word)),
    el("td", "n", String(e.step)),
    el("td", "", new Date(e.created).toLocaleString("en-GB")));
};

/** list shows the newest episodes, or those after the last that is shown. */
export const list = async (more) => {
  const page = await get("/v1/cua?limit=50" + (more ? "&after=" + next : ""));
  next = page.next ?? "";
  const body = $("list").querySelector("tbody");
  if (!more) body.replaceChildren();
  body.append(...page.items.map(row));
  $("list").hidden = false;
  $("none").hidden = body.rows.length > 0;
  $("older").hidden = !next;
};
