/* ---- which walls decide at a receiver: `planwave report --sensitivity` ---- */

const deciding = { shown: null, pointed: -1 };

/* Of the transmitter on show, the receiver nearest to the cursor; and how far that is [pixels]. */
function decidingNearest() {
  const x = cellX(state.cursor), y = cellY(state.cursor), far = (link) => Math.hypot(link.x - x, link.y - y);
  const links = (data.deciding || []).filter((link) => link.transmitter === state.site.name), nearest = links.reduce((best, link) => (!best || far(link) < far(best) ? link : best), null);
  return [nearest, nearest ? far(nearest) * view.scale : Infinity];
}

function fillDecidingCard() {
  const [nearest, far] = sheets.length ? [null, Infinity] : decidingNearest();
  $('deciding').hidden = !nearest;
  deciding.glows = Boolean(nearest) && ($('deciding-stays').checked || far < 18);
  deciding.pointed = nearest && deciding.glows ? wallAt(nearest.walls, [cellX(state.cursor), cellY(state.cursor)]) : -1;
  if (!nearest || deciding.shown === nearest) return;
  deciding.shown = nearest;
  $('deciding-of').textContent = `${nearest.receiver}, from ${nearest.transmitter}`;
  fillDeciding($('deciding-body'), nearest.walls, (n) => { deciding.pointed = n; deciding.glows = n >= 0 || $('deciding-stays').checked; draw(); });
  $('deciding-text').textContent = `${isDark() ? 'Orange' : 'Red'}: more power with more of this wall; blue: less.` + (data.nodes_left_out > 0 ? ` ${data.nodes_left_out} of ${data.nodes} nodes of walls lie beside metal and are left out.` : '');
}

/* Over the map, whose colours step back. */
function drawDecidingLayer(context, width, height) {
  const { shown, glows, pointed } = deciding;
  if (!shown || !glows || $('deciding').hidden) return;
  context.globalAlpha = 0.72; context.fillStyle = css('--card');
  context.fillRect(toX(left, width), toY(top_, height), (right - left) * view.scale, (top_ - bottom) * view.scale);
  context.globalAlpha = 0.35;
  if (walls.width > 1) drawPicture(context, walls, left, bottom, data.cell, data.cell, width, height, true);
  context.globalAlpha = 1;
  drawDeciding(context, shown.walls, pointed, width, height);
}

function drawDecidingWords(context, width, height) {
  const wall = deciding.glows && deciding.shown && deciding.shown.walls[deciding.pointed], at = [cellX(state.cursor), cellY(state.cursor)];
  if (wall) drawWallWords(context, wall, wallAt([wall], at) === 0 ? at : wall.from.map((v, n) => (v + wall.to[n]) / 2), width, height);
}
