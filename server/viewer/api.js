// Requests to the API of the same origin.

// The token comes behind # in the link. It is kept for this tab alone and taken out of the address, so that a
// copied address gives nothing away.
const given = new URLSearchParams(location.hash.slice(1)).get("token");
if (given) {
  sessionStorage.setItem("token", given);
  history.replaceState(null, "", location.pathname + location.search);
}

export const login = (token) => sessionStorage.setItem("token", token);

// late is the largest difference, ms, by which the clock of the server may be ahead of ours: the header Date
// counts whole seconds, so each answer bounds it and the smallest bound holds.
let late = Infinity;

/** now is the server's time, Unix ms, or up to a second later; NaN is unknown. */
export const now = () => (late === Infinity ? NaN : Date.now() + late);

/** Problem is an answer that is not what was asked for. */
export class Problem extends Error {
  constructor(status, doc) {
    const more = (doc.errors ?? []).map((e) => e.location + ": " + e.message);
    super([doc.detail ?? doc.title ?? "the server answered " + status, ...more].join("; "));
    this.status = status;
  }
}

/** call sends a request and returns the response; it throws a Problem where the server refuses. */
export async function call(method, path, { body, headers = {}, signal } = {}) {
  const r = await fetch(path, {
    method,
    signal,
    cache: path.includes("/blobs/") ? "default" : "no-store",
    headers: {
      Authorization: "Bearer " + (sessionStorage.getItem("token") ?? ""),
      ...(body ? { "Content-Type": "application/json" } : {}),
      ...headers,
    },
    body: body ? JSON.stringify(body) : undefined,
  });
  const date = Date.parse(r.headers.get("Date") ?? "");
  if (date && !path.includes("/blobs/")) late = Math.min(late, date + 999 - Date.now());
  if (r.ok) return r;
  throw new Problem(r.status, await r.json().catch(() => ({})));
}

export const get = async (path) => (await call("GET", path)).json();

/** events yields the server-sent events {id, event, data} of a body. */
export async function* events(body) {
  let rest = "";
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + text).split("\n\n");
    rest = parts.pop();
    for (const part of parts) {
      const e = {};
      for (const line of part.split("\n")) {
        const at = line.indexOf(": ");
        if (at > 0) e[line.slice(0, at)] = line.slice(at + 2);
      }
      if (e.event) yield { id: Number(e.id ?? 0), event: e.event, data: JSON.parse(e.data) };
    }
  }
}

// The frames that were fetched, by their names: each is fetched once. What is dropped stays where it is
// shown.
const frames = new Map();
const most = 200;

/** frame is an address of a frame that an img can show. */
export function frame(episode, sha) {
  if (!frames.has(sha)) {
    const url = call("GET", `${episode}/blobs/${sha}`)
      .then((r) => r.blob())
      .then((b) => URL.createObjectURL(b));
    url.catch(() => frames.delete(sha));
    frames.set(sha, url);
    if (frames.size > most) {
      const [old, its] = frames.entries().next().value;
      frames.delete(old);
      its.then(URL.revokeObjectURL, () => {});
    }
  }
  return frames.get(sha);
}
