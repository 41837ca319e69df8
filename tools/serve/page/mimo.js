/* ---- what an array carries to a receiver at the cursor ---- */

const mimo = { answer: null, refused: '', asking: false, again: false };

/* Asks for it after the profile, where that comes from an antenna of an array: one question at a time, the newest last. */
function askMimo() {
  const found = live.channel;
  if (!found || !(found.antennas > 1)) { mimo.answer = null; mimo.refused = ''; fillMimo(); return; }
  if (mimo.asking) { mimo.again = true; return; }
  mimo.asking = true; mimo.again = false;
  const [x, y] = state.cursor, question = { type: 'mimo', x: clamp(x, left, right), y: clamp(y, bottom, top_), transmitter: found.transmitter, antennas: Number($('mimo-antennas').value) };
  if ($('mimo-snr').value.trim() !== '') question.snr = Number($('mimo-snr').value);
  send(question).then((answer) => {
    mimo.asking = false;
    mimo.answer = answer.type === 'mimo' ? answer : null;
    mimo.refused = answer.type === 'refused' ? answer.text : '';
    fillMimo();
    if (mimo.again) askMimo();
  });
}

function fillMimo() {
  const found = mimo.answer, row = (name, value, unit) => `${name} ${value === null ? '–' : `${number(value, 1)} ${unit}`}`.trim();
  $('mimo').hidden = !found && !mimo.refused;
  $('mimo-of').textContent = found ? `${found.transmitter}: ${found.transmitter_antennas} antennas to ${found.receiver_antennas}${found.receiver_antennas > 1 ? `, ${number(100 * found.spacing, 1)} cm apart` : ''}` : '';
  $('mimo-capacity').textContent = found ? [row('Capacity', found.capacity, 'bit/s/Hz'), row('with water filling', found.water_capacity, ''), row('SNR', found.snr_db, 'dB'), row('rank', found.rank, '')].join(' · ') : '';
  $('mimo-values').textContent = found ? `Singular values ${found.singular_db.map((v) => (v === null ? '–' : number(v, 1))).join(', ')} dB` : '';
  $('mimo-doubt').textContent = mimo.refused || (found && live.state && found.revision !== live.state.revision ? 'Of the floor before the last change.' : '');
}

for (const id of ['mimo-antennas', 'mimo-snr']) {
  $(id).onchange = () => { if ($(id).checkValidity()) askMimo(); };
}
