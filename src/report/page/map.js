/* ---- the map ---- */

const colours = { viridis: [], categories: [] };
for (const list of ['viridis', 'categories']) {
  for (let n = 0; n < data[list].length; n += 6) colours[list].push([0, 2, 4].map((k) => parseInt(data[list].substr(n + k, 2), 16)));
}
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const isDark = () => document.documentElement.dataset.theme === 'dark';
const field = document.createElement('canvas'), walls = document.createElement('canvas');

/* What lies under the threshold keeps its structure and loses its colour. */
function muted([r, g, b]) {
  const light = (0.3 * r + 0.59 * g + 0.11 * b) / 255, grey = isDark() ? 52 + 46 * light : 192 + 44 * light;
  return [grey, grey, grey + 3];
}

/* One pixel a cell, row 0 of the picture on top. */
function paintField() {
  const { rows, columns } = state.site, image = new ImageData(columns, rows), pixels = new Uint32Array(image.data.buffer);
  const word = ([r, g, b]) => (255 << 24 | b << 16 | g << 8 | r) >>> 0;
  const bright = colours.viridis.map(word), dim = colours.viridis.map((c) => word(muted(c).map(Math.round)));
  const servers = colours.categories.map(word), none = word([48, 48, 52]), hatch = [word([222, 222, 222]), word([190, 190, 190])], peak = values(state.site, 'peak'), per = 255 / (shown.high - shown.low);
  for (let j = 0, n = 0; j < rows; j++) {
    for (let i = 0, to = (rows - 1 - j) * columns; i < columns; i++, n++, to++) {
      const value = shown.values[n];
      if (Number.isNaN(value)) pixels[to] = shown.masks && Number.isFinite(peak[n]) ? hatch[(i + j) % 4 >> 1] : none;
      else if (shown.servers) pixels[to] = servers[value % servers.length];
      else {
        const shade = clamp(Math.round((value - shown.low) * per), 0, 255);
        pixels[to] = state.threshold !== null && value < state.threshold ? dim[shade] : bright[shade];
      }
    }
  }
  field.width = columns; field.height = rows;
  field.getContext('2d').putImageData(image, 0, 0);
}

const nodesOf = (sheet) => sitesOf(sheet)[0].nodes;
const loadWalls = (sheet) => unpack(`walls-${sheet}`, nodesOf(sheet)[0] * nodesOf(sheet)[1]);

function paintWalls(bytes) {
  const [columns, rows] = nodesOf(state.sheet), image = new ImageData(columns, rows);
  for (let j = 0; j < rows; j++) {
    for (let i = 0; i < columns; i++) {
      const permittivity = bytes[j * columns + i] / data.wall_steps, to = 4 * ((rows - 1 - j) * columns + i);
      image.data[to] = image.data[to + 1] = 18;
      image.data[to + 2] = 24;
      image.data[to + 3] = permittivity > 1.1 ? 255 * 0.62 * Math.min(1, 0.35 + 0.5 * (permittivity - 1.1)) : 0;
    }
  }
  walls.width = columns; walls.height = rows;
  walls.getContext('2d').putImageData(image, 0, 0);
}

/* Sizes a canvas to its box; its context then counts in CSS pixels. */
function canvasFit(canvas) {
  const box = canvas.getBoundingClientRect(), ratio = window.devicePixelRatio || 1, context = canvas.getContext('2d');
  const width = Math.round(box.width * ratio), height = Math.round(box.height * ratio);
  if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return { context, width: box.width, height: box.height };
}

const mapSize = () => { const box = $('map').getBoundingClientRect(); return [box.width, box.height]; };
const toX = (x, width) => width / 2 + (x - view.x) * view.scale;
const toY = (y, height) => height / 2 - (y - view.y) * view.scale;

function viewClamp() {
  const [width, height] = mapSize(), was = view.fit;
  view.fit = Math.max(1e-9, Math.min((width - 20) / (right - left), (height - 20) / (top_ - bottom)));
  if (view.scale <= was * 1.001) view.scale = view.fit;
  view.scale = clamp(view.scale, view.fit, Math.max(view.fit, 64 / Math.min(state.site.pitch_x, state.site.pitch_y)));
  const free = (low, high, size) => { const half = (size / 2 - 10) / view.scale, middle = (low + high) / 2; return high - low <= 2 * half ? [middle, middle] : [low + half, high - half]; };
  view.x = clamp(view.x, ...free(left, right, width));
  view.y = clamp(view.y, ...free(bottom, top_, height));
}

/* Zooms by a factor about a place of the canvas, which stays where it is. */
function zoom(factor, px, py) {
  const [width, height] = mapSize(), x = view.x + (px - width / 2) / view.scale, y = view.y - (py - height / 2) / view.scale;
  view.scale = Math.max(view.scale * factor, view.fit);
  viewClamp();
  view.x = x - (px - width / 2) / view.scale;
  view.y = y + (py - height / 2) / view.scale;
  viewClamp();
  draw();
}

function drawPicture(context, picture, x0, y0, dx, dy, width, height, smooth) {
  context.imageSmoothingEnabled = smooth;
  context.imageSmoothingQuality = 'high';
  context.drawImage(picture, toX(x0 - dx / 2, width), toY(y0 + (picture.height - 0.5) * dy, height), picture.width * dx * view.scale, picture.height * dy * view.scale);
}

function drawLabel(context, text, x, y, align = 'left') {
  context.textAlign = align;
  context.lineWidth = 3; context.lineJoin = 'round'; context.strokeStyle = 'rgba(10, 16, 20, .75)'; context.fillStyle = '#fff';
  context.strokeText(text, x, y);
  context.fillText(text, x, y);
}

function drawStations(context, width, height) {
  const marks = state.site.receivers.map((r) => ({ ...r, receiver: true })).concat(data.sites);
  context.font = '600 12px system-ui, sans-serif';
  context.textBaseline = 'middle';
  for (const mark of marks) {
    const [u, v, across] = toSheet(mark), x = toX(u, width), y = toY(v, height), active = mark === state.site || shown.servers;
    const { normal, position } = sheets[state.sheet] || {}, away = normal < 2 && Math.abs(across - position) > 0.05;
    const name = away ? `${mark.name}, ${'xy'[normal]} ${number(across)} m` : mark.name;
    context.beginPath();
    if (mark.receiver) context.rect(x - 3.5, y - 3.5, 7, 7);
    else { for (let k = 0; k < 3; k++) context[k ? 'lineTo' : 'moveTo'](x + 9 * Math.sin(k * 2.0944), y - 9 * Math.cos(k * 2.0944)); context.closePath(); }
    context.fillStyle = mark.receiver ? '#fff' : active ? '#ff5d52' : '#c9b7b5';
    context.strokeStyle = 'rgba(10, 16, 20, .85)'; context.lineWidth = 1.5;
    context.fill(); context.stroke();
    const onLeft = x + 18 + context.measureText(name).width > width;
    drawLabel(context, name, onLeft ? x - 15 : x + 15, y, onLeft ? 'right' : 'left');
  }
}

function drawScaleBar(context, height) {
  const most = 130 / view.scale, power = 10 ** Math.floor(Math.log10(most)), length = [5, 2, 1].map((k) => k * power).find((l) => l <= most);
  const x = 20, y = height - 22, w = length * view.scale, text = length >= 1 ? `${length} m` : `${Math.round(100 * length)} cm`;
  context.fillStyle = 'rgba(12, 18, 22, .5)';
  context.beginPath(); context.rect(x - 8, y - 20, Math.max(w, 36) + 16, 32); context.fill();
  context.strokeStyle = '#fff'; context.lineWidth = 2;
  context.beginPath(); context.moveTo(x, y - 1); context.lineTo(x, y + 5); context.lineTo(x + w, y + 5); context.lineTo(x + w, y - 1); context.stroke();
  context.font = '12px system-ui, sans-serif'; context.fillStyle = '#fff'; context.textAlign = 'left'; context.textBaseline = 'alphabetic';
  context.fillText(text, x, y - 5);
}

function drawMarks(context, width, height) {
  state.pins.forEach((pin) => {
    const cell = cellAt(pin.x, pin.y), x = toX(cellX(cell), width), y = toY(cellY(cell), height);
    context.beginPath(); context.arc(x, y, 10, 0, 7);
    context.fillStyle = PIN_COLOURS[pin.slot]; context.strokeStyle = '#fff'; context.lineWidth = 2;
    context.fill(); context.stroke();
    context.fillStyle = '#10181b'; context.font = '700 12px system-ui, sans-serif'; context.textAlign = 'center'; context.textBaseline = 'middle';
    context.fillText(pin.slot + 1, x, y + 0.5);
  });
  const x = toX(cellX(state.cursor), width), y = toY(cellY(state.cursor), height);
  for (const [line, colour] of [[4, 'rgba(10, 16, 20, .8)'], [2, '#fff']]) {
    context.lineWidth = line; context.strokeStyle = colour;
    context.beginPath(); context.arc(x, y, 7, 0, 7);
    for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) { context.moveTo(x + 7 * dx, y + 7 * dy); context.lineTo(x + 13 * dx, y + 13 * dy); }
    context.stroke();
  }
}

function drawMap() {
  const { context, width, height } = canvasFit($('map')), { site } = state;
  context.clearRect(0, 0, width, height);
  context.save();
  context.beginPath(); context.rect(toX(left, width), toY(top_, height), (right - left) * view.scale, (top_ - bottom) * view.scale); context.clip();
  const coarse = Math.min(site.pitch_x, site.pitch_y) * view.scale > 14;
  drawPicture(context, field, site.x0, site.y0, site.pitch_x, site.pitch_y, width, height, !shown.servers && !coarse);
  if (walls.width > 1) drawPicture(context, walls, left, bottom, data.cell, data.cell, width, height, true);
  context.restore();
  drawStations(context, width, height);
  drawScaleBar(context, height);
  drawMarks(context, width, height);
}

