/* ---- the part of the floor that the canvas #map shows; a page calls its function that draws everything draw() ---- */

let left = 0, right = 1, bottom = 0, top_ = 1; /* m: what there is to show */
const view = { scale: 1 /* pixels a metre */, x: 0.5, y: 0.5 /* m: the middle */, fit: 1 /* scale at which all is shown */, finest: 0.01 /* m: a cell */ };

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
  view.scale = clamp(view.scale, view.fit, Math.max(view.fit, 64 / view.finest));
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

function drawLabel(context, text, x, y, align = 'left', ink = '#fff', rim = 'rgba(10, 16, 20, .75)') {
  context.textAlign = align;
  context.lineWidth = 3; context.lineJoin = 'round'; context.strokeStyle = rim; context.fillStyle = ink;
  context.strokeText(text, x, y);
  context.fillText(text, x, y);
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

/* ---- hands on it ---- */

/* Where an event is on the canvas [pixels], and what is there [m]. */
const mapPlace = (event) => { const box = $('map').getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
const underMap = ([px, py]) => { const [width, height] = mapSize(); return [view.x + (px - width / 2) / view.scale, view.y - (py - height / 2) / view.scale]; };

function pan(from, to) {
  view.x -= (to[0] - from[0]) / view.scale;
  view.y += (to[1] - from[1]) / view.scale;
  viewClamp(); draw();
}

/* Two fingers: how far apart, and what they did since `before`. */
function fingerSpread(fingers) {
  const [a, b] = [...fingers.values()];
  return { distance: Math.hypot(a[0] - b[0], a[1] - b[1]), middle: [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2] };
}
function pinched(before, fingers) {
  const next = fingerSpread(fingers);
  pan(before.middle, next.middle);
  zoom(next.distance / Math.max(before.distance, 1), ...next.middle);
  return next;
}

function wheelZoom(event) {
  event.preventDefault();
  zoom(Math.exp(-clamp(event.deltaY * (event.deltaMode ? 16 : 1), -240, 240) * (event.ctrlKey ? 0.01 : 0.0018)), ...mapPlace(event));
}

/* ---- keys on it ---- */

/* The way of an arrow key, x to the right and y upwards; undefined: none. */
const arrowOf = (event) => ({ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] })[event.key];

/* A cursor that was moved stays in sight. */
function keepInSight(x, y) {
  const [width, height] = mapSize(), halfX = (width / 2 - 24) / view.scale, halfY = (height / 2 - 24) / view.scale;
  view.x = clamp(view.x, x - halfX, x + halfX);
  view.y = clamp(view.y, y - halfY, y + halfY);
  viewClamp();
}

/* Plus, minus and zero zoom about the cursor; false: it was another key. */
function zoomKey(event, x, y) {
  const [width, height] = mapSize();
  if (event.key === '+' || event.key === '=') zoom(1.4, toX(x, width), toY(y, height));
  else if (event.key === '-') zoom(1 / 1.4, toX(x, width), toY(y, height));
  else if (event.key === '0') { view.scale = view.fit; viewClamp(); draw(); }
  else return false;
  return true;
}
