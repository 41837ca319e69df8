/* ---- painting ---- */

const colours = { viridis: [], categories: [] };
const pictures = { map: document.createElement('canvas'), plan: document.createElement('canvas'), wave: document.createElement('canvas') };

/* Fills a canvas with `wordOf(n, i, j)` for every cell, row 0 of the frame at the bottom. */
function paintCells(canvas, frame, wordOf) {
  const { rows, columns } = frame, image = new ImageData(columns, rows), pixels = new Uint32Array(image.data.buffer);
  for (let j = 0, n = 0; j < rows; j++) {
    for (let i = 0, to = (rows - 1 - j) * columns; i < columns; i++, n++, to++) pixels[to] = wordOf(n, i, j);
  }
  canvas.width = columns; canvas.height = rows;
  canvas.getContext('2d').putImageData(image, 0, 0);
}

/* ---- the map ---- */

/* The colours reach from the lowest 2 % to all but the highest 0.2 % of what is defined, rounded to 5 dB, and then stay, so that two floors can be
   compared by eye; another quantity, or the button, chooses them anew. */
function chooseRange(frame, anew) {
  const { word, unit } = quantityOf(frame), key = `${word} ${frame.transmitter}`;
  if (!anew && state.range && state.range.key === key) return;
  if (!state.range || state.range.word !== word) state.threshold = null;
  const sorted = frame.values.filter(Number.isFinite).sort(), at = (part) => sorted[Math.floor(part * (sorted.length - 1))] || 0;
  const decibels = unit.startsWith('dB'), step = decibels ? 5 : tickStep(Math.max(at(0.998), 1e-3), 8);
  const low = decibels ? step * Math.floor(at(0.02) / step) : 0, high = step * Math.ceil(at(0.998) / step);
  state.range = { key, word, low, high: Math.max(high, low + step) };
}

const mapPalette = (falls) => (falls ? [...colours.viridis].reverse() : colours.viridis);

/* What the threshold divides; previews, whose cells are others, have no share. */
function covered() {
  const { map, floor } = live, quantity = map && quantityOf(map);
  if (state.layer !== 'map' || !map || !state.range || quantity.word === 'best-server') return null;
  const same = map.full && floor && floor.revision === map.revision && floor.rows === map.rows && floor.columns === map.columns;
  return { values: map.values, is_floor: (n) => same && floor.values[n] === 1, floor: floor ? live.hello.floors[floor.quantity] : 'floor', low: state.range.low, high: state.range.high,
    unit: quantity.unit, falls: quantity.falls, palette: mapPalette(quantity.falls) };
}

function paintMap() {
  const { map } = live, { word, falls } = quantityOf(map);
  if (word === 'best-server') {
    const servers = colours.categories.map(colourWord);
    paintCells(pictures.map, map, (n) => (Number.isNaN(map.values[n]) ? NO_VALUE : servers[map.values[n] % servers.length]));
    return;
  }
  chooseRange(map, false);
  const { low, high } = state.range, per = 255 / (high - low), masks = DELAY_WORDS.includes(word);
  const palette = mapPalette(falls), bright = palette.map(colourWord), dim = palette.map((c) => colourWord(muted(c).map(Math.round))), pale = palette.map((c) => colourWord(paler(c))), resolution = resolutionOf(map), centre = (i, j) => [map.x0 + i * map.pitch_x, map.y0 + j * map.pitch_y];
  paintCells(pictures.map, map, (n, i, j) => {
    const value = map.values[n];
    if (Number.isNaN(value)) return masks && isMasked(word, centre(i, j)) ? maskedWord(i, j) : NO_VALUE;
    return (state.threshold !== null && !meets(value, falls) ? dim : resolution && value < resolution ? pale : bright)[clamp(Math.round((value - low) * per), 0, 255)];
  });
}

/* A new map: measures how long after the pointer's move it came, once it is drawn. */
function mapArrived(map) {
  const arrived = performance.now();
  view.finest = Math.min(map.pitch_x, map.pitch_y);
  live.failed = null;
  paintMap(); fillLegend(); fillBadge(); fillReading();
  draw();
  if (map.full) {
    askChannel();
    say(`${sentence(quantityOf(map).name)}, full resolution: ${number(map.low, 0)} to ${number(map.high, 0)} ${quantityOf(map).unit}`);
  }
  const moves = drag.moves.filter((move) => move.revision <= map.revision);
  if (!moves.length) return;
  const { at, sent } = moves[moves.length - 1];
  drag.moves = drag.moves.filter((move) => !(move.revision <= map.revision));
  requestAnimationFrame(() => setTimeout(() => lags.push({ ms: performance.now() - at, full: map.full, wait: sent - at, solve: 1000 * map.seconds, line: arrived - sent - 1000 * map.seconds, paint: performance.now() - arrived }), 0)); /* after the frame was drawn */
}

/* ---- the plan ---- */

let planColours = '', wallsKey = '';
const wallsLayer = document.createElement('canvas'), halo = document.createElement('canvas');
const wordAlpha = (text, alpha) => { const [r, g, b] = coloursOf(text.slice(1))[0]; return (Math.round(255 * alpha) << 24 | b << 16 | g << 8 | r) >>> 0; };

/* Walls in the colours of their materials; air is clear. `halo` has the same in white. */
function paintPlan() {
  const { plan } = live, { materials } = live.state, key = `${plan.sequence} ${plan.revision} ${materials.map((m) => m.name + m.colour).join()}`;
  if (key === planColours) return;
  planColours = key; wallsKey = '';
  const words = materials.map((m) => (m.name === 'air' ? 0 : wordAlpha(m.colour, 1))), { values } = plan;
  paintCells(pictures.plan, plan, (n) => words[values[n]] ?? NO_VALUE);
  paintCells(halo, plan, (n) => (words[values[n]] === 0 ? 0 : 0x66ffffff));
}

/* The plan as it lies on the canvas, over a light line around every wall, so that walls are seen on any map and dark ones on a dark page. Painted when the view or the plan has
   changed, and not with every map. */
function drawWalls(context, width, height) {
  const ratio = window.devicePixelRatio || 1, around = state.layer === 'map' || (isDark() && state.layer !== 'walls'), key = [planColours, view.scale, view.x, view.y, width, height, ratio, around].join();
  if (key !== wallsKey) {
    wallsKey = key;
    wallsLayer.width = Math.round(width * ratio); wallsLayer.height = Math.round(height * ratio);
    const layer = wallsLayer.getContext('2d'), smooth = live.plan.pitch_x * view.scale <= 6;
    for (const [dx, dy] of around ? [[-1, -1], [1, -1], [-1, 1], [1, 1]] : []) {
      layer.setTransform(ratio, 0, 0, ratio, dx * ratio, dy * ratio);
      drawFrame(layer, halo, live.plan, width, height, smooth);
    }
    layer.setTransform(ratio, 0, 0, ratio, 0, 0);
    drawFrame(layer, pictures.plan, live.plan, width, height, smooth);
  }
  context.globalAlpha = (1 - 0.6 * drawingStrength()) * (state.layer === 'walls' ? 0.3 : 1); /* the drawing is seen through them, and what glows over them */
  context.drawImage(wallsLayer, 0, 0, width, height);
  context.globalAlpha = 1;
}

/* ---- the drawing that the plan was made from ---- */

const underlay = new Image(); /* it covers the plan, however that is scaled */
const drawingStrength = () => ($('drawing-label').hidden ? 0 : Number($('drawing').value));

/* Over a map and on a light page its white paper is clear. */
function drawUnderlay(context, width, height) {
  const strength = drawingStrength();
  if (!(strength > 0)) return;
  context.globalAlpha = strength;
  context.globalCompositeOperation = state.layer === 'map' || !isDark() ? 'multiply' : 'source-over';
  context.imageSmoothingEnabled = true;
  context.drawImage(underlay, toX(left, width), toY(top_, height), (right - left) * view.scale, (top_ - bottom) * view.scale);
  context.globalAlpha = 1;
  context.globalCompositeOperation = 'source-over';
}

function planArrived() {
  if (live.state) paintPlan();
  fillReading(); draw();
}

/* ---- the wave ---- */

/* From blue by the page's own grey to red: what is 0 has the colour of nothing. */
const WAVE_ENDS = { low: [[16, 62, 158], [92, 158, 222]], high: [[228, 116, 86], [150, 18, 40]] };
const waveRange = { high: 0 };
let waveColours = [], waveDark = null;

function fillWaveColours() {
  if (waveDark === isDark()) return;
  waveDark = isDark();
  const middle = waveDark ? [22, 28, 31] : [245, 245, 241], { low, high } = WAVE_ENDS;
  /* On a dark page the ends are the light ones, so that strong is always far from nothing. */
  const stops = waveDark ? [[150, 208, 255], [40, 110, 200], middle, [206, 66, 48], [255, 178, 140]] : [...low, middle, ...high];
  waveColours = Array.from({ length: 256 }, (_, n) => {
    const at = n / 255 * (stops.length - 1), k = Math.min(Math.floor(at), stops.length - 2);
    return stops[k].map((v, c) => Math.round(v + (at - k) * (stops[k + 1][c] - v)));
  });
}

/* The scale follows the strongest fields in steps of 1, 2 and 4, whose legends have their ends named, and does not jump back at once. */
function waveFollow(frame) {
  const stride = Math.max(1, Math.floor(frame.values.length / 4096)), sample = [];
  for (let n = 0; n < frame.values.length; n += stride) sample.push(Math.abs(frame.values[n]));
  sample.sort((a, b) => a - b);
  const strong = sample[Math.floor(0.985 * (sample.length - 1))] || 0;
  if (!(strong > 0) || (strong <= waveRange.high && strong > 0.2 * waveRange.high)) return;
  const power = 10 ** Math.floor(Math.log10(strong));
  waveRange.high = [1, 2, 4, 10].map((k) => k * power).find((v) => v >= strong) || 10 * power;
}

function paintWave() {
  const { wave } = live;
  fillWaveColours();
  const words = waveColours.map(colourWord), per = 127.5 / (waveRange.high || 1);
  paintCells(pictures.wave, wave, (n) => words[clamp(Math.round(127.5 + wave.values[n] * per), 0, 255)]);
}

function waveArrived(wave) {
  if (wave.seconds < 1e-12 || (live.waveTime && wave.seconds < live.waveTime)) waveRange.high = 0; /* it begins again */
  live.waveTime = wave.seconds;
  if (state.layer !== 'wave') return;
  const was = waveRange.high;
  waveFollow(wave); paintWave();
  if (was !== waveRange.high) fillLegend();
  $('time').textContent = `${number(1e9 * wave.seconds, 1)} ns`;
  fillBadge(); fillReading(); draw();
}

/* ---- the legend ---- */

const gradient = (palette) => `linear-gradient(90deg, ${paletteStops(palette).map(([p, c]) => `rgb(${c}) ${p}%`).join(', ')})`;

function fillServers() {
  const counts = transmitters().map(() => 0);
  let total = 0;
  const { map, floor } = live, same = map.full && floor && floor.revision === map.revision && floor.rows === map.rows && floor.columns === map.columns;
  map.values.forEach((v, n) => { if (!same || floor.values[n] === 1) { total++; if (!Number.isNaN(v)) counts[v]++; } }); /* as planwave map counts */
  $('servers').replaceChildren(...transmitters().map((t, n) => {
    const span = element('span', ''), mark = element('i', '');
    mark.style.background = `rgb(${colours.categories[n % colours.categories.length]})`;
    span.append(mark, `${t.name}: ${number(100 * counts[n] / total, 1)} % of the ${same ? live.hello.floors[floor.quantity] : 'plan'}`);
    return span;
  }));
}

function fillLegend() {
  const wave = state.layer === 'wave', map = state.layer === 'map' && live.map, quantity = map && quantityOf(map), servers = map && quantity.word === 'best-server';
  $('scale').hidden = servers;
  $('servers').hidden = !servers;
  $('scale').style.visibility = wave || map ? '' : 'hidden';
  $('refit').hidden = !map || servers;
  $('legend-name').textContent = wave ? 'Electric field, V/m' : map ? [sentence(quantity.name), map.mean && 'local mean', quantity.reference, map.transmitter === BEST && transmitters().length > 1 && !servers && 'of the strongest at each point', quantity.unit.startsWith('dB') && live.state.level_interval && `19 of 20 measured levels within ${figures(live.state.level_interval, 2)} dB`].filter(Boolean).join(', ') : '';
  const walls = state.layer === 'walls' && deciding.shown && mostOf(deciding.shown.walls);
  if (walls) {
    $('scale').style.visibility = '';
    $('bar').style.background = gradient(wallPalette());
    fillTicks(-walls, walls, 'dB');
    $('legend-name').textContent = 'Change of the received power with 10 % more permittivity and conductivity of one wall';
  }
  const resolution = map ? resolutionOf(live.map) : 0;
  $('pale').hidden = !resolution;
  if (resolution) $('pale').textContent = `pale: < ${figures(resolution, 2)} ns, the resolution; ${widerText(resolution)}`;
  if (servers) { fillServers(); fillThreshold(); return; }
  if (wave) {
    fillWaveColours();
    $('bar').style.background = gradient(waveColours);
    fillTicks(-(waveRange.high || 1), waveRange.high || 1, 'V/m');
  } else if (map && state.range) {
    fillTicks(state.range.low, state.range.high, quantity.unit);
  }
  fillThreshold();
}

/* ---- all of it on the canvas ---- */

let waiting = false;
function draw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; drawMap(); drawPlot(); placeHandles(); });
}

function drawFrame(context, picture, frame, width, height, smooth) {
  drawPicture(context, picture, frame.x0, frame.y0, frame.pitch_x, frame.pitch_y, width, height, smooth);
}

function drawMap() {
  const { context, width, height } = canvasFit($('map')), frame = { map: live.map, wave: live.wave }[state.layer];
  $('stage').dataset.behind = frame ? state.layer : 'plan';
  context.clearRect(0, 0, width, height);
  if (!live.state) return;
  context.save();
  context.beginPath(); context.rect(toX(left, width), toY(top_, height), (right - left) * view.scale, (top_ - bottom) * view.scale); context.clip();
  context.fillStyle = css('--card');
  context.fillRect(0, 0, width, height);
  if (frame) drawFrame(context, pictures[state.layer], frame, width, height, frame.pitch_x * view.scale <= 14 && !(state.layer === 'map' && quantityOf(frame).word === 'best-server'));
  drawUnderlay(context, width, height);
  if (live.plan) drawWalls(context, width, height);
  if (state.layer === 'walls') drawDecidingLayer(context, width, height);
  context.restore();
  drawPiece(context, width, height);
  drawReceivers(context, width, height);
  drawDrawing(context, width, height);
  drawScaleBar(context, height);
  drawCursor(context, width, height);
  if (state.layer === 'walls') drawDecidingWords(context, width, height);
}

function drawReceivers(context, width, height) {
  const paint = $('stage').dataset.behind === 'map' || isDark() ? [] : ['left', '#10161a', 'rgba(255, 255, 255, .8)'];
  context.font = '600 12px system-ui, sans-serif'; context.textBaseline = 'middle';
  for (const { name, x, y } of live.state.receivers) {
    const px = toX(x, width), py = toY(y, height);
    context.beginPath(); context.rect(px - 3.5, py - 3.5, 7, 7);
    context.fillStyle = '#fff'; context.strokeStyle = 'rgba(10, 16, 20, .85)'; context.lineWidth = 1.5; context.fill(); context.stroke();
    if (live.state.receivers.length > 24) continue;
    const onLeft = px + 16 + context.measureText(name).width > width, [, ink, rim] = paint;
    drawLabel(context, name, onLeft ? px - 12 : px + 12, py, onLeft ? 'right' : 'left', ink, rim);
  }
}

/* A line from one place to another, so thick [m], with a dark rim. */
function drawThick(context, from, to, thickness, width, height) {
  const [x0, y0, x1, y1] = [toX(from[0], width), toY(from[1], height), toX(to[0], width), toY(to[1], height)], wide = Math.max(3, thickness * view.scale);
  context.lineCap = 'butt';
  for (const [line_, colour] of [[wide + 3, 'rgba(10, 16, 20, .85)'], [wide, css('--accent')]]) {
    context.lineWidth = line_; context.strokeStyle = colour;
    context.beginPath(); context.moveTo(x0, y0); context.lineTo(x1, y1); context.stroke();
  }
  return [x1, y1];
}

/* The wall that was clicked, and what is said of it beside it. */
function drawPiece(context, width, height) {
  if (!piece.now) return;
  const { from, to, thickness, x, y } = piece.now, box = $('piece');
  context.globalAlpha = 0.75;
  drawThick(context, from, to, thickness, width, height);
  context.globalAlpha = 1;
  box.style.left = `${clamp(toX(x, width) - box.offsetWidth / 2, 6, Math.max(6, width - box.offsetWidth - 6))}px`;
  const below = toY(y, height) + 14, fits = below + box.offsetHeight + 6 <= height;
  box.style.top = `${Math.max(6, fits ? below : toY(y, height) - box.offsetHeight - 14)}px`;
}

/* The wall that is being drawn, as thick as it will be, or the two points of a scale, with the length. */
function drawDrawing(context, width, height) {
  const { drawing } = drag;
  if (!drawing) return;
  const [x1, y1] = drawThick(context, drawing.from, drawing.to, state.tool === 'scale' ? 0 : choices.wall.thickness, width, height);
  context.font = '600 12px system-ui, sans-serif'; context.textBaseline = 'middle';
  drawLabel(context, `${number(Math.hypot(drawing.to[0] - drawing.from[0], drawing.to[1] - drawing.from[1]))} m`, x1 + 12, y1 - 14);
}

function drawCursor(context, width, height) {
  if (!state.cursor) return;
  const x = toX(state.cursor[0], width), y = toY(state.cursor[1], height);
  for (const [line_, colour] of [[3.5, 'rgba(10, 16, 20, .8)'], [1.6, '#fff']]) {
    context.lineWidth = line_; context.strokeStyle = colour; context.beginPath();
    for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) { context.moveTo(x + 4 * dx, y + 4 * dy); context.lineTo(x + 10 * dx, y + 10 * dy); }
    context.stroke();
  }
}
