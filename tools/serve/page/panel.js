/* ---- lists beside the floor, the film of the wave, saving ---- */

/* Keeps the field that somebody is writing in. */
const isWritten = (list) => $(list).contains(document.activeElement) && document.activeElement.matches('input');

/* What a transmitter radiates [dBm]; what is out of range is not sent. */
function powerField(transmitter) {
  const field = element('input', '', { type: 'number', min: -100, max: 100, step: 'any', 'aria-label': `Power of ${transmitter.name} in dBm, EIRP`, title: 'dBm, EIRP' });
  const reset = () => { field.value = Number(transmitter.power.toPrecision(6)); };
  reset();
  field.onchange = () => {
    if (field.value === '' || !field.checkValidity()) { showNotice(`Power of ${transmitter.name}: allowed are -100 to 100 dBm.`); reset(); return; }
    change({ type: 'power', transmitter: transmitter.name, power: Number(field.value) }).then((answer) => { if (answer.type !== 'done') reset(); });
  };
  return field;
}

/* A channel of Wi-Fi, with its width in MHz where that is not 20: "36" or "36/80"; empty: none. */
const channelText = ({ channel: c }) => (!c ? '' : `${c.number}${c.width === 20e6 ? '' : `/${c.width / 1e6}`}`);
function channelField(transmitter) {
  const field = element('input', '', { type: 'text', inputmode: 'numeric', pattern: '\\s*([0-9]{1,3}(\\s*/\\s*[0-9]{2,3})?)?\\s*', placeholder: '–', class: 'channel', 'aria-label': `Channel of ${transmitter.name}`, title: 'Channel of Wi-Fi, as 36, or 36/80 with its width in MHz; empty: none, so that it interferes with all' });
  const reset = () => { field.value = channelText(transmitter); };
  reset();
  field.onchange = () => {
    if (!field.checkValidity()) { showNotice(`Channel of ${transmitter.name}: write 36, or 36/80 with its width in MHz.`); reset(); return; }
    const [number_, width] = field.value.split('/').map((part) => Number(part));
    change({ type: 'tune', transmitter: transmitter.name, number: number_, ...(width ? { width: 1e6 * width } : {}) }).then((answer) => { if (answer.type !== 'done') reset(); });
  };
  return field;
}

function nameField(transmitter) {
  const field = element('input', '', { type: 'text', maxlength: 63, spellcheck: 'false', class: 'name', 'aria-label': `Name of ${transmitter.name}`, title: transmitter.name });
  field.value = transmitter.name;
  field.onchange = () => change({ type: 'rename', transmitter: transmitter.name, name: field.value.trim() }).then((answer) => { if (answer.type !== 'done') field.value = transmitter.name; });
  return field;
}

let transmittersShown = '';
function fillTransmitters() {
  if (!live.state) return;
  const key = JSON.stringify(transmitters().map((t) => [t.name, t.power, t.channel])), placeText = (t) => placeOf(t).map((v) => number(v)).join(', ');
  if (key === transmittersShown) { /* only places have changed, as with every move of a drag */
    transmitters().forEach((t, n) => { const span = $('transmitters').children[n].querySelector('span'), text = placeText(t); if (span.textContent !== text) span.textContent = text; });
    return;
  }
  if (isWritten('transmitters')) { document.activeElement.addEventListener('blur', () => { transmittersShown = ''; fillTransmitters(); }, { once: true }); return; }
  transmittersShown = key;
  const rows = transmitters().map((t) => {
    const item = element('li', ''), remove = element('button', '×', { type: 'button', 'aria-label': `Remove transmitter ${t.name}`, title: 'Remove' });
    remove.disabled = transmitters().length < 2;
    remove.onclick = () => { change({ type: 'remove', transmitter: t.name }); $('map').focus(); };
    item.append(nameField(t), Number.isFinite(t.power) ? powerField(t) : element('em', ''), channelField(t), element('span', placeText(t)), remove);
    return item;
  });
  $('transmitters').replaceChildren(...rows);
}

/* A field for one value of a material; what is out of range is not sent. */
function materialField(material, key, label, most) {
  const field = element('input', '', { type: 'number', min: key === 'conductivity' ? 0 : 1, max: most, step: 'any', 'aria-label': `${label} of ${material.name}` });
  field.value = Number(material[key].toPrecision(4));
  field.onchange = () => {
    const value = Number(field.value), present = live.state.materials.find((m) => m.name === material.name) || material;
    if (field.value === '' || !field.checkValidity()) { showNotice(`${label} of ${material.name}: allowed are ${field.min} to ${key === 'conductivity' ? '10 million S/m' : most}.`); field.value = Number(present[key].toPrecision(4)); return; }
    const now = { relative_permittivity: present.relative_permittivity, conductivity: present.conductivity, [key]: value };
    change({ type: 'material', name: material.name, ...now }).then((answer) => { if (answer.type !== 'done') { materialsShown = ''; fillMaterials(true); } });
  };
  return field;
}

/* What a wall may be of: what is on the plan, and the materials that planwave knows by name. */
function fillMaterialChoice(field, here, chosen) {
  const group = (label, names) => {
    const made = element('optgroup', '', { label });
    made.append(...names.map((name) => element('option', name === 'air' ? 'air (an opening)' : name, { value: name })));
    return made;
  };
  const known = (live.hello.materials || []).filter((name) => !here.includes(name));
  $(field).replaceChildren(group('On this plan', here), ...(known.length ? [group('Others', known)] : []));
  $(field).value = here.includes(chosen) || known.includes(chosen) ? chosen : here.find((name) => name !== 'air') || here[0];
}

function fillWallMaterials(here) {
  const choice = choices[state.tool] || choices.wall;
  fillMaterialChoice('material', here, choice.material);
  choice.material = $('material').value;
}

let materialsShown = '';
function fillMaterials(anew) {
  const { materials } = live.state, key = JSON.stringify(materials);
  if (key === materialsShown && !anew) return;
  fillWallMaterials(materials.map((m) => m.name));
  if (isWritten('materials') && !anew) { document.activeElement.addEventListener('blur', () => { materialsShown = ''; fillMaterials(); }, { once: true }); return; }
  materialsShown = key;
  $('materials').replaceChildren(...materials.filter((m) => m.name !== 'air').map((m) => {
    const item = element('li', ''), mark = element('i', '');
    mark.style.background = m.colour;
    item.append(mark, element('b', m.name, { title: m.name }));
    if (m.perfect_conductor) item.append(element('em', 'perfect conductor'));
    else if (!m.editable) item.append(element('em', `${short(m.relative_permittivity)}, ${rounded(m.conductivity, 3)}`));
    else item.append(materialField(m, 'relative_permittivity', 'Relative permittivity', 1000), materialField(m, 'conductivity', 'Conductivity', 1e7));
    return item;
  }));
}

/* ---- the wave ---- */

const speedOf = () => Number((10 ** Number($('speed').value)).toPrecision(2));

function askWave(changes) {
  const { on, transmitter, speed, paused } = live.state.wave;
  return change({ type: 'wave', on, ...(transmitter ? { transmitter } : {}), speed, paused: Boolean(paused), ...changes });
}

function fillFilm() {
  const { wave } = live.state;
  $('film').hidden = state.layer !== 'wave';
  $('play').textContent = wave.on && !wave.paused ? 'Pause' : 'Play';
  if (document.activeElement !== $('speed')) $('speed').value = Math.log10(wave.speed);
  $('speed-text').textContent = `${short(speedOf())} ns/s`;
}

function setLayer(layer) {
  const before = state.layer;
  state.layer = $('stage').dataset.layer = layer;
  document.querySelectorAll('.of-map').forEach((e) => e.toggleAttribute('hidden', layer !== 'map'));
  $('site-label').hidden = layer === 'plan';
  if (!live.state) return;
  if (before === 'wave' && layer !== 'wave' && live.state.wave.on) askWave({ on: false }); /* it would slow down what follows */
  if (layer === 'wave') { waveRange.high = 0; if (!live.state.wave.on) askWave({ on: true, paused: window.matchMedia('(prefers-reduced-motion: reduce)').matches }); }
  if (layer !== 'walls') stopDeciding();
  if (layer === 'wave' && live.wave) waveArrived(live.wave);
  fillDecidingCard(); fillHint(); fillSites(); fillFilm(); fillLegend(); fillBadge(); fillReading(); draw();
  $('map').setAttribute('aria-label', { map: 'Map of the floor', wave: 'The wave on the floor', plan: 'Plan of the floor', walls: 'Walls that decide' }[layer]);
}

/* ---- saving, the report ---- */

function openSave() {
  const file = (live.state.file || 'plan.yaml').replace(/^.*\//, '');
  if (!$('save-name').value) $('save-name').value = file.replace(/(-changed)?\.ya?ml$/, '') + '-changed.yaml';
  $('save-refused').textContent = '';
  $('save-dialog').showModal();
  $('save-name').select();
}

async function save(event) {
  event.preventDefault();
  const answer = await send({ type: 'save', name: $('save-name').value.trim(), overwrite: $('save-over').checked });
  if (answer.type === 'refused') { $('save-refused').textContent = answer.text; return; }
  $('save-dialog').close(); $('save-over').checked = false;
  showNotice(answer.type === 'saved' ? `Saved as ${answer.name}.` : 'The connection is lost, so nothing was saved.');
}

function reportArrived(answer) {
  const old = live.state && answer.revision !== live.state.revision;
  showNotice(old ? 'The report of the floor before the last change is ready.' : 'The report of this floor is ready.', { address: answer.path, text: 'Open the report' });
}

async function askReport() {
  $('report').disabled = true;
  showNotice('The report is being made …');
  const answer = await change({ type: 'report' });
  $('report').disabled = !live.connected;
  if (answer.type === 'report') reportArrived(answer);
}
