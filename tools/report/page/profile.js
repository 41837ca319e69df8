/* ---- the profile ---- */

let plotAt = null; /* mouse over the plot */

function plotEnd() {
  const { site } = state, first = values(site, 'first_arrival'), most = values(site, 'maximum_excess_delay');
  const ends = Array.from(first, (v, n) => v + most[n]).filter(Number.isFinite).sort((a, b) => a - b);
  const last = site.first_delay + (site.bins - 1) * site.bin;
  return Math.min(last, Math.max(20, 1.2 * (ends.length ? ends[Math.floor(0.99 * (ends.length - 1))] : last)));
}

/* A delay as solved [ns] to that of the path which rises to the cells' height (src/channel/slant/slant.h). */
function slanted(site, cell, delay) {
  if (!site.rise) return delay;
  const perNanosecond = 0.299792458, upright = site.rise / perNanosecond;
  const direct = Math.hypot(cellX(cell) - site.x, cellY(cell) - site.y) / perNanosecond, first = Math.hypot(direct, upright);
  return delay >= direct ? Math.hypot(delay, upright) : first + direct / first * (delay - direct);
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
  plotFollow(peak);
  const box = plotBox(width, height);
  drawAxes(context, box, width, height);
  const live = profile(cursor), drawProfile = (power, cell, colour, fill) => drawCurve(context, box, power, (n) => slanted(site, cell, site.first_delay + n * site.bin), colour, fill);
  drawProfile(live, cursor, css('--accent'), css('--shade'));
  state.pins.forEach((pin) => drawProfile(profile(cellAt(pin.x, pin.y)), cellAt(pin.x, pin.y), PIN_COLOURS[pin.slot]));
  drawGuides(context, box);
  $('tap').textContent = `from ${state.site.name}`;
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

