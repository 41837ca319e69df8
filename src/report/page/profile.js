/* ---- the profile ---- */

const plotRange = { top: null, end: 0 };
let plotAt = null; /* mouse over the plot */

function plotEnd() {
  const { site } = state, first = values(site, 'first_arrival'), most = values(site, 'maximum_excess_delay');
  const ends = Array.from(first, (v, n) => v + most[n]).filter(Number.isFinite).sort((a, b) => a - b);
  const last = site.first_delay + (site.bins - 1) * site.bin;
  return Math.min(last, Math.max(20, 1.2 * (ends.length ? ends[Math.floor(0.99 * (ends.length - 1))] : last)));
}

function tickStep(range, count) {
  const step = 10 ** Math.floor(Math.log10(range / count));
  return [1, 2, 5, 10].map((k) => k * step).find((s) => range / s <= count * 1.01) || 10 * step;
}

/* A delay as solved [ns] to that of the path which rises to the cells' height (src/channel/slant/slant.h). */
function slanted(site, cell, delay) {
  if (!site.rise) return delay;
  const perNanosecond = 0.299792458, upright = site.rise / perNanosecond;
  const direct = Math.hypot(cellX(cell) - site.x, cellY(cell) - site.y) / perNanosecond, first = Math.hypot(direct, upright);
  return delay >= direct ? Math.hypot(delay, upright) : first + direct / first * (delay - direct);
}

function drawCurve(context, power, cell, colour, box, fill) {
  const { site } = state;
  context.save();
  context.beginPath(); context.rect(box.left, box.top, box.right - box.left, box.bottom - box.top); context.clip();
  context.beginPath();
  let drawn = false;
  for (let n = 0; n < site.bins; n++) {
    const delay = slanted(site, cell, site.first_delay + n * site.bin);
    if (delay < 0 || delay > plotRange.end) continue;
    const y = box.y(Number.isNaN(power[n]) ? plotRange.top - 70 : power[n]);
    context[drawn ? 'lineTo' : 'moveTo'](box.x(delay), y);
    drawn = true;
  }
  context.strokeStyle = colour; context.lineWidth = fill ? 1.8 : 1.6; context.lineJoin = 'round'; context.stroke();
  if (fill) { context.lineTo(box.right, box.bottom); context.lineTo(box.left, box.bottom); context.fillStyle = fill; context.fill(); }
  context.restore();
}

function drawAxes(context, box, width, height) {
  context.font = '11.5px system-ui, sans-serif'; context.lineWidth = 1;
  context.textBaseline = 'middle'; context.textAlign = 'right';
  for (let level = plotRange.top; level >= plotRange.top - 60; level -= 10) {
    context.strokeStyle = css('--grid'); context.fillStyle = css('--soft');
    context.beginPath(); context.moveTo(box.left, box.y(level)); context.lineTo(box.right, box.y(level)); context.stroke();
    context.fillText(minus(String(level)), box.left - 6, box.y(level));
  }
  context.textBaseline = 'top'; context.textAlign = 'center';
  const step = tickStep(plotRange.end, width > 380 ? 7 : 5);
  for (let delay = 0; delay <= plotRange.end; delay += step) {
    context.strokeStyle = css('--line');
    context.beginPath(); context.moveTo(box.x(delay), box.bottom); context.lineTo(box.x(delay), box.bottom + 4); context.stroke();
    context.fillText(String(delay), box.x(delay), box.bottom + 6);
  }
  context.strokeStyle = css('--line');
  context.beginPath(); context.moveTo(box.left, box.bottom); context.lineTo(box.right, box.bottom); context.stroke();
  context.fillText('delay since emission [ns]', (box.left + box.right) / 2, height - 15);
  context.save(); context.translate(11, (box.top + box.bottom) / 2); context.rotate(-Math.PI / 2); context.textBaseline = 'middle';
  context.fillText('dB over free space at 1 m', 0, 0); context.restore();
}

/* Threshold, noise floor, first arrival, and mean delay with the rms spread on either side, of the cursor's profile. */
function drawGuides(context, box) {
  const at = cellIndex(state.cursor), take = (key) => values(state.site, key)[at];
  const level = (value, text, dash) => {
    if (!(value > plotRange.top - 60 && value <= plotRange.top)) return;
    context.setLineDash(dash);
    context.beginPath(); context.moveTo(box.left, box.y(value)); context.lineTo(box.right, box.y(value)); context.stroke();
    context.setLineDash([]);
    context.textAlign = 'right'; context.textBaseline = 'bottom';
    context.fillText(text, box.right - 2, box.y(value) - 1);
  };
  context.strokeStyle = context.fillStyle = css('--soft'); context.lineWidth = 1; context.font = '11px system-ui, sans-serif';
  level(take('threshold'), 'threshold', [6, 4]);
  level(take('noise_floor'), 'noise floor', [2, 3]);
  const first = take('first_arrival'), mean = first + take('mean_excess_delay'), rms = take('rms_delay_spread');
  if (!Number.isFinite(mean) || !Number.isFinite(rms)) return;
  context.setLineDash([2, 3]);
  context.beginPath(); context.moveTo(box.x(first), box.top); context.lineTo(box.x(first), box.bottom); context.stroke();
  context.setLineDash([]);
  const y = box.top + 9, from = Math.max(0, mean - rms), to = Math.min(plotRange.end, mean + rms);
  context.strokeStyle = css('--ink'); context.lineWidth = 1.5;
  context.beginPath(); context.moveTo(box.x(from), y); context.lineTo(box.x(to), y);
  for (const x of [box.x(from), box.x(to)]) { context.moveTo(x, y - 3); context.lineTo(x, y + 3); }
  context.stroke();
  context.fillStyle = css('--ink'); context.beginPath(); context.arc(box.x(mean), y, 3, 0, 7); context.fill();
  context.fillStyle = css('--soft'); context.textAlign = 'left'; context.textBaseline = 'middle';
  context.fillText('mean ± rms spread', box.x(to) + 7, y);
}

function drawPlot() {
  const { context, width, height } = canvasFit($('plot')), { site, cursor } = state;
  context.clearRect(0, 0, width, height);
  const message = !site.bins ? 'No delays: the result has fewer than 8 frequencies' : !site.profiles ? 'Unpacking the profiles …' : '';
  if (message) {
    context.fillStyle = css('--soft'); context.font = '13px system-ui, sans-serif'; context.textAlign = 'center'; context.fillText(message, width / 2, height / 2);
    return;
  }
  const peaks = [cursor, ...state.pins.map((p) => cellAt(p.x, p.y))].map((c) => values(site, 'peak')[cellIndex(c)]).filter(Number.isFinite), peak = Math.max(...peaks);
  if (peaks.length && (plotRange.top === null || peak > plotRange.top || peak < plotRange.top - 20)) plotRange.top = 10 * Math.ceil((peak + 2) / 10);
  if (plotRange.top === null) plotRange.top = 0;
  const box = { left: 50, right: width - 8, top: 6, bottom: height - 38 };
  box.x = (delay) => box.left + (box.right - box.left) * delay / plotRange.end;
  box.y = (level) => box.top + (box.bottom - box.top) * (plotRange.top - level) / 60;
  drawAxes(context, box, width, height);
  const live = profile(cursor);
  drawCurve(context, live, cursor, css('--accent'), box, css('--shade'));
  state.pins.forEach((pin) => drawCurve(context, profile(cellAt(pin.x, pin.y)), cellAt(pin.x, pin.y), PIN_COLOURS[pin.slot], box));
  drawGuides(context, box);
  $('tap').textContent = '';
  if (plotAt !== null && plotAt >= box.left && plotAt <= box.right) {
    const wanted = (plotAt - box.left) / (box.right - box.left) * plotRange.end, at = (k) => slanted(site, cursor, site.first_delay + k * site.bin);
    let n = 0;
    while (n < site.bins - 1 && Math.abs(at(n + 1) - wanted) <= Math.abs(at(n) - wanted)) n++;
    const delay = at(n);
    $('tap').textContent = `${number(delay, 1)} ns: ${Number.isNaN(live[n]) ? 'under the range' : `${number(live[n], 1)} dB`}`;
    context.strokeStyle = css('--soft'); context.lineWidth = 1;
    context.beginPath(); context.moveTo(box.x(delay), box.top); context.lineTo(box.x(delay), box.bottom); context.stroke();
  }
}

