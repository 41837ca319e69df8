/* ---- what is shown ---- */

/* In three dimensions there is a site for every transmitter on every sheet, which is a height or a vertical cut and a component of the
   field; `data.sites` are those of the sheet on show. A point of a sheet is (x, y), of a cut across y (x, height), across x (y, height). */
const { sheets } = data, allSites = data.sites, sitesOf = (sheet) => allSites.filter((s) => s.sheet === sheet);
const samePlane = (a, b) => a.normal === b.normal && a.asked === b.asked, inPlane = (sheet) => sheets.map((s, n) => n).filter((n) => samePlane(sheets[n], sheets[sheet]));
const heights = [...new Set(sheets.filter((s) => s.normal === 2).map((s) => s.asked))].sort((a, b) => a - b);
const cuts = sheets.map((s, n) => n).filter((n) => sheets[n].normal < 2 && inPlane(n)[0] === n); /* the first sheet of each */
const sheetFirst = Math.max(0, sheets.findIndex((s) => s.component === 'Ez' && s.normal === 2));
data.sites = sitesOf(sheetFirst);
[left, right, bottom, top_] = data.sites[0].extent;
view.x = (left + right) / 2; view.y = (bottom + top_) / 2;
const state = { sheet: sheetFirst, site: data.sites[0], quantity: 'received_power', mean: true, frequency: 0, threshold: null, cursor: null, pins: [] };
const DELAYS = ['rms_delay_spread', 'mean_excess_delay', 'maximum_excess_delay'];
const POWERS = ['received_power', 'path_gain'], SERVERS = ['best_signal', 'best_server', 'sinr'];
const sameGrid = data.sites.every((s) => s.rows === data.sites[0].rows && s.columns === data.sites[0].columns && s.x0 === data.sites[0].x0 && s.y0 === data.sites[0].y0);

const planeOf = (site, key) => site.planes.find((p) => p.key === key);
const gains = (site) => site.planes.filter((p) => p.key === 'gain');
const values = (site, key) => planeOf(site, key).values;

/* How much of a sender's power falls into the channel of another, which are [from, to, name] in Hz: pw_wifi_overlap(). */
const overlap = (sender, own) => !sender || !own ? 1 : Math.max(0, Math.min(sender[1], own[1]) - Math.max(sender[0], own[0])) / (sender[1] - sender[0]);

/* In every cell the transmitter with the most power (the first of equals), that power, and its ratio to the noise and all the others,
   as `planwave map` has them. */
function bestServer() {
  const levels = data.sites.map((s) => values(s, state.mean ? 'local_mean' : 'path_gain').map((v) => v + s.budget)), noise = 10 ** (data.noise / 10);
  const best = new Float64Array(levels[0].length).fill(NaN), ratio = best.slice(), signal = best.slice();
  const shares = data.sites.map((own) => data.sites.map((sender) => overlap(sender.channel, own.channel)));
  for (let n = 0; n < best.length; n++) {
    let most = NaN, against = noise;
    levels.forEach((level, s) => { if (!Number.isNaN(level[n]) && !(level[n] <= most)) { most = level[n]; best[n] = s; } });
    levels.forEach((level, s) => { if (!Number.isNaN(level[n]) && s !== best[n]) against += shares[best[n]][s] * 10 ** (level[n] / 10); });
    signal[n] = most;
    ratio[n] = most - 10 * Math.log10(against);
  }
  return { best, ratio, signal };
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
  if (quantity === 'sinr' || quantity === 'best_signal') {
    const found = bestServer(), all = quantity === 'sinr' ? found.ratio : found.signal, sorted = all.filter(Number.isFinite).sort();
    const low = 5 * Math.floor((sorted[Math.floor(sorted.length / 50)] || 0) / 5), high = 5 * Math.ceil((sorted[Math.floor(0.998 * (sorted.length - 1))] || 0) / 5);
    shown = { values: all, unit: quantity === 'sinr' ? 'dB' : 'dBm', name, low, high: Math.max(high, low + 5) };
    return;
  }
  const power = POWERS.includes(quantity), gain = quantity === 'gain';
  const plane = gain ? gains(site)[state.frequency] : planeOf(site, power ? (state.mean ? 'local_mean' : 'path_gain') : quantity);
  if (quantity === 'received_power') {
    shown = { values: plane.values.map((v) => v + site.budget), unit: 'dBm', name, low: site.power_low, high: site.power_high };
  } else {
    const range = power ? planeOf(site, 'path_gain') : plane;
    shown = { values: plane.values, unit: plane.unit, name: gain ? `Gain at ${gigahertz(plane.frequency)}` : name, low: range.low, high: range.high, masks: DELAYS.includes(quantity) && site.doubt !== '', resolution: DELAYS.includes(quantity) ? site.resolution : 0 };
  }
}

const cellAt = (x, y) => ({ i: clamp(Math.round((x - state.site.x0) / state.site.pitch_x), 0, state.site.columns - 1), j: clamp(Math.round((y - state.site.y0) / state.site.pitch_y), 0, state.site.rows - 1) });
const cellX = (c) => state.site.x0 + c.i * state.site.pitch_x;
const cellY = (c) => state.site.y0 + c.j * state.site.pitch_y;
/* Where a point of the sheet on show lies in space; without heights NaN. And what of a place in space the sheet shows, and how far it is across. */
const toSpace = (u, v) => { const { normal, position } = sheets[state.sheet] || {}; return normal === 0 ? [position, u, v] : normal === 1 ? [u, position, v] : [u, v, position ?? NaN]; };
const toSheet = ({ x, y, height }) => { const { normal } = sheets[state.sheet] || {}; return normal === 0 ? [y, height, x] : normal === 1 ? [x, height, y] : [x, y, height]; };
const cellDistance = (c) => { const [x, y, z] = toSpace(cellX(c), cellY(c)), { site } = state; return Math.hypot(x - site.x, y - site.y, sheets.length ? z - site.height : 0); };
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
  ['Distance', 'm', cellDistance],
  ['Received power', 'dBm', (c) => values(state.site, 'path_gain')[cellIndex(c)] + state.site.budget],
  ['Gain over free space at 1 m', 'dB', 'path_gain'], ['RMS delay spread', 'ns', 'rms_delay_spread'], ['Mean excess delay', 'ns', 'mean_excess_delay'],
  ['Maximum excess delay', 'ns', 'maximum_excess_delay'], ['Rician K', 'dB', 'rician_k'],
  ['Coherence bandwidth, 50\u00a0%', 'MHz', 'coherence_50'], ['Coherence bandwidth, 90\u00a0%', 'MHz', 'coherence_90'],
];
const rowValue = (row, cell) => typeof row[2] === 'string' ? values(state.site, row[2])[cellIndex(cell)] : row[2](cell);

