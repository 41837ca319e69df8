/* ---- the map ---- */

const colours = { viridis: coloursOf(data.viridis), categories: coloursOf(data.categories) };
const field = document.createElement('canvas'), walls = document.createElement('canvas');

/* One pixel a cell, row 0 of the picture on top. */
function paintField() {
  const { rows, columns } = state.site, image = new ImageData(columns, rows), pixels = new Uint32Array(image.data.buffer);
  const bright = colours.viridis.map(colourWord), pale = colours.viridis.map((c) => colourWord(paler(c))), dim = colours.viridis.map((c) => colourWord(muted(c).map(Math.round)));
  const servers = colours.categories.map(colourWord), peak = values(state.site, 'peak'), per = 255 / (shown.high - shown.low);
  for (let j = 0, n = 0; j < rows; j++) {
    for (let i = 0, to = (rows - 1 - j) * columns; i < columns; i++, n++, to++) {
      const value = shown.values[n];
      if (Number.isNaN(value)) pixels[to] = shown.masks && Number.isFinite(peak[n]) ? maskedWord(i, j) : NO_VALUE;
      else if (shown.servers) pixels[to] = servers[value % servers.length];
      else {
        const shade = clamp(Math.round((value - shown.low) * per), 0, 255);
        pixels[to] = (state.threshold !== null && value < state.threshold ? dim : shown.resolution && value < shown.resolution ? pale : bright)[shade];
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

/* Panes and sheets that are thinner than the cells of the walls. */
function drawThin(context, width, height) {
  const lines = data.thin[state.sheet] || [];
  for (const [wide, colour] of [[3.4, 'rgba(255, 255, 255, .45)'], [1.6, 'rgba(18, 18, 24, .85)']]) {
    context.lineWidth = wide; context.strokeStyle = colour; context.beginPath();
    for (let n = 0; n < lines.length; n += 4) { context.moveTo(toX(lines[n], width), toY(lines[n + 1], height)); context.lineTo(toX(lines[n + 2], width), toY(lines[n + 3], height)); }
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
  drawThin(context, width, height);
  drawDecidingLayer(context, width, height);
  context.restore();
  drawStations(context, width, height);
  drawCapacityMarks(context, width, height);
  drawScaleBar(context, height);
  drawMarks(context, width, height);
  drawDecidingWords(context, width, height);
}

