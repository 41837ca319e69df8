/* ---- colours ---- */

/* "00ff00ffffff" to [[0, 255, 0], [255, 255, 255]]. */
const coloursOf = (text) => text.match(/.{6}/g).map((entry) => [0, 2, 4].map((k) => parseInt(entry.substr(k, 2), 16)));
/* As a pixel of a canvas. */
const colourWord = ([r, g, b]) => (255 << 24 | b << 16 | g << 8 | r) >>> 0;
const NO_VALUE = colourWord([48, 48, 52]), MASKED = [colourWord([222, 222, 222]), colourWord([190, 190, 190])];
/* A cell whose value is masked is hatched, so that it is seen on any palette. */
const maskedWord = (i, j) => MASKED[(i + j) % 4 >> 1];
const MASKED_TEXT = 'masked: may be over 10 % wrong';

/* What lies below the resolution, as maps of delays have it. */
const paler = ([r, g, b]) => [0.3 * r + 168, 0.3 * g + 165.2, 0.3 * b + 158.2].map(Math.round);

/* What lies under the threshold keeps its structure and loses its colour. */
function muted([r, g, b]) {
  const light = (0.3 * r + 0.59 * g + 0.11 * b) / 255, grey = isDark() ? 52 + 46 * light : 192 + 44 * light;
  return [grey, grey, grey + 3];
}

/* Stops of a gradient from the lowest to the highest colour of a palette of 256. */
function paletteStops(palette) {
  const stops = [];
  for (let n = 0; n <= 32; n++) stops.push([100 * n / 32, palette[Math.round(255 * n / 32)]]);
  return stops;
}

/* The ticks under the bar of a legend, the unit at the last. */
function fillTicks(low, high, unit) {
  const step = tickStep(high - low, 6), ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) {
    const span = element('span', minus(String(Number((k * step).toPrecision(6)))) + (k * step + step > high + 1e-9 * step ? ` ${unit}` : ''));
    const mark = element('i', '');
    mark.style.left = span.style.left = `${100 * (k * step - low) / (high - low)}%`;
    ticks.push(mark, span);
  }
  $('ticks').replaceChildren(...ticks);
}
