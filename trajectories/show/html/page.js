"use strict";
(() => {
  const all = (what, of = document) => [...of.querySelectorAll(what)];
  // The bytes of an embedded frame are in the page once; its other places take them from there.
  for (const img of all("img[data-from]")) {
    const first = document.getElementById(img.dataset.from);
    if (first) img.setAttribute("src", first.getAttribute("src"));
  }

  const shown = (e) => !e.hidden && e.checkVisibility();
  const cards = () => all(".episode .card").filter(shown);
  const link = (card) => all(".episode .strip .step").find((a) => a.hash === "#" + card.id);
  let now = null;
  const stand = (card) => {
    if (!card) return;
    for (const e of all("[aria-current=step]")) e.removeAttribute("aria-current");
    now = card;
    card.tabIndex = -1;
    card.setAttribute("aria-current", "step");
    card.focus({ preventScroll: true });
    card.scrollIntoView();
    const a = link(card);
    if (!a) return;
    a.setAttribute("aria-current", "step");
    const strip = a.closest(".strip");
    const left = (e) => e.getBoundingClientRect().left;
    strip.scrollLeft += left(a) - left(strip) - strip.clientWidth / 2;
  };
  const walk = (by) => {
    const list = cards();
    const at = now ? list.indexOf(now) : list.findIndex((c) => "#" + c.id === location.hash);
    if (at >= 0) return stand(list[Math.min(Math.max(at + by, 0), list.length - 1)]);
    // The step that was stood on is filtered out, or none was: the next one on that side of it.
    const follows = (c) => now.compareDocumentPosition(c) & Node.DOCUMENT_POSITION_FOLLOWING;
    const after = now ? list.findIndex(follows) : 0;
    const next = after < 0 ? list.length : after;
    stand(list[by > 0 ? next : Math.max(next - 1, 0)]);
  };

  // A frame is shown large in a dialog, with what is drawn on it.
  const zoom = document.createElement("dialog");
  zoom.className = "episode zoom";
  zoom.setAttribute("aria-label", "Frame");
  document.body.append(zoom);
  let large = null;
  const shots = () => all(".card .shot[role=button]").filter((s) => shown(s.closest(".card")) && shown(s));
  const enlarge = (shot) => {
    if (!shot) return;
    large = shot;
    const copy = shot.closest("figure").cloneNode(true);
    for (const e of all("[id]", copy)) e.removeAttribute("id");
    for (const e of all("[tabindex]", copy)) e.removeAttribute("tabindex");
    const number = document.createElement("b");
    number.textContent = shot.getAttribute("aria-label") + " – ";
    copy.querySelector("figcaption").prepend(number);
    const close = document.createElement("button");
    close.textContent = "Close";
    close.addEventListener("click", () => zoom.close());
    const box = copy.querySelector(".shot");
    box.addEventListener("click", () => zoom.classList.toggle("full"));
    copy.style.setProperty("--ratio", box.style.aspectRatio);
    zoom.replaceChildren(close, copy);
    if (!zoom.open) zoom.showModal();
  };
  zoom.addEventListener("close", () => {
    if (large) large.focus();
    zoom.classList.remove("full");
  });
  for (const shot of all(".card .shot")) {
    const img = shot.querySelector("img");
    if (!img) continue;
    shot.tabIndex = 0;
    shot.setAttribute("role", "button");
    shot.setAttribute("aria-label", img.alt);
    shot.addEventListener("click", () => enlarge(shot));
  }

  // Items are the steps of an episode, or the episodes of a list.
  const form = document.querySelector("form.find");
  const items = all("[data-tags]");
  const texts = new Map();
  const text = (item) => {
    if (!texts.has(item)) texts.set(item, item.textContent.toLowerCase());
    return texts.get(item);
  };
  const filter = () => {
    const words = form.elements.words.value.toLowerCase().trim();
    const tag = form.elements.tag.value;
    let n = 0;
    for (const item of items) {
      const tagged = !tag || item.dataset.tags.split(" ").includes(tag);
      const keep = tagged && (!words || text(item).includes(words));
      item.hidden = !keep;
      n += keep ? 1 : 0;
      const a = item.id && link(item);
      if (a) a.classList.toggle("out", !keep);
    }
    form.querySelector("output").value = n + " of " + items.length;
  };
  if (form) {
    form.hidden = false;
    form.addEventListener("input", filter);
    form.addEventListener("submit", (e) => e.preventDefault());
    filter();
  }

  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const typing = e.target.closest && e.target.closest("input,select,textarea");
    const by = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    if (zoom.open) {
      if (!by) return; // Escape closes it, Tab and Enter go to its button
      const list = shots();
      enlarge(list[list.indexOf(large) + by]);
    } else if (typing) {
      if (e.key !== "Escape" || typing !== form.elements.words) return;
      typing.value = "";
      typing.blur();
      filter();
    } else if (by && !e.shiftKey) {
      walk(by);
    } else if ((e.key === "Enter" || e.key === " ") && e.target.matches(".shot")) {
      enlarge(e.target);
    } else if (e.key === "z" && now) {
      enlarge(now.querySelector(".shot[role=button]"));
    } else if (e.key === "/" && form) {
      form.elements.words.focus();
    } else {
      return;
    }
    e.preventDefault();
  });

  // On paper nothing can be opened.
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = all(".episode .card details:not([open]), .top details:not([open])");
    for (const d of folded) d.open = true;
  });
  addEventListener("afterprint", () => {
    for (const d of folded) d.open = false;
  });
})();
