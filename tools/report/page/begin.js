/* ---- beginning ---- */

function fillTexts() {
  const frequency = (f) => f < 0.9995e9 ? `${short(f / 1e6)} MHz` : `${short(f / 1e9)} GHz`;
  const { options, facts } = data, [x0, x1, y0, y1] = data.floor, size = `${short(x1 - x0)} × ${short(y1 - y0)} m`, title = data.title || 'Untitled scenario';
  document.documentElement.style.setProperty('--aspect', (top_ - bottom) / (right - left));
  document.title = `${title} · planwave`;
  $('title').textContent = title;
  const spreading = { none: 'as solved in 2D', distance: '2D→3D by distance', delay: '2D→3D by delay', solved: 'solved in 3D' }[options.spreading];
  $('summary').textContent = [`${frequency(data.band_centre)}, ${frequency(data.band_width)} wide`, size, `${data.scheme}, ${short(100 * data.cell)} cm cells`, spreading].join(' · ').replace(/(\d) (?=[a-zA-Z])/g, '$1\u00a0');
  $('threshold-text').textContent = `${options.threshold} dB under the peak or ${options.noise_margin} dB over the noise floor, whichever is higher`;
  const entries = [['File', data.file], ['Band', `${data.frequencies} frequencies; window ${options.window}, zero padding ${options.padding}`],
    ['From 2D to 3D', options.step],
    ['Scheme', `${data.scheme}, walls averaged by ${facts.averaging}, ${facts.precision} precision, warp ${facts.warp}`], ['Run', `${facts.backend}, ${facts.device}; stopped by ${facts.stop_reason}`],
    ['Forecast', `${facts.forecast === '?' ? '' : `local means of the power within ${facts.forecast}. `}${data.forecast_words}`],
    ...(data.level_interval > 0 ? [['Calibrated', `19 of 20 measured levels lie within ${short(data.level_interval)} dB of the prediction`]] : []),
    ['Transmitters', data.sites.map((s) => `${s.name}, ${short(s.power)} dBm EIRP${s.channel ? `, channel ${s.channel[2]}` : ''}`).join('; ')],
    ['Cells', `${data.sites[0].columns} × ${data.sites[0].rows}, ${short(100 * data.sites[0].pitch_x)} cm apart${data.cell_step > 1 ? `, one of ${data.cell_step} each way to keep the page small` : ''}`],
    ['Resolution', 'maps 0.01, profiles 0.25 dB down to 64 dB under their peak'], ['Made by', `planwave ${facts.version} (${facts.commit}), ${facts.created}`]];
  if (cuts.length) entries.splice(6, 0, ['Vertical cuts', cuts.map((n) => `${'xy'[sheets[n].normal]} = ${short(sheets[n].position)} m`).join(', ')]);
  if (heights.length) entries.splice(6, 0, ['Heights', `${heights.map(short).join(', ')} m; ${[...new Set(sheets.map((s) => s.component))].join(', ')}`]);
  for (const [name, text] of entries) $('facts').append(element('dt', name), element('dd', text));
  const warnings = data.warnings.concat(data.sites.filter((s) => s.doubt).map((s) => `${s.name}: ${s.doubt}`));
  $('warnings').hidden = warnings.length === 0;
  $('warnings').textContent = warnings.length === 1 ? '1 warning' : `${warnings.length} warnings`;
  for (const text of warnings) $('warnings-list').append(element('li', text));
}

function fillChoices() {
  const first = data.sites[0], names = [['received_power', 'Received power'], ['path_gain', 'Path gain']];
  if (first.bins) names.push(...['rms_delay_spread', 'mean_excess_delay', 'maximum_excess_delay', 'rician_k', 'coherence_50'].map((key) => [key, planeOf(first, key).name]));
  names.push(['gain', 'Gain at one frequency']);
  if (data.sites.length > 1 && sameGrid) names.push(['best_signal', 'Best signal'], ['best_server', 'Best server'], ['sinr', 'SINR from the best server']);
  for (const [key, name] of names) $('quantity').append(element('option', name, { value: key }));
  data.sites.forEach((s, n) => $('site').append(element('option', s.name, { value: n })));
  if (heights.length) $('plane').append(element('option', 'Horizontal', { value: 'level' }));
  for (const n of cuts) $('plane').append(element('option', `Cut at ${'xy'[sheets[n].normal]} = ${number(sheets[n].position)} m`, { value: n }));
  $('frequency').max = gains(first).length - 1;
  $('frequency').value = state.frequency = Math.floor((gains(first).length - 1) / 2);
}

async function begin() {
  listenTheme(() => { if (shown) { deciding.shown = null; fillDecidingCard(); paintField(); fillShare(); draw(); } });
  fillTexts();
  paintWalls((await Promise.all([loadWalls(state.sheet), ...data.sites.map(loadMaps)]))[0]);
  fillChoices();
  if (data.sites.length > 1 && sameGrid) state.quantity = 'best_signal'; /* as the live page begins, and planwave map */
  $('quantity').value = state.quantity; $('mean').checked = state.mean;
  setControls();
  const from = data.sites[0].receivers[0];
  state.cursor = from ? cellAt(from.x, from.y) : cellAt(view.x, view.y);
  setSite(0);
  viewClamp(); view.scale = view.fit;
  fillDecidingCard();
  listenMap(); listenControls(); draw();
  await loadProfiles(state.site);
  draw();
  document.documentElement.dataset.ready = 'true';
}
begin().catch((failure) => { $('summary').textContent = `This page cannot be shown: ${failure.message}`; throw failure; });
