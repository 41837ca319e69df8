/* ---- a threshold on the map, and how much of the floor reaches it; a page says what is on show by covered(): values, is_floor(n) for what
   counts, the floor in words, low and high of the colours, unit, falls (less is better) and the palette; null: nothing that has a threshold ---- */

const meets = (value, falls) => state.threshold !== null && (falls ? value <= state.threshold : value >= state.threshold); /* NaN does not */

/* The slider under the bar, from end to end of its colours. */
function fillThreshold() {
  const now = covered();
  $('slider').hidden = $('coverage').hidden = !now;
  if (!now) return;
  const { low, high, unit } = now, slider = $('slider');
  slider.min = low; slider.max = high; slider.step = (high - low) / 200 < 0.5 ? 0.1 : 0.5;
  $('level').step = slider.step;
  slider.value = state.threshold === null ? low : state.threshold;
  if (document.activeElement !== $('level')) $('level').value = state.threshold === null ? '' : state.threshold;
  $('unit').textContent = unit;
  fillShare();
}

function fillShare() {
  const now = covered(), { threshold } = state;
  if (!now) return;
  const { values, is_floor, floor, low, high, unit, falls, palette } = now, output = $('share');
  const cut = threshold === null ? (falls ? 100 : 0) : 100 * clamp((threshold - low) / (high - low), 0, 1), rgb = (c) => `rgb(${c.map(Math.round)})`;
  const stops = paletteStops(palette), edge = palette[Math.round(2.55 * cut)], dimmed = (p) => (falls ? p > cut : p < cut);
  const [below, above] = falls ? [edge, muted(edge)] : [muted(edge), edge];
  const parts = [...stops.filter(([p]) => p < cut), [cut, below], [cut, above], ...stops.filter(([p]) => p > cut)].map(([p, c], n, all) => `${rgb(all[n][0] !== cut && dimmed(p) ? muted(c) : c)} ${p}%`);
  $('bar').style.background = `linear-gradient(90deg, ${(threshold === null ? stops.map(([p, c]) => `${rgb(c)} ${p}%`) : parts).join(', ')})`;
  let reached = 0, counted = 0;
  values.forEach((v, n) => { if (is_floor(n)) { counted++; reached += meets(v, falls); } }); /* those without a value too */
  const share = 100 * reached / counted;
  output.dataset.value = threshold === null || !counted ? '' : share;
  if (threshold === null) output.replaceChildren('move the slider to see how much of the floor reaches it');
  else if (!counted) output.replaceChildren('the share follows with the full map');
  else output.replaceChildren(element('b', `${number(share, 1)} %`), ` of the ${floor} at or ${falls ? 'under' : 'over'} ${number(threshold, 1)} ${unit}`);
  $('slider').setAttribute('aria-valuetext', output.textContent);
}

/* `changed` draws what the threshold divides. */
function listenThreshold(changed) {
  const set = (value) => { state.threshold = value; fillShare(); changed(); };
  $('slider').oninput = () => {
    const value = Number($('slider').value), off = value <= Number($('slider').min);
    $('level').value = off ? '' : value;
    set(off ? null : value);
  };
  $('slider').onchange = () => say($('share').textContent);
  $('level').oninput = () => {
    const text = $('level').value, value = Number(text);
    if (text === '' || !Number.isFinite(value)) set(null); else { set(value); $('slider').value = value; }
    say($('share').textContent);
  };
}
