/* ---- hands: transmitters that are dragged, walls that are drawn ---- */

const drag = { name: null, from: null, at: null, held: new Map() /* name to [x, y] until the server has it */, moves: [], sent: 0, timer: 0, drawing: null };
const MOVE_INTERVAL = 33 /* ms between messages of one drag */, SNAP_ANGLE = 7 /* degrees */, SNAP_END = 12 /* pixels */;
const toCentimetre = (v) => Math.round(100 * v) / 100;
const onFloor = ([x, y]) => [clamp(x, left, right), clamp(y, bottom, top_)];
const inside = ([x, y]) => onFloor([toCentimetre(x), toCentimetre(y)]);

const HINTS = {
  move: 'Drag a transmitter; drag the floor to pan.', add: 'Click where the transmitter stands.',
  wall: 'Drag from end to end, or click both ends.', erase: 'Click a wall to take it away.', window: 'Click a wall where the window is.', door: 'Click a wall where the door is.',
  change: 'Click a wall to say what it is of.', decide: 'Click a place: which walls decide its level?', scale: 'Drag between two points whose distance you know.',
};
const TOUCH_HINTS = { ...Object.fromEntries(Object.entries(HINTS).map(([tool, hint]) => [tool, hint.replace('Click', 'Tap')])), wall: 'Draw with one finger, from end to end.' };
const DRAWS = ['wall', 'scale']; /* tools that go from one point to another */
/* What each tool draws, as it was last chosen: a material, and lengths [m]. */
const choices = { wall: { material: '', thickness: 0.1 }, window: { material: 'glass', thickness: 0.01, width: 1.2 }, door: { material: 'air', thickness: 0.04, width: 0.9 } };

function setTool(tool) {
  state.tool = tool;
  document.querySelector(`#tools input[value="${tool}"]`).checked = true;
  $('stage').dataset.tool = $('strip').dataset.tool = tool;
  $('wall-of').toggleAttribute('data-off', !choices[tool]);
  fillChoice();
  closePiece();
  fillHint();
  cancelDrawing();
}

function fillHint() {
  const hints = window.matchMedia('(pointer: coarse)').matches ? TOUCH_HINTS : HINTS;
  $('hint').textContent = hints[state.layer === 'walls' && state.tool === 'move' ? 'decide' : state.tool];
}

/* The fields show what the tool draws. */
function fillChoice() {
  const choice = choices[state.tool];
  if (!choice) return;
  $('width-label').hidden = choice.width === undefined;
  $('thickness-label').hidden = choice.width !== undefined && choice.material === 'air'; /* nothing stands in it */
  if (choice.width !== undefined) $('width').value = Number((100 * choice.width).toPrecision(6));
  $('thickness').value = Number((100 * choice.thickness).toPrecision(6));
  if (live.state) fillWallMaterials(live.state.materials.map((m) => m.name));
}

/* ---- transmitters ---- */

const placeOf = (t) => drag.held.get(t.name) || [t.x, t.y];

/* Tells the server where it is now: at once, but no more often than MOVE_INTERVAL while dragging; the last one always. */
function sendMove(name, at, dragging, when) {
  clearTimeout(drag.timer);
  const wait = dragging ? drag.sent + MOVE_INTERVAL - performance.now() : 0;
  if (wait > 0) { drag.timer = setTimeout(() => sendMove(name, at, dragging, when), wait); return; }
  drag.sent = performance.now();
  const move = { at: when, sent: drag.sent, revision: Infinity };
  if (dragging) drag.moves.push(move);
  change({ type: 'move', transmitter: name, x: at[0], y: at[1], drag: dragging }).then((answer) => {
    if (answer.type === 'done') move.revision = answer.revision;
    else drag.moves = drag.moves.filter((m) => m !== move);
    if (!dragging && drag.name !== name) { drag.held.delete(name); placeHandles(); fillTransmitters(); }
    else if (answer.type !== 'done' && answer.type !== 'lost') letGo(false);
  });
}

function hold(name, at) {
  drag.name = name; drag.from = drag.at = at; drag.moves = [];
  drag.held.set(name, at);
}

function dragTo(at, when) {
  drag.at = inside(at);
  drag.held.set(drag.name, drag.at);
  sendMove(drag.name, drag.at, true, when);
  placeHandles(); fillTransmitters();
}

/* Ends a drag: the whole plan is solved where it is now, or, cancelled, where it was. */
function letGo(keep) {
  const { name, from, at } = drag;
  if (!name) return;
  clearTimeout(drag.timer); clearTimeout(drag.pause);
  const to = keep ? at : from;
  drag.held.set(name, to);
  drag.name = null;
  sendMove(name, to, false, performance.now());
  placeHandles();
  if (keep) say(`${name} is at x ${number(to[0])} m, y ${number(to[1])} m`);
}

function handleKey(event, name) {
  const step = event.shiftKey ? 0.01 : 0.1, way = arrowOf(event);
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const transmitter = transmitters().find((t) => t.name === name);
  if (!transmitter) return;
  if (way) {
    if (drag.name !== name) hold(name, placeOf(transmitter));
    dragTo([drag.at[0] + way[0] * step, drag.at[1] + way[1] * step], performance.now());
    clearTimeout(drag.pause);
    drag.pause = setTimeout(() => letGo(true), 500); /* the keys rest */
  } else if (event.key === 'Delete' || event.key === 'Backspace') { change({ type: 'remove', transmitter: name }); $('map').focus(); }
  else if (event.key === 'Escape') letGo(false);
  else return;
  event.preventDefault(); event.stopPropagation();
}

function handleOf(name) {
  const handle = element('button', '', { type: 'button', class: 'handle' });
  let offset = [0, 0];
  handle.append(element('span', name));
  handle.onpointerdown = (event) => {
    if (event.button !== 0 || state.tool !== 'move' || drag.name) return;
    const transmitter = transmitters().find((t) => t.name === name), at = placeOf(transmitter), under = underMap(mapPlace(event));
    try { handle.setPointerCapture(event.pointerId); } catch { /* a pointer that has gone already */ }
    offset = [at[0] - under[0], at[1] - under[1]];
    handle.classList.add('held');
    hold(name, at);
    handle.focus({ preventScroll: true });
    event.preventDefault();
  };
  handle.onpointermove = (event) => {
    if (drag.name !== name || !handle.classList.contains('held')) return;
    const under = underMap(mapPlace(event)), at = [under[0] + offset[0], under[1] + offset[1]], to = inside(at);
    if (to[0] !== drag.at[0] || to[1] !== drag.at[1]) dragTo(at, performance.now());
  };
  const lift = (event) => {
    if (!handle.classList.contains('held')) return;
    handle.classList.remove('held');
    if (drag.name !== name) return; /* cancelled by the keyboard */
    const moved = drag.at[0] !== drag.from[0] || drag.at[1] !== drag.from[1];
    if (moved) letGo(event.type === 'pointerup');
    else { drag.name = null; drag.held.delete(name); }
  };
  handle.onpointerup = lift; handle.onpointercancel = lift;
  handle.onkeydown = (event) => handleKey(event, name);
  handle.onfocus = () => { const t = transmitters().find((one) => one.name === name); if (t && !handle.classList.contains('held')) say(`Transmitter ${name}`); };
  return handle;
}

/* A button for each transmitter, in its place: Tab reaches it, and a finger has room. */
function placeHandles() {
  if (!live.state) return;
  const [width, height] = mapSize(), there = new Map([...$('handles').children].map((h) => [h.dataset.name, h]));
  for (const t of transmitters()) {
    const handle = there.get(t.name) || handleOf(t.name), at = placeOf(t), x = toX(at[0], width), y = toY(at[1], height);
    if (!there.delete(t.name)) { handle.dataset.name = t.name; $('handles').append(handle); }
    handle.style.transform = `translate(${x}px, ${y}px)`;
    handle.hidden = x < -22 || y < -22 || x > width + 22 || y > height + 22;
    handle.toggleAttribute('data-left', x > width - 30 - 8 * t.name.length);
    const chosen = state.layer === 'wave' ? waveSite() : live.map && live.map.transmitter !== BEST ? (transmitters()[live.map.transmitter] || {}).name : t.name;
    handle.toggleAttribute('data-other', t.name !== chosen);
    handle.setAttribute('aria-label', `Transmitter ${t.name} at x ${number(at[0])} m, y ${number(at[1])} m`);
  }
  for (const gone of there.values()) gone.remove();
}

/* ---- walls ---- */

/* The end of another wall within a few pixels, else the place itself. */
function nearEnd(at) {
  let best = at, least = SNAP_END / view.scale;
  for (const shape of live.state.shapes || []) {
    if (shape.kind !== 'wall') continue;
    for (const point of shape.points) { const far = Math.hypot(point[0] - at[0], point[1] - at[1]); if (far < least) { least = far; best = point; } }
  }
  return best;
}

/* The other end: at that of another wall; else level, upright or at 45° when that is near or Shift asks for it. */
function snapped(from, at, event) {
  if (state.tool === 'scale') return onFloor(at);
  if (event.altKey) return inside(at);
  const end = nearEnd(at);
  if (end !== at && !event.shiftKey) return inside(end);
  const dx = at[0] - from[0], dy = at[1] - from[1], angle = Math.atan2(dy, dx) * 180 / Math.PI, round = 45 * Math.round(angle / 45);
  if (!event.shiftKey && Math.abs(angle - round) > SNAP_ANGLE) return inside(at);
  const [ux, uy] = [Math.round(Math.cos(round * Math.PI / 180)), Math.round(Math.sin(round * Math.PI / 180))], along = (dx * ux + dy * uy) / (ux * ux + uy * uy);
  const reach = Math.min(...[[ux, from[0], left, right], [uy, from[1], bottom, top_]].map(([u, v, low, high]) => (u > 0 ? high - v : u < 0 ? v - low : Infinity)));
  const step = clamp(along, 0, reach);
  return [toCentimetre(from[0] + ux * toCentimetre(step)), toCentimetre(from[1] + uy * toCentimetre(step))];
}

function cancelDrawing() {
  if (!drag.drawing) return;
  drag.drawing = null;
  draw();
}

function beginWall(at, event) {
  const from = state.tool === 'scale' ? onFloor(at) : inside(event.altKey ? at : nearEnd(at));
  drag.drawing = { from, to: from };
  draw();
}

function endWall() {
  const { from, to } = drag.drawing;
  drag.drawing = null;
  draw();
  const far = Math.hypot(to[0] - from[0], to[1] - from[1]), { material, thickness } = choices.wall;
  if (far === 0) { showNotice(state.tool === 'scale' ? 'The two points must be apart.' : 'A wall needs two ends that are apart.'); return; }
  if (state.tool === 'scale') { askScale(from, to, far); return; }
  change({ type: 'wall', from, to, thickness, material }).then((answer) => { if (answer.type === 'done') say(`Wall of ${material}, ${number(far)} m`); });
}

/* ---- what a wall is, and how large the plan ---- */

const piece = { now: null, asked: 0 }; /* the wall that was clicked */

function closePiece() {
  piece.asked++;
  if (!piece.now) return;
  piece.now = null;
  $('piece').hidden = true;
  draw();
}

/* The wall at a place, or within a few pixels of it. */
const askPiece = (at) => send({ type: 'piece', x: at[0], y: at[1], near: Math.min(SNAP_END / view.scale, 0.5) });

async function openPiece(at) {
  closePiece();
  const asked = piece.asked, found = await askPiece(at);
  if (asked !== piece.asked) return;
  if (found.type !== 'piece') { showNotice(found.text || 'The connection is lost.'); return; }
  piece.now = found;
  const { from, to, thickness, material } = found, size = `${number(Math.hypot(to[0] - from[0], to[1] - from[1]))} m × ${number(100 * thickness, 1)} cm`;
  $('piece-text').textContent = material === 'air' ? `Opening, ${size}` : size;
  fillMaterialChoice('piece-material', live.state.materials.map((m) => m.name), material);
  $('piece').hidden = false;
  $('piece-material').focus({ preventScroll: true });
  say(`${material === 'air' ? 'Opening' : material}, ${size}`);
  draw();
}

async function usePiece(message) {
  const { x, y } = piece.now;
  closePiece();
  if ((await change({ ...message, x, y })).type === 'done') say(message.type === 'erase' ? 'Deleted' : `Now of ${message.material}`);
}

/* A window or a door in the wall at a place. */
async function putOpening(at) {
  const { material, thickness, width } = choices[state.tool], kind = state.tool, found = await askPiece(at);
  if (found.type !== 'piece') { showNotice(found.type === 'refused' ? `Click a wall: the ${kind} goes into it.` : 'The connection is lost.'); return; }
  change({ type: 'opening', x: found.x, y: found.y, width, thickness, material }).then((answer) => { if (answer.type === 'done') say(`A ${kind} of ${100 * width} cm`); });
}

let scalePoints = null;
function askScale(from, to, far) {
  scalePoints = [from, to];
  $('scale-refused').textContent = '';
  $('scale-length').value = Number(far.toPrecision(4));
  $('scale-dialog').showModal();
  $('scale-length').select();
}

async function setScale(event) {
  event.preventDefault();
  const [from, to] = scalePoints, answer = await send({ type: 'scale', from, to, length: Number($('scale-length').value) });
  if (answer.type === 'refused') { $('scale-refused').textContent = answer.text; return; }
  $('scale-dialog').close();
  if (answer.type === 'lost') showNotice('The connection is lost, so nothing was changed.');
  else setTool('move');
}

/* What a click, a tap or Enter does at a place. */
function useTool(at, event) {
  const place = inside(at);
  if (state.tool === 'move' && state.layer === 'walls') askDeciding(at);
  else if (state.tool === 'add') change({ type: 'add', x: place[0], y: place[1] }).then((answer) => { if (answer.type === 'done') setTool('move'); });
  else if (state.tool === 'erase') change({ type: 'erase', x: at[0], y: at[1] });
  else if (state.tool === 'change') openPiece(at);
  else if (state.tool === 'window' || state.tool === 'door') putOpening(at);
  else if (DRAWS.includes(state.tool)) {
    if (!drag.drawing) { beginWall(at, event); return; }
    drag.drawing.to = snapped(drag.drawing.from, at, event);
    endWall();
  }
}

/* ---- the canvas ---- */

function setCursor(at) {
  state.cursor = [clamp(at[0], left, right), clamp(at[1], bottom, top_)];
  if (state.layer === 'walls') pointDeciding(state.cursor);
  fillReading(); askChannel(); draw();
}

function listenMap() {
  const canvas = $('map'), fingers = new Map();
  let moved = false, start = null, pinch = null, begun = false;
  canvas.addEventListener('pointerdown', (event) => {
    if (event.button !== 0 || !live.state) return;
    try { canvas.setPointerCapture(event.pointerId); } catch { /* a pointer that has gone already */ }
    fingers.set(event.pointerId, mapPlace(event));
    if (fingers.size === 1) {
      start = mapPlace(event); moved = begun = false;
      if (DRAWS.includes(state.tool) && !drag.drawing) { beginWall(underMap(start), event); begun = true; }
    } else if (begun) cancelDrawing(); /* two fingers do not draw */
    pinch = fingers.size === 2 ? fingerSpread(fingers) : null;
  });
  canvas.addEventListener('pointermove', (event) => {
    const now = mapPlace(event), before = fingers.get(event.pointerId);
    if (!live.state) return;
    if (drag.drawing && fingers.size < 2) { drag.drawing.to = snapped(drag.drawing.from, underMap(now), event); draw(); }
    if (!before) { if (event.pointerType !== 'touch') setCursor(underMap(now)); return; }
    fingers.set(event.pointerId, now);
    if (pinch && fingers.size === 2) { moved = true; pinch = pinched(pinch, fingers); return; }
    moved = moved || Math.hypot(now[0] - start[0], now[1] - start[1]) > 5;
    if (!moved || fingers.size > 1) return;
    if (DRAWS.includes(state.tool)) { setCursor(underMap(now)); return; }
    if (event.pointerType === 'touch' && view.scale < view.fit * 1.02) { setCursor(underMap(now)); return; } /* the whole floor is on show: explore it */
    canvas.classList.add('dragged');
    pan(before, now);
  });
  const lift = (event) => {
    if (!fingers.delete(event.pointerId)) return;
    canvas.classList.remove('dragged');
    if (pinch) { pinch = null; moved = true; return; }
    if (event.type === 'pointercancel') { cancelDrawing(); return; }
    const at = underMap(mapPlace(event));
    setCursor(at);
    if (event.pointerType === 'touch') sayCursor();
    if (DRAWS.includes(state.tool)) { if (drag.drawing && (moved || !begun)) { drag.drawing.to = snapped(drag.drawing.from, at, event); endWall(); } return; }
    if (!moved) useTool(at, event);
  };
  canvas.addEventListener('pointerup', lift);
  canvas.addEventListener('pointercancel', lift);
  canvas.addEventListener('wheel', wheelZoom, { passive: false });
  canvas.addEventListener('keydown', mapKey);
}

function mapKey(event) {
  if (event.ctrlKey || event.metaKey || !live.state) return;
  const step = view.finest * (event.shiftKey ? 10 : 1), way = arrowOf(event), [x, y] = state.cursor;
  if (way) {
    setCursor([x + way[0] * step, y + way[1] * step]);
    if (drag.drawing) drag.drawing.to = snapped(drag.drawing.from, state.cursor, event);
    keepInSight(...state.cursor); sayCursor();
  } else if (zoomKey(event, x, y)) { /* done */ }
  else if (event.key === 'Enter' || event.key === ' ') useTool(state.cursor, event);
  else return;
  event.preventDefault();
}

const TOOL_KEYS = { v: 'move', t: 'add', w: 'wall', n: 'window', d: 'door', c: 'change', e: 'erase', s: 'scale' };
const TYPED = 'input:not([type="radio"]):not([type="checkbox"]):not([type="range"]), select, textarea';

/* Keys that work anywhere on the page, but where text is written. */
function pageKey(event) {
  if (document.querySelector('dialog[open]') || !live.connected) return;
  const key = event.key.toLowerCase(), written = event.target.matches && event.target.matches(TYPED);
  if ((event.ctrlKey || event.metaKey) && !event.altKey) {
    if (written || (key !== 'z' && key !== 'y')) return;
    change({ type: key === 'y' || event.shiftKey ? 'redo' : 'undo' });
  } else if (event.key === 'Escape') { letGo(false); cancelDrawing(); closePiece(); stopDeciding(); $('notice').hidden = true; return; }
  else if (!written && !event.altKey && TOOL_KEYS[key]) setTool(TOOL_KEYS[key]);
  else return;
  event.preventDefault();
}
