/* ---- which walls decide the level at a place: glowing on the canvas #map, and in words. A wall has from, to [m], thickness [m], material,
   db_per_10_percent and db_per_cm (null: not known) ---- */

const WALL_FALLS = { light: [33, 102, 172], dark: [96, 168, 236] }, WALL_RISES = { light: [190, 36, 44], dark: [255, 128, 92] };
const wallColour = (change) => (change < 0 ? WALL_FALLS : WALL_RISES)[isDark() ? 'dark' : 'light'];
const wallChange = (wall) => wall.db_per_10_percent ?? 0;
const mostOf = (walls) => walls.reduce((most, wall) => Math.max(most, Math.abs(wallChange(wall))), 0);
/* Small shares are seen too: by the root of the share of the strongest. */
const wallShare = (wall, most) => (most > 0 ? Math.sqrt(Math.abs(wallChange(wall)) / most) : 0);

/* From what lowers the level by nothing to what raises it, as the legend has it. */
const wallPalette = () => Array.from({ length: 256 }, (_, n) => {
  const at = n / 127.5 - 1, share = Math.sqrt(Math.abs(at)), ground = isDark() ? [25, 33, 36] : [255, 255, 255];
  return wallColour(at).map((v, c) => Math.round(ground[c] + share * (v - ground[c])));
});

/* The wall at a place, or within a few pixels; -1: none. */
function wallAt(walls, [x, y]) {
  const slack = 5 / view.scale;
  let best = -1, least = slack;
  walls.forEach(({ from, to, thickness }, n) => {
    const dx = to[0] - from[0], dy = to[1] - from[1], length = Math.hypot(dx, dy), ux = length > 0 ? dx / length : 1, uy = length > 0 ? dy / length : 0;
    const along = (x - from[0]) * ux + (y - from[1]) * uy, across = Math.abs((x - from[0]) * uy - (y - from[1]) * ux);
    const far = Math.hypot(Math.max(0, -along, along - length), Math.max(0, across - thickness / 2));
    if (far < least || (far === 0 && best < 0)) { least = far; best = n; }
  });
  return best;
}

/* The walls glow as strongly as they decide; `chosen` has a rim. */
function drawDeciding(context, walls, chosen, width, height) {
  const most = mostOf(walls);
  context.save();
  context.lineCap = 'butt';
  [...walls.keys()].reverse().forEach((n) => {
    const wall = walls[n], share = wallShare(wall, most), [x0, y0, x1, y1] = [toX(wall.from[0], width), toY(wall.from[1], height), toX(wall.to[0], width), toY(wall.to[1], height)];
    if (share < 0.08 || Math.hypot(x1 - x0, y1 - y0) < 1) return;
    const wide = Math.max(4, wall.thickness * view.scale), stroke = (colour, more) => { context.strokeStyle = colour; context.lineWidth = wide + more; context.beginPath(); context.moveTo(x0, y0); context.lineTo(x1, y1); context.stroke(); };
    const colour = wallColour(wallChange(wall));
    if (n === chosen) stroke(css('--ink'), 5);
    context.shadowColor = `rgb(${colour})`; context.shadowBlur = 22 * share;
    stroke(`rgba(${colour}, ${0.2 + 0.8 * share})`, 0);
    context.shadowBlur = 8 * share;
    stroke(`rgba(${colour}, ${share * share})`, 0);
    context.shadowBlur = 0;
  });
  context.restore();
}

/* Two figures, "−0.10". */
const signed = (v) => (v > 0 ? '+' : '') + number(v, v ? clamp(1 - Math.floor(Math.log10(Math.abs(v))), 0, 4) : 0);
const wallName = ({ material, thickness }) => `${material}, ${rounded(100 * thickness, 3)}\u00a0cm`;
const wallChanges = (wall) => [wall.db_per_10_percent !== null && `${signed(wall.db_per_10_percent)}\u00a0dB with 10\u00a0% more of it`,
  wall.db_per_cm !== null && `${signed(wall.db_per_cm)}\u00a0dB per cm thicker`].filter(Boolean).join(', ');

/* What is said beside the wall under the pointer, in two lines. */
function drawWallWords(context, wall, [x, y], width, height) {
  const lines = [wallName(wall), ...wallChanges(wall).split(', ')], px = toX(x, width), py = toY(y, height);
  context.save();
  context.font = '12.5px system-ui, sans-serif';
  const wide = Math.max(...lines.map((text) => context.measureText(text).width)) + 18, high = 18 * lines.length + 10;
  const left_ = clamp(px + 16, 6, Math.max(6, width - wide - 6)), top = py + 18 + high < height ? py + 18 : Math.max(6, py - 18 - high);
  context.fillStyle = css('--card'); context.strokeStyle = css('--line'); context.lineWidth = 1;
  context.beginPath(); context.roundRect(left_, top, wide, high, 7); context.fill(); context.stroke();
  context.textBaseline = 'middle'; context.textAlign = 'left';
  lines.forEach((text, n) => { context.fillStyle = css(n ? '--ink' : '--soft'); context.fillText(text, left_ + 9, top + 14 + 18 * n); });
  context.restore();
}

/* The first ten in a table; `choose` is told which is pointed at. */
function fillDeciding(body, walls, choose) {
  const most = mostOf(walls), keys = ['db_per_10_percent', ...(walls.some((wall) => wall.db_per_cm !== null) ? ['db_per_cm'] : [])];
  body.closest('table').tHead.rows[0].lastElementChild.hidden = keys.length < 2;
  body.replaceChildren(...walls.slice(0, 10).map((wall, n) => {
    const row = element('tr', ''), name = element('th', '', { scope: 'row' }), mark = element('i', '');
    mark.style.background = `rgba(${wallColour(wallChange(wall))}, ${0.2 + 0.8 * wallShare(wall, most)})`;
    name.append(mark, wallName(wall));
    name.title = `from (${number(wall.from[0])}, ${number(wall.from[1])}) to (${number(wall.to[0])}, ${number(wall.to[1])}) m`;
    row.append(name, ...keys.map((key) => element('td', wall[key] === null ? '–' : signed(wall[key]))));
    row.onpointerenter = () => choose(n);
    row.onpointerleave = () => choose(-1);
    return row;
  }));
}
