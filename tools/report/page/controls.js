/* ---- changes ---- */

let waiting = false;
function draw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; drawMap(); drawPlot(); drawAngles(); drawMimo(); });
}

function refresh() {
  fillDecidingCard(); fillMimo(); chooseShown(); paintField(); fillLegend(); fillReading(); fillTable(); draw();
  $('map').setAttribute('aria-label', `Map of ${shown.name.toLowerCase()}${shown.servers ? '' : `, transmitter ${state.site.name}, ${number(shown.low, 0)} to ${number(shown.high, 0)} ${shown.unit}`}`);
}

function setCursor(cell) {
  if (state.cursor && cell.i === state.cursor.i && cell.j === state.cursor.j) return;
  state.cursor = cell;
  fillDecidingCard(); fillMimo(); fillReading(); fillTable(); draw();
}

const pinAt = (cell) => state.pins.find((p) => { const c = cellAt(p.x, p.y); return c.i === cell.i && c.j === cell.j; });
function removePin(pin) {
  state.pins = state.pins.filter((p) => p !== pin);
  fillReading(); fillTable(); draw();
  say(`Pin ${pin.slot + 1} removed`);
}
function togglePin(cell) {
  const there = pinAt(cell);
  if (there) { removePin(there); return; }
  const slot = [0, 1, 2, 3].find((n) => !state.pins.some((p) => p.slot === n));
  if (slot === undefined) { say('Four points are pinned already: remove one first'); $('tap').textContent = 'four pins at most'; return; }
  state.pins.push({ x: cellX(cell), y: cellY(cell), slot });
  state.pins.sort((a, b) => a.slot - b.slot);
  fillReading(); fillTable(); draw();
  say(`Pin ${slot + 1} at ${placeText(cell)}: ${shown.name} ${valueText(shown.values[cellIndex(cell)])}`);
}

function setSite(index) {
  const at = state.cursor && [cellX(state.cursor), cellY(state.cursor)];
  state.site = data.sites[index];
  view.finest = Math.min(state.site.pitch_x, state.site.pitch_y);
  plotRange.top = null;
  if (state.site.bins) plotRange.end = plotEnd();
  if (at) state.cursor = cellAt(...at);
  refresh();
  loadProfiles(state.site).then(draw);
}

/* Another height or component, for the transmitter that is on show; what it needs is unpacked first. */
async function setSheet(sheet) {
  state.wanted = sheet;
  const index = data.sites.indexOf(state.site), sites = sitesOf(sheet), [bytes] = await Promise.all([loadWalls(sheet), ...sites.map(loadMaps)]);
  if (state.wanted !== sheet) return; /* the slider has moved on */
  const at = state.cursor && [cellX(state.cursor), cellY(state.cursor)], turned = sheets[sheet].normal < 2 || sheets[state.sheet].normal < 2;
  const other = turned && !samePlane(sheets[sheet], sheets[state.sheet]);
  state.sheet = sheet;
  data.sites = sites;
  state.site = sites[index];
  if (other) showPlane();
  if (at) state.cursor = cellAt(...at);
  paintWalls(bytes);
  setSite(index); setControls(); sayCursor();
}

/* Another plane: its points are not those of the one before, so pins go, and all of it is shown. */
function showPlane() {
  [left, right, bottom, top_] = state.site.extent;
  state.pins = [];
  document.documentElement.style.setProperty('--aspect', (top_ - bottom) / (right - left));
  view.x = (left + right) / 2; view.y = (bottom + top_) / 2; view.scale = view.fit = 1e-9;
  viewClamp();
}

/* In the plane of this sheet that with the component on show, or with the first that was kept there. */
function setPlane(sheet) {
  const there = inPlane(sheet), same = there.find((n) => sheets[n].component === sheets[state.sheet].component);
  return setSheet(same ?? there[0]);
}

const setHeight = (height) => setPlane(sheets.findIndex((s) => s.normal === 2 && s.asked === height));

function setSheetControls() {
  const { asked, position, normal } = sheets[state.sheet], there = inPlane(state.sheet);
  $('plane-label').hidden = cuts.length + (heights.length > 0) < 2;
  $('plane').value = normal === 2 ? 'level' : cuts.find((n) => samePlane(sheets[n], sheets[state.sheet]));
  $('height-label').hidden = normal !== 2;
  $('height').hidden = heights.length < 2;
  $('height').max = heights.length - 1;
  if (normal === 2) $('height').value = heights.indexOf(asked);
  $('height-text').textContent = `${number(position)} m`;
  $('component-label').hidden = sheets.every((s) => s.component === sheets[0].component);
  $('component').replaceChildren(...there.map((n) => element('option', sheets[n].component, { value: n })));
  $('component').value = state.sheet;
}

function setControls() {
  if (sheets.length) setSheetControls();
  $('mean-label').hidden = !POWERS.includes(state.quantity) && !SERVERS.includes(state.quantity);
  $('frequency-label').hidden = state.quantity !== 'gain';
  $('site-label').hidden = data.sites.length < 2; /* best server or not: the profile is of one */
  const gain = gains(state.site)[state.frequency];
  $('frequency-text').textContent = gain ? gigahertz(gain.frequency) : '';
}

/* ---- hands ---- */

function listenMap() {
  const canvas = $('map'), fingers = new Map();
  let moved = false, start = null, pinch = null, tapped = null;
  const cellUnder = (at) => cellAt(...underMap(at));
  canvas.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, mapPlace(event));
    if (fingers.size === 1) { start = mapPlace(event); moved = false; }
    pinch = fingers.size === 2 ? fingerSpread(fingers) : null;
  });
  canvas.addEventListener('pointermove', (event) => {
    const now = mapPlace(event), before = fingers.get(event.pointerId);
    if (!before) { if (event.pointerType !== 'touch') setCursor(cellUnder(now)); return; }
    fingers.set(event.pointerId, now);
    if (pinch && fingers.size === 2) { moved = true; pinch = pinched(pinch, fingers); return; }
    moved = moved || Math.hypot(now[0] - start[0], now[1] - start[1]) > 5;
    if (!moved) return;
    if (event.pointerType === 'touch' && view.scale < view.fit * 1.02) { setCursor(cellUnder(now)); return; } /* the whole floor is on show: explore it */
    canvas.classList.add('dragged');
    pan(before, now);
  });
  const lift = (event) => {
    if (!fingers.delete(event.pointerId)) return;
    canvas.classList.remove('dragged');
    pinch = null;
    if (moved || event.type === 'pointercancel') return;
    const at = mapPlace(event), near = state.pins.find((p) => { const [width, height] = mapSize(); return Math.hypot(toX(p.x, width) - at[0], toY(p.y, height) - at[1]) < 11; });
    if (event.pointerType !== 'touch') { if (near) removePin(near); else { setCursor(cellUnder(at)); togglePin(state.cursor); } return; }
    const again = tapped && Math.hypot(at[0] - tapped[0], at[1] - tapped[1]) < 24;
    if (again) { if (near) removePin(near); else togglePin(state.cursor); } else setCursor(cellUnder(at));
    tapped = again ? null : at;
    if (!again) sayCursor();
  };
  canvas.addEventListener('pointerup', lift);
  canvas.addEventListener('pointercancel', lift);
  canvas.addEventListener('wheel', wheelZoom, { passive: false });
  canvas.addEventListener('keydown', mapKey);
}

function mapKey(event) {
  const step = event.shiftKey ? 10 : 1, { site, cursor } = state, way = arrowOf(event);
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (way) {
    setCursor({ i: clamp(cursor.i + step * way[0], 0, site.columns - 1), j: clamp(cursor.j + step * way[1], 0, site.rows - 1) });
    keepInSight(cellX(state.cursor), cellY(state.cursor)); sayCursor();
  } else if (zoomKey(event, cellX(cursor), cellY(cursor))) { /* done */ }
  else if (event.key === 'Enter' || event.key === ' ') togglePin(cursor);
  else if (event.key === 'Escape') { state.pins = []; fillReading(); fillTable(); draw(); say('All pins removed'); }
  else return;
  event.preventDefault();
}

function listenControls() {
  const centre = () => mapSize().map((v) => v / 2);
  $('quantity').onchange = () => { state.quantity = $('quantity').value; state.threshold = null; setControls(); refresh(); sayCursor(); };
  $('site').onchange = () => { setSite(Number($('site').value)); setControls(); sayCursor(); };
  $('plane').onchange = () => ($('plane').value === 'level' ? setHeight(heights[Number($('height').value)]) : setPlane(Number($('plane').value)));
  $('height').oninput = () => setHeight(heights[Number($('height').value)]);
  $('component').onchange = () => setSheet(Number($('component').value));
  $('mean').onchange = () => { state.mean = $('mean').checked; refresh(); };
  $('frequency').oninput = () => { state.frequency = Number($('frequency').value); setControls(); refresh(); };
  listenThreshold(() => { paintField(); draw(); });
  $('deciding-stays').onchange = () => { fillDecidingCard(); draw(); };
  $('mimo-marks').onchange = draw;
  $('pin').onclick = () => togglePin(state.cursor);
  $('in').onclick = () => zoom(1.5, ...centre());
  $('out').onclick = () => zoom(1 / 1.5, ...centre());
  $('fit').onclick = () => { view.scale = view.fit; viewClamp(); draw(); };
  $('plot').addEventListener('pointermove', (event) => { plotAt = event.clientX - $('plot').getBoundingClientRect().left; draw(); });
  $('plot').addEventListener('pointerleave', () => { plotAt = null; draw(); });
  $('about').onclick = () => $('about-dialog').showModal();
  $('warnings').onclick = () => $('warnings-dialog').showModal();
  new ResizeObserver(() => { viewClamp(); draw(); }).observe($('map'));
  new ResizeObserver(draw).observe($('plot'));
}
