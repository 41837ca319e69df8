/* ---- what the page knows, and what it says about it ---- */

const state = { layer: 'map', tool: 'move', cursor: null /* [x, y] m */, range: null /* of the map's colours */, threshold: null };
const DELAY_WORDS = ['rms-delay-spread', 'mean-delay', 'maximum-delay'], BEST = 0xffffffff;
const lags = []; /* ms from pointermove to the drawn map, of the maps while dragging; tests and validation read it */

const transmitters = () => (live.state ? live.state.transmitters : []);
const materialOf = (index) => (live.state ? live.state.materials[index] : undefined);
const POWER_WORDS = ['path-gain', 'received-power', 'path-loss', 'best-server', 'snr', 'sinr']; /* what a local mean is taken of */
const sentence = (text) => text.replace(/^rms/, 'RMS').replace(/^./, (c) => c.toUpperCase());
const quantityOf = (frame) => live.hello.quantities.find((q) => q.index === frame.quantity) || { word: '', name: '?', unit: '', falls: false };

function fillHello() {
  const chosen = $('quantity').value;
  colours.viridis = coloursOf(live.hello.viridis);
  colours.categories = coloursOf(live.hello.categories);
  $('quantity').replaceChildren(...live.hello.quantities.map((q) => element('option', sentence(q.name), { value: q.word })));
  if (chosen) $('quantity').value = chosen;
  $('about-facts').replaceChildren(element('dt', 'planwave'), element('dd', live.hello.version), element('dt', '± dB'), element('dd', live.hello.forecast));
  $('badge-text').title = live.hello.forecast;
  const limits = live.hello.limits && live.hello.limits.walls_thickness;
  if (limits) { $('thickness').min = 100 * limits[0]; $('thickness').max = 100 * limits[1]; }
  if (live.hello.drawing && !underlay.src) underlay.src = 'drawing.png';
}

const frequencyText = (f) => (f < 0.9995e9 ? `${short(f / 1e6)} MHz` : `${short(f / 1e9)} GHz`);

/* The scenario has changed, here or in another window. */
function stateChanged() {
  const { title, width, height, band, view: looked, undo, redo, saved, clients, file } = live.state;
  if (right !== width || top_ !== height) {
    [left, right, bottom, top_] = [0, width, 0, height];
    document.documentElement.style.setProperty('--aspect', height / width);
    view.x = width / 2; view.y = height / 2; view.scale = view.fit = 1e-9;
    if (!state.cursor) { const [first] = live.state.receivers; state.cursor = first ? [first.x, first.y] : [width / 2, height / 2]; }
    viewClamp();
  }
  document.title = `${title || file || 'Untitled scenario'} · planwave, live`;
  $('title').textContent = title || 'Untitled scenario';
  $('summary').textContent = [file, `${frequencyText(band.centre)}${band.width > 0 ? `, ${frequencyText(band.width)} wide` : ''}`, `${short(width)} × ${short(height)} m`, saved ? 'saved' : 'changes not saved', ...(clients > 1 ? [`${clients} windows`] : [])]
    .filter(Boolean).join(' · ').replace(/(\d) (?=[a-zA-Z])/g, '$1\u00a0');
  $('undo').disabled = !(undo > 0); $('redo').disabled = !(redo > 0);
  $('quantity').value = looked.quantity;
  $('mean').checked = looked.local_mean;
  $('mean-label').style.visibility = POWER_WORDS.includes(looked.quantity) ? '' : 'hidden';
  fillSites(); fillMaterials(); fillTransmitters(); placeHandles(); fillFilm(); fillBadge(); fillFacts();
  if (live.plan) paintPlan();
  closePiece();
  fillDecidingCard();
  if (channel.transmitter !== channelSite()) askChannel();
  const drawn = JSON.stringify([width, height, live.state.receivers, live.state.view, planColours]);
  if (drawn !== stateDrawn) { stateDrawn = drawn; draw(); } /* not for every move of a drag: handles are no part of the canvas */
}
let stateDrawn = '';

const channelSite = () => { const { transmitter } = live.state.view; return transmitters().some((t) => t.name === transmitter) ? transmitter : transmitters()[0].name; };
const waveSite = () => live.state.wave.transmitter || transmitters()[0].name;

/* The choice of a transmitter, of the map with the best at each cell, and of the wave. */
function fillSites() {
  const names = transmitters().map((t) => t.name), list = ['wave', 'walls'].includes(state.layer) || names.length < 2 ? names : ['best', ...names];
  const texts = list.map((name) => (name === 'best' && !names.includes('best') ? 'strongest' : name));
  if ([...$('site').options].map((o) => o.textContent).join('\n') !== texts.join('\n')) $('site').replaceChildren(...list.map((name, n) => element('option', texts[n], { value: name })));
  const value = state.layer === 'wave' ? waveSite() : state.layer === 'walls' ? channelSite() : live.state.view.transmitter;
  $('site').value = list.includes(value) ? value : list[0];
  $('site').disabled = list.length < 2 || (state.layer === 'map' && live.state.view.quantity === 'best-server'); /* which compares all */
}

/* ---- which map is on show: never a preview or an old one without saying so ---- */

function waveBadge() {
  const { wave, state: { wave: { on, paused }, revision } } = live, going = on ? (paused ? 'paused' : 'slowed down') : 'stopped';
  if (!wave) return ['wait', 'Wave', on ? 'waiting for the first picture' : 'stopped'];
  if (wave.revision !== revision) return ['old', 'Wave before the last change', on ? 'it begins anew' : 'stopped'];
  return ['plain', 'Wave', `from ${(transmitters()[wave.transmitter] || { name: waveSite() }).name}, ${going}`];
}

/* What the map shows is not yet what was chosen: another quantity, another transmitter, local means or not. */
function isOtherView(map) {
  const { quantity, transmitter, local_mean } = live.state.view, { word } = quantityOf(map), name = map.transmitter === BEST ? 'best' : (transmitters()[map.transmitter] || {}).name;
  const several = transmitters().length > 1 && word !== 'best-server' && transmitter && transmitter !== name;
  return word !== quantity || several || (POWER_WORDS.includes(word) && word !== 'best-server' && local_mean !== map.mean);
}

/* [kind, word, text] for the mark on the map. */
function badgeOf() {
  if (!live.state) return ['wait', 'Connecting', ''];
  if (state.layer === 'plan') return ['plain', 'Plan', ''];
  if (state.layer === 'wave') return waveBadge();
  if (state.layer === 'walls') return decidingBadge();
  const { map, failed } = live, solving = live.progress.stage === 'preview' || live.progress.stage === 'full', left = solving && live.progress.seconds_left;
  if (failed && failed.revision === live.state.revision) return ['failed', failed.stage === 'map' ? 'No map' : 'Not solved', `${failed.text}${map ? ' What is shown is an earlier map.' : ''}`];
  const rest = Number.isFinite(left) && left >= 1 ? `, about ${number(left, 0)} s` : '';
  if (!map) return ['wait', 'Solving', `the first map${rest}`];
  const pending = live.state.revision !== map.revision;
  if (isOtherView(map)) return ['old', `Still the ${quantityOf(map).name}`, `the map that was chosen follows${rest}`];
  const error = Number.isFinite(map.error) && POWER_WORDS.includes(quantityOf(map).word) ? map.full ? `local means ± ${number(map.error, 1)} dB by the grid` : `± ${number(map.error, 1)} dB` : '', said = (...parts) => parts.filter(Boolean).join(', ');
  if (!map.full) return ['preview', 'Preview, low resolution', said(error, live.state.dragging ? '' : pending ? 'of an earlier floor' : `full map${rest ? ` in${rest.slice(1)}` : ' follows'}`)];
  if (pending) return ['old', 'Before the last change', `solving${rest}`];
  return ['full', 'Full resolution', said(Number.isFinite(map.seconds) && `${number(map.seconds, map.seconds < 10 ? 1 : 0)} s`, error)];
}

function fillBadge() {
  const [kind, word, text] = badgeOf();
  $('badge').dataset.kind = $('stage').dataset.kind = kind;
  $('badge-word').textContent = word;
  $('badge-text').textContent = text ? `· ${text}` : '';
}

function fillProgress() {
  const { stage, done } = live.progress;
  $('progress').style.transform = `scaleX(${stage === 'idle' || !(done > 0) ? 0 : clamp(done, 0, 1)})`;
  fillBadge();
}

let noticeTimer = 0;
/* A sentence for people, which stays until it has been read; `link`, if any, stays until it is closed. */
function showNotice(text, link) {
  $('notice-text').textContent = text;
  $('notice-link').hidden = !link;
  if (link) { $('notice-link').href = link.address; $('notice-link').textContent = link.text; }
  $('notice').hidden = false;
  clearTimeout(noticeTimer);
  if (!link) noticeTimer = setTimeout(() => { $('notice').hidden = true; }, Math.max(6000, 90 * text.length));
}

/* ---- the value at the cursor ---- */

const cellAt = (frame, [x, y]) => { const i = Math.round((x - frame.x0) / frame.pitch_x), j = Math.round((y - frame.y0) / frame.pitch_y); return i >= 0 && j >= 0 && i < frame.columns && j < frame.rows ? j * frame.columns + i : -1; };
const valueAt = (frame, at) => { const n = frame ? cellAt(frame, at) : -1; return n < 0 ? NaN : frame.values[n]; };
/* Of a map of delays, below which a delay may be that of a single path [ns]; 0 for other maps. */
const resolutionOf = (map) => (map && DELAY_WORDS.includes(quantityOf(map).word) && live.channel && live.channel.delay_resolution_ns) || 0;
const materialAt = (at) => materialOf(valueAt(live.plan, at));
const isMasked = (word, at) => DELAY_WORDS.includes(word) && !(materialAt(at) || {}).perfect_conductor;

function valueText(at) {
  if (state.layer === 'wave') return live.wave ? `${rounded(valueAt(live.wave, at), 3)} V/m` : '–';
  const material = materialAt(at);
  if (state.layer === 'walls' && deciding.pointed >= 0) return `${signed(wallChange(decidingWalls()[deciding.pointed]))} dB`;
  if (['plan', 'walls'].includes(state.layer) || !live.map) return material ? material.name : '–';
  const quantity = quantityOf(live.map), value = valueAt(live.map, at);
  if (Number.isNaN(value)) return isMasked(quantity.word, at) ? MASKED_TEXT : 'not defined';
  if (quantity.word === 'best-server') return (transmitters()[value] || { name: '–' }).name;
  return `${resolutionOf(live.map) ? delayText(value, resolutionOf(live.map), 1) : number(value)} ${quantity.unit}`;
}

function fillReading() {
  if (!state.cursor || !live.state) return;
  const [x, y] = state.cursor, material = materialAt(state.cursor), text = valueText(state.cursor), { map } = live;
  $('value').textContent = text;
  $('value').dataset.value = state.layer === 'map' ? valueAt(map, state.cursor) : '';
  const what = state.layer === 'map' && map ? `${quantityOf(map).name}${map.mean ? ', local mean' : ''}${map.full ? '' : ' (preview)'}` : state.layer === 'wave' ? 'Electric field' : 'Material';
  if (state.layer === 'walls' && deciding.pointed >= 0) {
    const wall = decidingWalls()[deciding.pointed];
    $('place').textContent = `${wallName(wall)}, with 10 % more of it`;
  } else $('place').textContent = `${sentence(what)} at x ${number(x)}\u00a0m, y ${number(y)}\u00a0m${material && material.name !== 'air' && !['plan', 'walls'].includes(state.layer) ? `, in ${material.name}` : ''}`;
  const value = valueAt(map, state.cursor), pointer = state.layer === 'map' && state.range && !Number.isNaN(value);
  $('pointer').hidden = !pointer;
  if (pointer) $('pointer').style.left = `${100 * clamp((value - state.range.low) / (state.range.high - state.range.low), 0, 1)}%`;
}

const sayCursor = () => say(`${$('value').textContent}, ${$('place').textContent}`);
