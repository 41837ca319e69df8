/* ---- beginning ---- */

function repaint() {
  planColours = '';
  if (live.state && live.plan) paintPlan();
  if (live.wave && state.layer === 'wave') paintWave();
  if (live.hello && live.state) { fillDecidingCard(); fillLegend(); draw(); }
}

const viewChange = (changes) => { const { quantity, transmitter, local_mean } = live.state.view; return change({ type: 'view', quantity, ...(transmitter ? { transmitter } : {}), local_mean, ...changes }).then((answer) => { if (answer.type !== 'done') stateChanged(); }); };

function listenControls() {
  const centre = () => mapSize().map((v) => v / 2);
  for (const radio of document.querySelectorAll('#tools input')) radio.onchange = () => setTool(radio.value);
  for (const radio of document.querySelectorAll('#layers input')) radio.onchange = () => setLayer(radio.value);
  $('quantity').onchange = () => viewChange({ quantity: $('quantity').value, ...($('quantity').value === 'best-server' ? { transmitter: 'best' } : {}) });
  $('mean').onchange = () => viewChange({ local_mean: $('mean').checked });
  $('site').onchange = () => (state.layer === 'wave' ? askWave({ transmitter: $('site').value }) : viewChange({ transmitter: $('site').value }));
  $('undo').onclick = () => change({ type: 'undo' });
  $('redo').onclick = () => change({ type: 'redo' });
  $('material').onchange = () => { choices[state.tool].material = $('material').value; fillChoice(); };
  for (const name of ['thickness', 'width']) {
    $(name).onchange = () => {
      const field = $(name);
      if (field.value === '' || !field.checkValidity()) { showNotice(`Allowed are ${field.min} to ${field.max} cm.`); fillChoice(); return; }
      choices[state.tool][name] = Number(field.value) / 100;
    };
  }
  $('piece-material').onchange = () => usePiece({ type: 'paint', material: $('piece-material').value });
  $('piece-erase').onclick = () => usePiece({ type: 'erase' });
  $('piece-close').onclick = closePiece;
  $('scale-form').onsubmit = setScale;
  $('scale-cancel').onclick = () => $('scale-dialog').close();
  $('drawing').oninput = draw;
  underlay.onload = () => { $('drawing-label').hidden = false; draw(); };
  listenThreshold(() => { paintMap(); draw(); });
  $('in').onclick = () => zoom(1.5, ...centre());
  $('out').onclick = () => zoom(1 / 1.5, ...centre());
  $('fit').onclick = () => { view.scale = view.fit; viewClamp(); draw(); };
  $('refit').onclick = () => { if (live.map) { chooseRange(live.map, true); paintMap(); fillLegend(); fillReading(); draw(); } };
  $('play').onclick = () => askWave(live.state.wave.on ? { paused: !live.state.wave.paused } : { on: true, paused: false });
  $('speed').oninput = () => { $('speed-text').textContent = `${short(speedOf())} ns/s`; };
  $('speed').onchange = () => askWave({ speed: speedOf() });
  $('stop').onclick = stopDeciding;
  $('save').onclick = openSave;
  $('save-form').onsubmit = save;
  $('save-cancel').onclick = () => $('save-dialog').close();
  $('report').onclick = askReport;
  $('about').onclick = () => $('about-dialog').showModal();
  $('notice-close').onclick = () => { $('notice').hidden = true; };
  $('again').onclick = () => { line.tries = 0; connect(); };
  $('plot').addEventListener('pointermove', (event) => { plotAt = event.clientX - $('plot').getBoundingClientRect().left; draw(); });
  $('plot').addEventListener('pointerleave', () => { plotAt = null; draw(); });
  document.addEventListener('keydown', pageKey);
  new ResizeObserver(() => { viewClamp(); draw(); }).observe($('map'));
  new ResizeObserver(draw).observe($('plot'));
}

listenTheme(repaint);
listenMap();
listenControls();
setTool('move');
setLayer('map');
connect();
