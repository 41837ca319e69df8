/* ---- the delay profile at the cursor ---- */

const channel = { transmitter: '', asking: false, again: false, timer: 0 };
let plotAt = null; /* mouse over the plot */

/* Asks for the profile at the cursor: one question at a time, the newest when the last was answered. */
function askChannel() {
  if (!live.connected || !live.state || !state.cursor || !live.map) return;
  if (channel.asking) { channel.again = true; return; }
  channel.asking = true; channel.again = false;
  channel.transmitter = channelSite();
  const [x, y] = state.cursor;
  send({ type: 'channel', x: clamp(x, left, right), y: clamp(y, bottom, top_), transmitter: channel.transmitter }).then((answer) => {
    if (answer.type === 'refused') { live.channel = null; channel.refused = answer.text; fillFacts(); askMimo(); draw(); }
    setTimeout(() => { channel.asking = false; if (channel.again) askChannel(); }, 60);
    if (answer.type === 'channel') channelArrived(answer);
  });
}

const delayOf = (answer) => (n) => answer.delay_first_ns + n * answer.delay_step_ns;

function channelArrived(answer) {
  answer.power = Float64Array.from(answer.power_db || [], (v) => (v === null ? NaN : v));
  const was = resolutionOf(live.map);
  live.channel = answer; channel.refused = '';
  if (live.map && resolutionOf(live.map) !== was) { paintMap(); fillLegend(); fillReading(); }
  const peak = answer.power.reduce((most, v) => (v > most ? v : most), -Infinity), delay = delayOf(answer);
  let last = 0;
  answer.power.forEach((v, n) => { if (v > peak - 52) last = n; });
  const end = Math.max(20, 1.1 * delay(last));
  if (!(end <= plotRange.end && end > 0.5 * plotRange.end)) { const step = tickStep(end, 5); plotRange.end = step * Math.ceil(end / step); }
  fillFacts(); askMimo(); draw();
}

/* Beside the plot what planwave channel prints; what may not be right is said, as on the page of the report. */
function fillFacts() {
  const found = live.channel;
  if (!found) { $('facts').textContent = ''; $('doubt').textContent = channel.refused || ''; return; }
  const delay = (v) => (v === null || v === undefined ? '–' : `${delayText(v, found.delay_resolution_ns || 0)} ns`);
  const value = (v, unit, digits = 1) => (v === null || v === undefined ? '–' : `${number(v, digits)} ${unit}`);
  $('facts').textContent = [`gain over free space at 1 m ${value(found.path_gain_db, 'dB', 2)}`, `received ${value(found.received_power_dbm, 'dBm', 2)}`, `rms delay spread ${delay(found.rms_delay_spread_ns)}`, `mean excess delay ${delay(found.mean_excess_delay_ns)}`,
    `Rician K ${value(found.rician_k_db, 'dB')}`].join(' · ');
  const old = live.state && found.revision !== live.state.revision ? 'Of the floor before the last change.' : '';
  $('doubt').textContent = [old, found.note && sentence(found.note).replace(/([^.])$/, '$1.')].filter(Boolean).join(' ');
  $('plot').setAttribute('aria-label', `Power-delay profile from ${found.transmitter} at x ${number(found.x)} m, y ${number(found.y)} m: ${$('facts').textContent}. ${$('doubt').textContent}`);
}

function drawPlot() {
  const { context, width, height } = canvasFit($('plot')), found = live.channel;
  context.clearRect(0, 0, width, height);
  if (!found || !found.power.length) {
    context.fillStyle = css('--soft'); context.font = '13px system-ui, sans-serif'; context.textAlign = 'center';
    context.fillText(found ? 'No delays: fewer than 8 frequencies are solved' : 'The delay profile comes with the first full map', width / 2, height / 2);
    $('tap').textContent = '';
    return;
  }
  plotFollow(found.power.reduce((most, v) => (v > most ? v : most), -Infinity));
  const box = plotBox(width, height), old = live.state && found.revision !== live.state.revision, delay = delayOf(found);
  drawAxes(context, box, width, height);
  context.globalAlpha = old ? 0.45 : 1;
  drawCurve(context, box, found.power, delay, css('--accent'), css('--shade'));
  context.globalAlpha = 1;
  $('tap').textContent = `from ${found.transmitter}`;
  if (plotAt === null || plotAt < box.left || plotAt > box.right) return;
  const wanted = (plotAt - box.left) / (box.right - box.left) * plotRange.end;
  let n = 0;
  while (n < found.power.length - 1 && Math.abs(delay(n + 1) - wanted) <= Math.abs(delay(n) - wanted)) n++;
  $('tap').textContent = `${number(delay(n), 1)} ns: ${Number.isNaN(found.power[n]) ? 'under the range' : `${number(found.power[n], 1)} dB`}`;
  context.strokeStyle = css('--soft'); context.lineWidth = 1;
  context.beginPath(); context.moveTo(box.x(delay(n)), box.top); context.lineTo(box.x(delay(n)), box.bottom); context.stroke();
}
