/* ---- what every page of planwave has: tools/page goes into each of them before its own parts ---- */
'use strict';
const $ = (id) => document.getElementById(id);
const clamp = (v, low, high) => Math.min(Math.max(v, low), high);
const minus = (text) => text.replace('-', '−');
const gigahertz = (f) => `${(f / 1e9).toFixed(3)} GHz`;
const number = (v, digits = 2) => Number.isFinite(v) ? minus(v.toFixed(digits).replace(/^-(0\.?0*)$/, '$1')) : '–';
const rounded = (value, digits) => minus(String(Number(value.toPrecision(digits))));
const short = (value) => rounded(value, 4);
/* A delay below the resolution [ns] is told alike everywhere: pw_delay_text(). */
const figures = (v, digits) => rounded(Number(v), digits);
const delayText = (value, resolution, digits = 2) => (value < resolution ? `< ${figures(resolution, 2)}` : number(value, digits));
const widerText = (resolution) => `a band.width of ${figures(2000 / resolution, 3)} MHz would resolve ${figures(resolution / 2, 2)} ns`;
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const isDark = () => document.documentElement.dataset.theme === 'dark';

function element(tag, text, attributes = {}) {
  const made = document.createElement(tag);
  made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

let liveTimer = 0;
function say(text) {
  clearTimeout(liveTimer);
  liveTimer = setTimeout(() => { $('live').textContent = text; }, 250);
}

/* The step between ticks: 1, 2 or 5 times a power of ten, for about `count` of them. */
function tickStep(range, count) {
  const step = 10 ** Math.floor(Math.log10(range / count));
  return [1, 2, 5, 10].map((k) => k * step).find((s) => range / s <= count * 1.01) || 10 * step;
}

/* Light or dark: as chosen on this page, else as the system has it. `changed` is called when colours have to be drawn anew. */
function listenTheme(changed) {
  const system = window.matchMedia('(prefers-color-scheme: dark)');
  const stored = () => { try { return localStorage.getItem('planwave-theme'); } catch { return null; } };
  const apply = (theme) => {
    document.documentElement.dataset.theme = theme;
    $('theme').textContent = theme === 'dark' ? 'Light' : 'Dark';
    changed();
  };
  apply(stored() || (system.matches ? 'dark' : 'light'));
  system.addEventListener('change', () => { if (!stored()) apply(system.matches ? 'dark' : 'light'); });
  $('theme').onclick = () => {
    const theme = isDark() ? 'light' : 'dark';
    try { localStorage.setItem('planwave-theme', theme); } catch { /* a page without storage forgets */ }
    apply(theme);
  };
}
