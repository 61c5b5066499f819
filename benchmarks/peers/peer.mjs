// A step of Playwright or of puppeteer: a click, the state of the page, a screenshot of 1280x800. It is a
// contender of make bench (see peers.go): requests are lines of JSON, and so are replies. Both are used with
// their defaults.
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

const config = JSON.parse(process.env.CUA_BENCH_PEER);
const require = createRequire(config.modules + '/');
const view = { width: 1280, height: 800 };

// open starts the browser and says how a page of a context of its own is opened, and closed with it.
const programs = {
  async playwright() {
    const browser = await require('playwright-core').chromium.launch({ executablePath: config.browser });
    return { browser, async page() {
      const context = await browser.newContext({ viewport: view });
      const page = await context.newPage();
      return { page, close: () => context.close() };
    } };
  },
  async puppeteer() {
    const browser = await require('puppeteer-core').launch({
      executablePath: config.browser, args: ['--no-sandbox'], headless: 'shell' });
    return { browser, async page() {
      const context = await browser.createBrowserContext();
      const page = await context.newPage();
      await page.setViewport(view);
      return { page, close: () => context.close() };
    } };
  },
};

// state is what a program that fills forms asks a page for.
function state() {
  const box = (e) => { const r = e.getBoundingClientRect(); return [r.x, r.y, r.width, r.height]; };
  return {
    url: location.href, title: document.title, text: document.body.innerText, scroll: [scrollX, scrollY],
    focus: document.activeElement && document.activeElement.name,
    fields: [...document.querySelectorAll('input,select,textarea,button')].map((e) => ({
      name: e.name, type: e.type, value: e.value, checked: e.checked,
      label: e.labels && e.labels[0] && e.labels[0].innerText, box: box(e) })),
  };
}

async function step(page, n) {
  const [x, y] = config.points[n % config.points.length];
  await page.mouse.click(x, y);
  const seen = await page.evaluate(state);
  const png = await page.screenshot();
  if (!seen.fields.length || png.length < 1000) throw new Error('a step without a state or a picture');
}

const program = await programs[config.name]();
let held;
const requests = {
  async steps({ n }) { // an episode in a context of its own, as each of ours is
    await held?.close();
    held = await program.page();
    await held.page.goto(config.url);
    const ms = [];
    for (let i = 0; i < n; i++) {
      const began = performance.now();
      await step(held.page, i);
      if (i) ms.push(performance.now() - began);
    }
    return ms;
  },
  async open({ n }) {
    for (let i = 0; i < n; i++) {
      const { page } = await program.page();
      await page.goto(config.url);
      await step(page, 0);
    }
  },
  async episodes({ n, steps, workers }) {
    let left = n;
    await Promise.all(Array.from({ length: workers }, async () => {
      while (left-- > 0) {
        const { page, close } = await program.page();
        await page.goto(config.url);
        for (let i = 0; i < steps; i++) await step(page, i);
        await close();
      }
    }));
  },
};

console.log('{}');
for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  try {
    console.log(JSON.stringify({ ms: await requests[request.do](request) }));
  } catch (error) {
    console.log(JSON.stringify({ error: String(error) }));
  }
}
await program.browser.close();
