/* ---- angles of arrival at the receiver nearest to the cursor ---- */

const ROSE_RINGS = 3; /* of 10 dB */

function nearestReceiver() {
  const x = cellX(state.cursor), y = cellY(state.cursor), far = (r) => Math.hypot(r.x - x, r.y - y);
  return state.site.receivers.filter((r) => r.angles).reduce((best, r) => (!best || far(r) < far(best) ? r : best), null);
}

function drawRose(under) {
  const { context, width, height } = canvasFit($('rose')), middle = [width / 2, height / 2], radius = Math.min(width, height) / 2 - 2;
  const at = (degrees, far) => [middle[0] + far * Math.cos(degrees * Math.PI / 180), middle[1] - far * Math.sin(degrees * Math.PI / 180)];
  context.clearRect(0, 0, width, height);
  context.strokeStyle = css('--line'); context.lineWidth = 1;
  for (let ring = 1; ring <= ROSE_RINGS; ring++) { context.beginPath(); context.arc(...middle, radius * ring / ROSE_RINGS, 0, 7); context.stroke(); }
  for (let degrees = 0; degrees < 360; degrees += 90) { context.beginPath(); context.moveTo(...middle); context.lineTo(...at(degrees, radius)); context.stroke(); }
  context.beginPath();
  under.forEach((level, degrees) => context[degrees ? 'lineTo' : 'moveTo'](...at(degrees, radius * Math.max(0, 1 - level / (10 * ROSE_RINGS)))));
  context.closePath();
  context.fillStyle = css('--shade'); context.fill();
  context.strokeStyle = css('--accent'); context.lineWidth = 1.6; context.stroke();
}

function drawAngles() {
  const receiver = nearestReceiver();
  $('angles').hidden = !receiver;
  if (!receiver) return;
  const { angles } = receiver;
  $('angles-at').textContent = `at ${receiver.name}`;
  $('rose').hidden = !angles.under;
  if (!angles.under) { $('angles-text').textContent = angles.reason; return; }
  drawRose(angles.under);
  const peaks = angles.peaks.slice(0, 4).map(([azimuth, level]) => `${number(azimuth, 0)}°: ${number(level, 1)} dB`);
  const doubt = angles.residual > 0.1 ? [`in doubt: ${number(100 * angles.residual, 0)} % of the field is not explained`] : [];
  const left = angles.departures ? [`leaves ${state.site.name} at ${angles.departures.slice(0, 4).map(([azimuth]) => `${number(azimuth, 0)}°`).join(', ')}`] : [];
  $('angles-text').textContent = [...peaks, ...left, `resolved to ${number(angles.beam, 0)}°; counterclockwise from x`, ...doubt].join('\n');
}
