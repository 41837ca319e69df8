/* ---- power-delay profiles on the canvas #plot ---- */

const plotRange = { top: null, end: 0 };

/* The levels follow the highest peak on show, but do not jump with every decibel. */
function plotFollow(peak) {
  if (Number.isFinite(peak) && (plotRange.top === null || peak > plotRange.top || peak < plotRange.top - 20)) plotRange.top = 10 * Math.ceil((peak + 2) / 10);
  if (plotRange.top === null) plotRange.top = 0;
}

function plotBox(width, height) {
  const box = { left: 54, right: width - 8, top: 6, bottom: height - 38 };
  box.x = (delay) => box.left + (box.right - box.left) * delay / plotRange.end;
  box.y = (level) => box.top + (box.bottom - box.top) * (plotRange.top - level) / 60;
  return box;
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
    const text = String(Number(delay.toPrecision(6)));
    context.fillText(text, Math.min(box.x(delay), width - context.measureText(text).width / 2 - 1), box.bottom + 6);
  }
  context.strokeStyle = css('--line');
  context.beginPath(); context.moveTo(box.left, box.bottom); context.lineTo(box.right, box.bottom); context.stroke();
  context.fillText('delay since emission [ns]', (box.left + box.right) / 2, height - 15);
  context.save(); context.translate(11, (box.top + box.bottom) / 2); context.rotate(-Math.PI / 2); context.textBaseline = 'middle';
  context.fillText('dB over free space at 1 m', 0, 0); context.restore();
}

/* Powers [dB] over delays [ns]; NaN: less than there is to tell. */
function drawCurve(context, box, power, delayOf, colour, fill) {
  context.save();
  context.beginPath(); context.rect(box.left, box.top, box.right - box.left, box.bottom - box.top); context.clip();
  context.beginPath();
  let drawn = false;
  for (let n = 0; n < power.length; n++) {
    const delay = delayOf(n);
    if (delay < 0 || delay > plotRange.end) continue;
    const y = box.y(Number.isNaN(power[n]) ? plotRange.top - 70 : power[n]);
    context[drawn ? 'lineTo' : 'moveTo'](box.x(delay), y);
    drawn = true;
  }
  context.strokeStyle = colour; context.lineWidth = fill ? 1.8 : 1.6; context.lineJoin = 'round'; context.stroke();
  if (fill) { context.lineTo(box.right, box.bottom); context.lineTo(box.left, box.bottom); context.fillStyle = fill; context.fill(); }
  context.restore();
}
