/* ---- words and numbers ---- */

const valueText = (value) => shown.servers ? (Number.isNaN(value) ? 'none' : data.sites[value].name) : Number.isNaN(value) ? (shown.masks ? MASKED_TEXT : 'not defined') : `${number(value)} ${shown.unit}`;
function placeText(cell) {
  const [x, y, z] = toSpace(cellX(cell), cellY(cell));
  return `x ${number(x)} m, y ${number(y)} m${sheets.length ? `, height ${number(z)} m` : ''}`;
}

const sayCursor = () => say(`${shown.name} ${valueText(shown.values[cellIndex(state.cursor)])} at ${placeText(state.cursor)}`);

function fillTable() {
  const cells = [state.cursor, ...state.pins.map((p) => cellAt(p.x, p.y))], head = element('tr', '');
  head.append(element('td', ''), element('th', 'Cursor', { scope: 'col' }));
  for (const pin of state.pins) {
    const th = element('th', '', { scope: 'col' }), button = element('button', `${pin.slot + 1} ×`, { type: 'button', 'aria-label': `Remove pin ${pin.slot + 1}`, style: `background:${PIN_COLOURS[pin.slot]}` });
    button.onclick = () => { removePin(pin); $('map').focus(); };
    th.append(button); head.append(th);
  }
  const rows = ROWS.map((row) => {
    const tr = element('tr', ''), th = element('th', `${row[0]} `, { scope: 'row' });
    th.append(element('small', row[1])); tr.append(th);
    for (const cell of cells) { const value = rowValue(row, cell); tr.append(element('td', number(value), { 'data-value': value })); }
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
  $('plot').setAttribute('aria-label', `Power-delay profile at ${placeText(state.cursor)}: rms delay spread ${number(rms)} ns, mean excess delay ${number(values(state.site, 'mean_excess_delay')[at])} ns, with ${state.pins.length} pinned for comparison`);
}

function fillLegend() {
  $('scale').hidden = Boolean(shown.servers);
  $('servers').hidden = !shown.servers;
  if (shown.servers) {
    const counts = data.sites.map(() => 0); /* of the cells that coverage counts, as `planwave map` does */
    let total = 0;
    shown.values.forEach((v, n) => { if (state.site.counted[n]) { total++; if (!Number.isNaN(v)) counts[v]++; } });
    $('servers').replaceChildren(...data.sites.map((s, n) => { const span = element('span', ''); span.append(element('i', '', { style: `background:rgb(${colours.categories[n % colours.categories.length]})` }), `${s.name}: ${number(100 * counts[n] / total, 1)} % of the floor`); return span; }));
    return;
  }
  const { low, high } = shown;
  fillTicks(low, high, shown.unit);
  const slider = $('slider');
  slider.min = low; slider.max = high; slider.step = (high - low) / 200 < 0.5 ? 0.1 : 0.5;
  $('level').step = slider.step;
  slider.value = state.threshold === null ? low : state.threshold;
  $('unit').textContent = shown.unit;
  fillShare();
}

function fillShare() {
  const { threshold } = state, cut = threshold === null ? 0 : 100 * clamp((threshold - shown.low) / (shown.high - shown.low), 0, 1);
  const stops = paletteStops(colours.viridis);
  const under = stops.filter((s) => s[0] < cut).map(([p, c]) => `rgb(${muted(c).map(Math.round)}) ${p}%`), over = stops.filter((s) => s[0] >= cut).map(([p, c]) => `rgb(${c}) ${p}%`);
  if (under.length) { under.push(`rgb(${muted(colours.viridis[Math.round(2.55 * cut)]).map(Math.round)}) ${cut}%`); over.unshift(`rgb(${colours.viridis[Math.round(2.55 * cut)]}) ${cut}%`); }
  $('bar').style.background = `linear-gradient(90deg, ${under.concat(over).join(', ')})`;
  let reached = 0, counted = 0;
  shown.values.forEach((v, n) => { if (state.site.counted[n]) { counted++; reached += v >= threshold; } }); /* those without a value too */
  const share = 100 * reached / counted, output = $('share');
  output.dataset.value = threshold === null ? '' : share;
  if (threshold === null) output.replaceChildren('move the slider to see how much of the floor reaches it');
  else output.replaceChildren(element('b', `${number(share, 1)} %`), ` of the ${state.site.floor} at or over ${number(threshold, 1)} ${shown.unit}`);
  $('slider').setAttribute('aria-valuetext', output.textContent);
}

