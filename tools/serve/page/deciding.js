/* ---- the layer Walls: which walls decide the level at a place that was clicked ---- */

const deciding = { shown: null, place: null /* what is asked about: {at, name} */, answers: new Map(), revision: -1, pointed: -1 };

const decidingWalls = () => (deciding.shown ? deciding.shown.walls : []);
const decidingKey = (at, transmitter) => `${at.map((v) => v.toFixed(3))} ${transmitter}`;

/* A receiver within a finger of a place, else the place itself. */
function receiverNear(at) {
  const near = live.state.receivers.map((r) => ({ at: [r.x, r.y], name: r.name, far: Math.hypot(r.x - at[0], r.y - at[1]) * view.scale })).sort((a, b) => a.far - b.far)[0];
  return near && near.far < 16 ? { at: near.at, name: near.name } : { at: inside(at), name: '' };
}

function fillDecidingCard() {
  const { shown } = deciding;
  $('deciding').hidden = state.layer !== 'walls' || !shown;
  $('stop').hidden = state.layer !== 'walls' || !deciding.place;
  if (shown) {
    $('deciding-of').textContent = `${shown.name || `x ${number(shown.x)} m, y ${number(shown.y)} m`}, from ${shown.transmitter}`;
    fillDeciding($('deciding-body'), shown.walls, (n) => { deciding.pointed = n; draw(); });
  }
}

function decidingChanged() {
  fillDecidingCard(); fillLegend(); fillBadge(); fillReading(); draw();
}

/* An answer is kept until the floor changes; the one on show stays and says that it is old. */
function showDeciding(answer) {
  deciding.shown = answer; deciding.pointed = -1;
  decidingChanged();
  const [first] = answer.walls;
  say(first ? `${answer.walls.length} walls; the strongest: ${wallName(first)}, ${wallChanges(first)}` : 'No wall decides here');
}

const decidingKnown = (place) => (deciding.revision === live.state.revision ? deciding.answers.get(decidingKey(place.at, channelSite())) : undefined);

async function askDeciding(at) {
  const place = receiverNear(at), transmitter = channelSite(), known = decidingKnown(place);
  if (known) { showDeciding(known); return; }
  deciding.place = place;
  decidingChanged();
  const answer = await send({ type: 'sensitivity', x: place.at[0], y: place.at[1], transmitter });
  if (deciding.place === place) deciding.place = null;
  if (answer.type === 'sensitivity') {
    if (answer.revision !== deciding.revision) { deciding.answers.clear(); deciding.revision = answer.revision; }
    answer.name = place.name;
    deciding.answers.set(decidingKey(place.at, transmitter), answer);
    showDeciding(answer);
    if (answer.nodes_left_out > 0.01 * answer.nodes) showNotice(`${number(100 * answer.nodes_left_out / (answer.nodes + answer.nodes_left_out), 0)} % of the nodes of walls lie beside metal and are left out.`);
    return;
  }
  decidingChanged();
  if (answer.type === 'refused' && !/^(stopped|asked anew)$/.test(answer.text)) showNotice(sentence(answer.text));
}

function stopDeciding() {
  if (deciding.place) change({ type: 'stop' });
}

/* Over a receiver that was asked about before, its walls glow again. */
function pointDeciding(at) {
  const known = decidingKnown(receiverNear(at));
  if (known && known.name && known !== deciding.shown) showDeciding(known);
  deciding.pointed = wallAt(decidingWalls(), at);
}

function decidingBadge() {
  const { shown, place } = deciding;
  if (place) {
    const { stage, done } = live.progress;
    return ['wait', 'Two runs', `from ${channelSite()} and from ${place.name || 'the place'}${stage === 'sensitivity' ? `, ${number(100 * done, 0)} %` : ', waiting'}`];
  }
  if (!shown) return ['plain', 'Walls that decide', 'click a place or a receiver'];
  if (shown.revision !== live.state.revision) return ['old', 'Before the last change', 'click again'];
  const some = shown.frequencies_left_out > 0 ? `, ${shown.frequencies} of ${shown.frequencies + shown.frequencies_left_out} frequencies` : '';
  return ['full', 'Walls that decide', `${shown.walls.length} walls, ${number(shown.seconds, shown.seconds < 10 ? 1 : 0)} s${some}`];
}

/* The place, and a line to the transmitter whose level is told. */
function drawDecidingPlace(context, width, height) {
  const { place, shown } = deciding, at = place ? place.at : shown && [shown.x, shown.y];
  if (!at) return;
  const from = transmitters().find((t) => t.name === (place ? channelSite() : shown.transmitter)), x = toX(at[0], width), y = toY(at[1], height);
  context.save();
  if (from) {
    const [u, v] = placeOf(from);
    context.setLineDash([4, 5]); context.strokeStyle = css('--soft'); context.lineWidth = 1.2;
    context.beginPath(); context.moveTo(toX(u, width), toY(v, height)); context.lineTo(x, y); context.stroke();
    context.setLineDash([]);
  }
  context.strokeStyle = css('--ink'); context.lineWidth = 2;
  context.beginPath(); context.arc(x, y, 9, 0, 7); context.stroke();
  context.restore();
}

function drawDecidingLayer(context, width, height) {
  drawDeciding(context, decidingWalls(), deciding.pointed, width, height);
  drawDecidingPlace(context, width, height);
}

function drawDecidingWords(context, width, height) {
  const wall = decidingWalls()[deciding.pointed];
  if (wall && state.cursor) drawWallWords(context, wall, wallAt([wall], state.cursor) === 0 ? state.cursor : wall.from.map((v, n) => (v + wall.to[n]) / 2), width, height);
}
