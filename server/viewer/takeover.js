// A person has the browser: frames come over a WebSocket, and what they do with mouse and keyboard goes up.
import { call, now } from "./api.js";
import * as words from "./words.js";

const $ = (id) => document.getElementById(id);

let path = "";
let say = () => {};
let changed = () => {};
let socket = null;
let asking = false;
let giving = false;
let page = { w: 1, h: 1, at_ms: 0 };

const store = () => "holder " + path;
const holder = () => sessionStorage.getItem(store());

/** mine says whether the browser is in the hands of this page, or was before a reload. */
export const mine = () => Boolean(holder());

const send = (input) => {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(input));
};

const keysLeave = () => {
  if (document.activeElement === $("keys")) ($("handback").disabled ? $("pause") : $("handback")).focus();
};

const show = (yes) => {
  if (!yes) keysLeave();
  $("hands").hidden = !yes;
};

const age = () => {
  if ($("hands").hidden) return;
  const open = socket?.readyState === WebSocket.OPEN;
  const [live, text] = !open ? [false, "not connected"]
    : page.at_ms ? words.age(page.at_ms, now()) : [false, "no frame yet"];
  $("live").className = live ? "badge good" : "badge";
  if ($("live").textContent !== text) $("live").textContent = text;
  const d = page.dialog;
  const note = d
    ? words.visible(`The page asks: ${words.clip(d.message, 2000)} (Return accepts, Escape dismisses)`)
    : page.tabs > 1 ? `tab ${page.tab} of ${page.tabs}` : "";
  if ($("dialog").textContent !== note) $("dialog").textContent = note;
};

const paint = async (data, at) => {
  const bitmap = await createImageBitmap(new Blob([data], { type: "image/jpeg" }));
  const c = $("screen");
  [c.width, c.height] = [bitmap.width, bitmap.height];
  c.getContext("2d").drawImage(bitmap, 0, 0);
  bitmap.close();
  page.at_ms = at;
  age();
};

const hear = (e) => {
  if (typeof e.data !== "string") return paint(e.data, page.next).catch(() => {});
  const news = JSON.parse(e.data);
  page = { ...news, at_ms: page.at_ms, next: news.at_ms };
  age();
};

const connect = (address) => {
  const url = new URL(address, location.href);
  url.protocol = url.protocol.replace("http", "ws");
  const s = new WebSocket(url);
  s.binaryType = "arraybuffer";
  socket = s;
  show(true);
  s.onopen = () => { $("keys").focus({ preventScroll: true }); changed(); };
  s.onmessage = hear;
  s.onclose = () => {
    if (socket !== s) return;
    socket = null;
    age();
    if (!giving) setTimeout(again, 500); // the browser is kept for a minute
    changed();
  };
};

const forget = () => {
  sessionStorage.removeItem(store());
  socket?.close();
  socket = null;
  show(false);
};

/** take asks for the browser, or continues after the socket was lost. While the browser is given back the
 * socket is closed and the last known state may still be the old one: that is no reason to ask. */
const take = async () => {
  if (asking || giving || socket) return;
  asking = true;
  try {
    say("");
    const body = holder() ? { holder: holder() } : undefined;
    const t = await (await call("POST", path + "/takeover", { body })).json();
    sessionStorage.setItem(store(), t.holder);
    connect(t.socket);
  } catch (fault) {
    if (!fault.status && holder()) setTimeout(again, 2000); // the server does not answer
    else forget();
    say(fault.message);
  } finally {
    asking = false;
    changed();
  }
};

/** again is take for who still has the browser. */
const again = () => holder() && take();

const giveBack = async () => {
  giving = true;
  try {
    await call("POST", path + "/handback", { body: { holder: holder() } });
    forget();
  } catch (fault) {
    say(fault.message);
  } finally {
    giving = false;
    changed();
  }
};

/** follow gives the controls the state of the episode, and takes up what a reload cut. */
export const follow = (e) => {
  const free = !e?.read_only && (e?.state === "running" || (e?.state === "paused" && !e.controlled));
  if (holder() && !socket && e && !e.controlled && !asking && !giving) forget();
  $("takeover").disabled = !free || Boolean(socket) || asking;
  $("handback").disabled = !socket;
  if (e?.state === "paused" && e.controlled) again();
};

/** place is where an event of the mouse is on the page, CSS pixels. The frame may be letterboxed. */
const place = (e) => {
  const r = $("screen").getBoundingClientRect();
  const scale = Math.min(r.width / page.w, r.height / page.h);
  return {
    x: (e.clientX - r.left - (r.width - page.w * scale) / 2) / scale,
    y: (e.clientY - r.top - (r.height - page.h * scale) / 2) / scale,
  };
};

const held = (e) => ["Alt", "Control", "Meta", "Shift"].filter((m) => e.getModifierState(m));

const mouse = () => {
  const keys = $("keys");
  let pressed = false;
  let moved = null;
  let exact = null; // events of the mouse have whole pixels, and one of the frame may be two of the page
  for (const type of ["pointerdown", "pointermove", "pointerup"]) {
    addEventListener(type, (e) => (exact = { clientX: e.clientX, clientY: e.clientY }), true);
  }
  const button = (e) => ["left", "middle", "right"][e.button] ?? "left";
  const pass = (type, e) => send({ type, ...place(exact ?? e), button: button(e),
    clicks: Math.min(e.detail || 1, 3), modifiers: held(e) });
  const flush = () => {
    if (moved) send({ type: "move", ...place(exact ?? moved), modifiers: held(moved) });
    moved = null;
  };
  keys.addEventListener("mousedown", (e) => {
    e.preventDefault();
    keys.focus({ preventScroll: true });
    flush();
    pressed = true;
    pass("down", e);
  });
  addEventListener("mouseup", (e) => {
    if (!pressed) return;
    flush();
    pressed = e.buttons !== 0;
    pass("up", e);
  });
  addEventListener("mousemove", (e) => {
    if (!pressed && e.target !== keys) return;
    if (!moved) requestAnimationFrame(flush);
    moved = e;
  });
  keys.addEventListener("contextmenu", (e) => e.preventDefault());
  keys.addEventListener("wheel", (e) => {
    e.preventDefault();
    const line = e.deltaMode ? 40 : 1;
    send({ type: "wheel", ...place(e), dx: e.deltaX * line, dy: e.deltaY * line, modifiers: held(e) });
  }, { passive: false });
};

const keyboard = () => {
  const keys = $("keys");
  const composed = () => {
    if (keys.value) send({ type: "text", text: keys.value });
    keys.value = "";
  };
  keys.addEventListener("keydown", (e) => {
    if (e.isComposing || ["Process", "Dead", "Unidentified"].includes(e.key)) return;
    if (e.key === "Escape" && e.ctrlKey && e.altKey) {
      e.preventDefault();
      return keysLeave();
    }
    if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === "v") return; // the event paste has the text
    e.preventDefault();
    const character = e.key.length === 1 &&
      (!(e.ctrlKey || e.metaKey || e.altKey) || e.getModifierState("AltGraph"));
    if (character && !/^[ -~]$/.test(e.key)) send({ type: "text", text: e.key });
    else if (!["Alt", "Control", "Meta", "Shift", "AltGraph"].includes(e.key)) {
      send({ type: "key", key: e.key, modifiers: e.getModifierState("AltGraph") ? [] : held(e) });
    }
  });
  keys.addEventListener("compositionend", composed);
  keys.addEventListener("input", (e) => e.isComposing || composed());
  keys.addEventListener("paste", (e) => {
    e.preventDefault();
    const text = e.clipboardData.getData("text");
    if (new TextEncoder().encode(text).length > 65536) return say("Too long to paste: 64 KiB are the most.");
    if (text) send({ type: "paste", text });
  });
};

/** hands connects the takeover of the episode at an address. */
export const hands = (at, tell, refresh) => {
  [path, say, changed] = [at, tell, refresh];
  $("takeover").addEventListener("click", take);
  $("handback").addEventListener("click", giveBack);
  mouse();
  keyboard();
  setInterval(age, 250);
};
