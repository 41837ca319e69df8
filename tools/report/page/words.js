/* ---- words and numbers ---- */

// A coherence bandwidth [MHz] is looked for up to half the band: one that is not found where there is a field is over that.
const rowText = (row, value, cell) => {
  if (DELAYS.includes(row[2])) return delayText(value, state.site.resolution);
  const over = Number.isNaN(value) && String(row[2]).startsWith('coherence') && state.site.resolution && !Number.isNaN(values(state.site, 'path_gain')[cellIndex(cell)]);
  return over ? `> ${figures(500 / state.site.resolution, 2)}` : number(value);
};
const valueText = (value) => shown.servers ? (Number.isNaN(value) ? 'none' : data.sites[value].name) : Number.isNaN(value) ? (shown.masks ? MASKED_TEXT : 'not defined') : `${shown.resolution ? delayText(value, shown.resolution) : number(value)} ${shown.unit}`;
function placeText(cell) {
  const [x, y, z] = toSpace(cellX(cell), cellY(cell));
  return `x ${number(x)} m, y ${number(y)} m${sheets.length ? `, height ${number(z)} m` : ''}`;
}

const sayCursor = () => say(`${shown.name} ${valueText(shown.values[cellIndex(state.cursor)])} at ${placeText(state.cursor)}`);

function fillTable() {
  const cells = [state.cursor, ...state.pins.map((p) => cellAt(p.x, p.y))], head = element('tr', '');
  head.append(element('td', data.sites.length > 1 ? `from ${state.site.name}` : ''), element('th', 'Cursor', { scope: 'col' }));
  for (const pin of state.pins) {
    const th = element('th', '', { scope: 'col' }), button = element('button', `${pin.slot + 1} ×`, { type: 'button', 'aria-label': `Remove pin ${pin.slot + 1}`, style: `background:${PIN_COLOURS[pin.slot]}` });
    button.onclick = () => { removePin(pin); $('map').focus(); };
    th.append(button); head.append(th);
  }
  const rows = ROWS.map((row) => {
    const tr = element('tr', ''), th = element('th', `${row[0]} `, { scope: 'row' });
    th.append(element('small', row[1])); tr.append(th);
    for (const cell of cells) { const value = rowValue(row, cell); tr.append(element('td', rowText(row, value, cell), { 'data-value': value })); }
    return tr;
  });
  $('table').tHead.replaceChildren(head);
  $('table').tBodies[0].replaceChildren(...rows);
}

function fillReading() {
  const at = cellIndex(state.cursor), value = shown.values[at];
  $('value').textContent = valueText(value);
  $('value').dataset.value = value;
  $('place').textContent = `${shown.name} at ${placeText(state.cursor)}`;
  const pinned = pinAt(state.cursor);
  $('pin').textContent = pinned ? 'Unpin' : 'Pin';
  $('pin').setAttribute('aria-label', pinned ? 'Unpin this point' : 'Pin this point to compare it');
  $('pointer').style.left = `${100 * clamp((value - shown.low) / (shown.high - shown.low), 0, 1)}%`;
  $('pointer').hidden = shown.servers || Number.isNaN(value);
  const rms = values(state.site, 'rms_delay_spread')[at];
  $('plot').setAttribute('aria-label', `Power-delay profile at ${placeText(state.cursor)}: rms delay spread ${delayText(rms, state.site.resolution)} ns, mean excess delay ${delayText(values(state.site, 'mean_excess_delay')[at], state.site.resolution)} ns, with ${state.pins.length} pinned for comparison`);
}

function fillLegend() {
  $('scale').hidden = Boolean(shown.servers);
  $('servers').hidden = !shown.servers;
  $('pale').hidden = true;
  if (shown.servers) {
    const counts = data.sites.map(() => 0); /* of the cells that coverage counts, as `planwave map` does */
    let total = 0;
    shown.values.forEach((v, n) => { if (state.site.counted[n]) { total++; if (!Number.isNaN(v)) counts[v]++; } });
    $('servers').replaceChildren(...data.sites.map((s, n) => { const span = element('span', ''); span.append(element('i', '', { style: `background:rgb(${colours.categories[n % colours.categories.length]})` }), `${s.name}: ${number(100 * counts[n] / total, 1)} % of the floor`); return span; }));
    return;
  }
  const { low, high } = shown;
  fillTicks(low, high, shown.unit);
  fillThreshold();
  $('pale').hidden = !shown.resolution;
  if (shown.resolution) $('pale').textContent = `pale: < ${figures(shown.resolution, 2)} ns, the resolution; ${widerText(shown.resolution)}`;
}

/* What the threshold divides. */
function covered() {
  if (!shown || shown.servers) return null;
  const { values, low, high, unit } = shown, { counted, floor } = state.site;
  return { values, is_floor: (n) => counted[n], floor, low, high, unit, falls: false, palette: colours.viridis };
}
