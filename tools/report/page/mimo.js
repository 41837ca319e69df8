/* ---- channels between arrays: how capacity is distributed, and the link nearest to the cursor ---- */

const mimo = data.mimo || null;
const CAPACITY_COLOURS = [['capacity', 'equal power', '--accent'], ['water', 'water filling', '--ink']];

/* The links of the transmitter on show: of an array its station, whose antennas are "name.1", "name.2". */
const mimoLinks = () => {
  const own = mimo ? mimo.links.filter((link) => link.transmitter === state.site.name || state.site.name.startsWith(`${link.transmitter}.`)) : [];
  return own.length ? own : mimo ? mimo.links : [];
};

function mimoNearest() {
  const x = cellX(state.cursor), y = cellY(state.cursor), far = (link) => Math.hypot(link.x - x, link.y - y);
  return mimoLinks().reduce((best, link) => (!best || far(link) < far(best) ? link : best), null);
}

/* A frame with ticks; returns where values go. */
function mimoFrame(context, width, height, [x0, x1], [y0, y1], xText, yText) {
  const box = { left: 46, right: width - 8, top: 8, bottom: height - 36 };
  box.x = (v) => box.left + (box.right - box.left) * (v - x0) / (x1 - x0);
  box.y = (v) => box.bottom - (box.bottom - box.top) * (v - y0) / (y1 - y0);
  context.font = '11.5px system-ui, sans-serif'; context.lineWidth = 1;
  context.textAlign = 'right'; context.textBaseline = 'middle';
  for (let step = tickStep(y1 - y0, 5), v = Math.ceil(y0 / step - 1e-9) * step; v <= y1 + 1e-9; v += step) {
    context.strokeStyle = css('--grid'); context.fillStyle = css('--soft');
    context.beginPath(); context.moveTo(box.left, box.y(v)); context.lineTo(box.right, box.y(v)); context.stroke();
    context.fillText(minus(String(Number(v.toPrecision(6)))), box.left - 6, box.y(v));
  }
  context.textAlign = 'center'; context.textBaseline = 'top';
  for (let step = tickStep(x1 - x0, 5), v = Math.ceil(x0 / step - 1e-9) * step; v <= x1 + 1e-9 * step; v += step) {
    const text = minus(String(Number(v.toPrecision(6))));
    context.fillText(text, Math.min(box.x(v), width - context.measureText(text).width / 2 - 1), box.bottom + 5);
  }
  context.fillText(xText, (box.left + box.right) / 2, height - 15);
  context.save(); context.translate(10, (box.top + box.bottom) / 2); context.rotate(-Math.PI / 2); context.textBaseline = 'middle';
  context.fillText(yText, 0, 0); context.restore();
  return box;
}

function drawCapacities(links, nearest) {
  const { context, width, height } = canvasFit($('mimo-plot'));
  context.clearRect(0, 0, width, height);
  const all = links.flatMap((link) => [link.capacity, link.water]).filter(Number.isFinite), low = Math.floor(Math.min(...all)), high = Math.max(low + 1, Math.ceil(Math.max(...all)));
  const box = mimoFrame(context, width, height, [low, high], [0, 1], 'capacity [bit/s/Hz]', 'share of links below');
  for (const [key, name, colour] of CAPACITY_COLOURS) {
    const sorted = links.map((link) => link[key]).filter(Number.isFinite).sort((a, b) => a - b);
    context.strokeStyle = css(colour); context.lineWidth = 1.8; context.beginPath();
    context.moveTo(box.left, box.y(0));
    sorted.forEach((v, n) => { context.lineTo(box.x(v), box.y(n / sorted.length)); context.lineTo(box.x(v), box.y((n + 1) / sorted.length)); });
    context.lineTo(box.right, box.y(1)); context.stroke();
    context.fillStyle = css(colour); context.textAlign = 'left'; context.textBaseline = 'top';
    context.fillText(name, box.left + 8, box.top + 4 + (key === 'water' ? 15 : 0));
  }
  context.strokeStyle = css('--soft'); context.setLineDash([3, 3]);
  if (nearest) { context.beginPath(); context.moveTo(box.x(nearest.capacity), box.top); context.lineTo(box.x(nearest.capacity), box.bottom); context.stroke(); }
  context.setLineDash([]);
}

/* Singular values over the band of one link. */
function drawSingular(link) {
  $('mimo-values').parentElement.hidden = !link.curves;
  if (!link.curves) return;
  const { context, width, height } = canvasFit($('mimo-values')), [from, to] = mimo.band.map((f) => f / 1e9), all = link.curves.flat().filter(Number.isFinite);
  context.clearRect(0, 0, width, height);
  const high = 5 * Math.ceil(Math.max(...all) / 5), low = Math.max(5 * Math.floor(Math.min(...all) / 5), high - 60);
  const box = mimoFrame(context, width, height, [from, Math.max(to, from + 1e-6)], [low, high], 'frequency [GHz]', 'singular values [dB]');
  link.curves.forEach((curve, s) => {
    context.strokeStyle = PIN_COLOURS[s % PIN_COLOURS.length]; context.lineWidth = 1.6; context.beginPath();
    let drawn = false;
    curve.forEach((v, n) => { if (v === null) { drawn = false; return; } context[drawn ? 'lineTo' : 'moveTo'](box.x(from + (to - from) * n / Math.max(1, curve.length - 1)), box.y(Math.max(low, v))); drawn = true; });
    context.stroke();
  });
}

function drawMimo() {
  const links = sheets.length ? (mimo ? mimo.links : []) : mimoLinks(), nearest = links.length ? mimoNearest() : null;
  $('mimo').hidden = !nearest;
  if (!nearest) return;
  $('mimo-at').textContent = `${nearest.receivers} × ${nearest.transmitters}, ${nearest.transmitter} to ${nearest.receiver}`;
  $('mimo-plot').parentElement.hidden = links.length < 2;
  if (links.length > 1) drawCapacities(links, nearest);
  drawSingular(nearest);
}

const MIMO_ROWS = [['SNR', 'dB', 'snr', 1], ['Rank', '', 'rank', 2], ['Condition', 'dB', 'condition', 1], ['Capacity, equal power', 'bit/s/Hz', 'capacity', 2], ['Capacity, water filling', 'bit/s/Hz', 'water', 2],
  ['Best beam, transmitter', 'dB', 'transmitter_beam', 1], ['Best beam, receiver', 'dB', 'receiver_beam', 1]];

/* The link at the cursor, beside the median of all. */
function fillMimo() {
  if (!mimo) return;
  const links = mimoLinks(), nearest = mimoNearest(), median = (key) => { const sorted = links.map((link) => link[key]).filter(Number.isFinite).sort((a, b) => a - b); return sorted.length ? (sorted[Math.floor((sorted.length - 1) / 2)] + sorted[Math.ceil((sorted.length - 1) / 2)]) / 2 : NaN; };
  const head = element('tr', '');
  head.append(element('td', ''), element('th', nearest.receiver, { scope: 'col' }), ...(links.length > 1 ? [element('th', `median of ${links.length}`, { scope: 'col' })] : []));
  $('mimo-table').tHead.replaceChildren(head);
  $('mimo-table').tBodies[0].replaceChildren(...MIMO_ROWS.map(([name, unit, key, digits]) => {
    const row = element('tr', ''), th = element('th', `${name} `, { scope: 'row' }), text = (v) => (v === null ? '–' : number(v, digits));
    th.append(element('small', unit));
    row.append(th, element('td', text(nearest[key]), { 'data-value': nearest[key] }), ...(links.length > 1 ? [element('td', text(median(key)))] : []));
    return row;
  }));
}

/* Receivers in the colours of their capacity, where that is asked for. */
function drawCapacityMarks(context, width, height) {
  if (!mimo || !$('mimo-marks').checked || sheets.length) return;
  const links = mimoLinks(), all = links.map((link) => link.capacity).filter(Number.isFinite), low = Math.min(...all), high = Math.max(...all, low + 1e-9);
  for (const link of links) {
    const colour = colours.viridis[clamp(Math.round(255 * (link.capacity - low) / (high - low)), 0, 255)], x = toX(link.x, width), y = toY(link.y, height);
    context.beginPath(); context.arc(x, y, 8, 0, 7);
    context.fillStyle = `rgb(${colour})`; context.strokeStyle = '#fff'; context.lineWidth = 1.5; context.fill(); context.stroke();
  }
  context.font = '600 12px system-ui, sans-serif'; context.textBaseline = 'alphabetic';
  drawLabel(context, `capacity ${number(low, 1)} to ${number(high, 1)} bit/s/Hz`, width - 14, height - 14, 'right');
}
