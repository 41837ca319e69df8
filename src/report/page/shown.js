/* ---- what is shown ---- */

const [left, right, bottom, top_] = data.floor;
/* In three dimensions there is a site for every transmitter on every sheet, which is a height and a component of the field; `data.sites`
   are those of the sheet on show. */
const { sheets } = data, allSites = data.sites, sitesOf = (sheet) => allSites.filter((s) => s.sheet === sheet);
const heights = [...new Set(sheets.map((s) => s.asked))].sort((a, b) => a - b), sheetsAt = (height) => sheets.map((s, n) => n).filter((n) => sheets[n].asked === height);
const sheetFirst = Math.max(0, sheets.findIndex((s) => s.component === 'Ez'));
data.sites = sitesOf(sheetFirst);
const state = { sheet: sheetFirst, site: data.sites[0], quantity: 'received_power', mean: false, frequency: 0, threshold: null, cursor: null, pins: [] };
const view = { scale: 1, x: (left + right) / 2, y: (bottom + top_) / 2, fit: 1 };
const DELAYS = ['rms_delay_spread', 'mean_excess_delay', 'maximum_excess_delay'];
const POWERS = ['received_power', 'path_gain'], SERVERS = ['best_server', 'sinr'];
const sameGrid = data.sites.every((s) => s.rows === data.sites[0].rows && s.columns === data.sites[0].columns && s.x0 === data.sites[0].x0 && s.y0 === data.sites[0].y0);

const planeOf = (site, key) => site.planes.find((p) => p.key === key);
const gains = (site) => site.planes.filter((p) => p.key === 'gain');
const values = (site, key) => planeOf(site, key).values;

/* In every cell the transmitter with the most power (the first of equals), and its power over the noise and all the others, as
   `planwave map` has them. */
function bestServer() {
  const levels = data.sites.map((s) => values(s, state.mean ? 'local_mean' : 'path_gain').map((v) => v + s.budget)), noise = 10 ** (data.noise / 10);
  const best = new Float64Array(levels[0].length).fill(NaN), ratio = best.slice();
  for (let n = 0; n < best.length; n++) {
    let most = NaN, all = noise;
    levels.forEach((level, s) => {
      if (Number.isNaN(level[n])) return;
      if (!(level[n] <= most)) { most = level[n]; best[n] = s; }
      all += 10 ** (level[n] / 10);
    });
    ratio[n] = most - 10 * Math.log10(all - 10 ** (most / 10));
  }
  return { best, ratio };
}

/* The map on show: values, unit, range. */
let shown = null;
function chooseShown() {
  const { site, quantity } = state;
  const name = $('quantity').selectedOptions[0].textContent;
  if (quantity === 'best_server') {
    shown = { values: bestServer().best, unit: '', name, low: 0, high: 1, servers: true };
    return;
  }
  if (quantity === 'sinr') {
    const { ratio } = bestServer(), sorted = ratio.filter(Number.isFinite).sort();
    const low = 5 * Math.floor((sorted[Math.floor(sorted.length / 50)] || 0) / 5), high = 5 * Math.ceil((sorted[Math.floor(0.998 * (sorted.length - 1))] || 0) / 5);
    shown = { values: ratio, unit: 'dB', name, low, high: Math.max(high, low + 5) };
    return;
  }
  const power = POWERS.includes(quantity), gain = quantity === 'gain';
  const plane = gain ? gains(site)[state.frequency] : planeOf(site, power ? (state.mean ? 'local_mean' : 'path_gain') : quantity);
  if (quantity === 'received_power') {
    shown = { values: plane.values.map((v) => v + site.budget), unit: 'dBm', name, low: site.power_low, high: site.power_high };
  } else {
    const range = power ? planeOf(site, 'path_gain') : plane;
    shown = { values: plane.values, unit: plane.unit, name: gain ? `Gain at ${gigahertz(plane.frequency)}` : name, low: range.low, high: range.high, masks: DELAYS.includes(quantity) && site.doubt !== '' };
  }
}

const cellAt = (x, y) => ({ i: clamp(Math.round((x - state.site.x0) / state.site.pitch_x), 0, state.site.columns - 1), j: clamp(Math.round((y - state.site.y0) / state.site.pitch_y), 0, state.site.rows - 1) });
const cellX = (c) => state.site.x0 + c.i * state.site.pitch_x;
const cellY = (c) => state.site.y0 + c.j * state.site.pitch_y;
const cellZ = () => (sheets.length ? sheets[state.sheet].height - state.site.height : 0); /* over the transmitter */
const cellIndex = (c) => c.j * state.site.columns + c.i;

/* Power [dB] in every bin of the profile of a cell; NaN: under what the page resolves. */
function profile(cell) {
  const { site } = state;
  if (!site.profiles) return null;
  const at = cellIndex(cell), peak = values(site, 'peak')[at], power = new Float64Array(site.bins);
  for (let n = 0; n < site.bins; n++) {
    const q = site.profiles[at * site.bins + n];
    power[n] = q === 255 ? NaN : peak - site.profile_step * q;
  }
  return power;
}

const ROWS = [
  ['Distance', 'm', (c) => Math.hypot(cellX(c) - state.site.x, cellY(c) - state.site.y, cellZ())],
  ['Received power', 'dBm', (c) => values(state.site, 'path_gain')[cellIndex(c)] + state.site.budget],
  ['Path gain', 'dB', 'path_gain'], ['RMS delay spread', 'ns', 'rms_delay_spread'], ['Mean excess delay', 'ns', 'mean_excess_delay'],
  ['Maximum excess delay', 'ns', 'maximum_excess_delay'], ['Rician K', 'dB', 'rician_k'],
  ['Coherence bandwidth, 50\u00a0%', 'MHz', 'coherence_50'], ['Coherence bandwidth, 90\u00a0%', 'MHz', 'coherence_90'],
];
const rowValue = (row, cell) => typeof row[2] === 'string' ? values(state.site, row[2])[cellIndex(cell)] : row[2](cell);

