/* ---- the line to the server: tools/serve/PROTOCOL.md says what they tell each other ---- */

const FRAME_HEADER = 96, FRAME_KINDS = ['', 'map', 'plan', 'wave', 'floor'];
const live = { hello: null, state: null, map: null, plan: null, wave: null, floor: null, channel: null, progress: { stage: 'idle', done: 0 }, failed: null, connected: false };
const line = { socket: null, number: 0, waiting: new Map(), tries: 0, timer: 0, due: 0, over: false };

/* Sends a message; the promise holds the answer that carries its number: done, refused, saved, channel or report. */
function send(message) {
  if (!line.socket || line.socket.readyState !== WebSocket.OPEN) return Promise.resolve({ type: 'lost' });
  const id = line.number = (line.number + 1) % 2147483647;
  line.socket.send(JSON.stringify({ ...message, id }));
  return new Promise((resolve) => line.waiting.set(id, resolve));
}

/* Asks for a change, and says why when it is refused. */
async function change(message) {
  const answer = await send(message);
  if (answer.type === 'refused') showNotice(answer.text);
  if (answer.type === 'lost') showNotice('The connection is lost, so nothing was changed.');
  return answer;
}

/* A binary frame; null when it is not one that this page knows. */
function frameOf(buffer) {
  if (buffer.byteLength < FRAME_HEADER) return null;
  const head = new DataView(buffer), kind = FRAME_KINDS[head.getUint8(4)], rows = head.getUint32(12, true), columns = head.getUint32(16, true), bytes = head.getUint8(5) === 1 ? 4 : 1;
  if (head.getUint32(0) !== 0x50574c31 || !kind || buffer.byteLength < FRAME_HEADER + rows * columns * bytes) return null;
  const f64 = (at) => head.getFloat64(at, true);
  return {
    kind, full: head.getUint8(6) === 1, quantity: head.getUint8(7), revision: head.getUint32(8, true), rows, columns, sequence: head.getUint32(20, true),
    x0: f64(24), y0: f64(32), pitch_x: f64(40), pitch_y: f64(48), low: f64(56), high: f64(64), seconds: f64(72), error: f64(80), transmitter: head.getUint32(88, true),
    mean: (head.getUint32(92, true) & 1) === 1, values: bytes === 4 ? new Float32Array(buffer, FRAME_HEADER, rows * columns) : new Uint8Array(buffer, FRAME_HEADER, rows * columns),
  };
}

const received = {
  hello(message) {
    live.hello = message;
    line.tries = 0;
    setConnected(true);
    fillHello();
  },
  state(message) { live.state = message; stateChanged(); },
  progress(message) { live.progress = message; fillProgress(); },
  failed(message) { live.failed = message; fillBadge(); showNotice(message.text); },
  channel(message) { if (!message.id) channelArrived(message); },
  report(message) { if (!message.id) reportArrived(message); },
  refused(message) { if (message.id === undefined || message.id === null) showNotice(message.text); },
};

function takeText(text) {
  const message = JSON.parse(text), resolve = line.waiting.get(message.id);
  if (resolve) { line.waiting.delete(message.id); resolve(message); }
  if (received[message.type]) received[message.type](message);
}

function takeFrame(buffer) {
  const frame = frameOf(buffer);
  if (!frame) return;
  live[frame.kind] = frame;
  ({ map: mapArrived, plan: planArrived, wave: waveArrived, floor: fillShare })[frame.kind](frame);
}

function connect() {
  clearTimeout(line.timer);
  const address = new URL('live', location.href);
  address.protocol = address.protocol.replace('http', 'ws');
  const socket = line.socket = new WebSocket(address);
  socket.binaryType = 'arraybuffer';
  socket.onmessage = (event) => (typeof event.data === 'string' ? takeText(event.data) : takeFrame(event.data));
  socket.onclose = () => { if (line.socket === socket) disconnected(); };
}

/* Tries again after half a second, then twice as long each time, up to ten seconds. A server that was started anew has another token: then
   trying is in vain, and the page says so. */
async function disconnected() {
  setConnected(false);
  for (const resolve of line.waiting.values()) resolve({ type: 'lost' });
  line.waiting.clear();
  const wait = Math.min(10, 0.5 * 2 ** line.tries++) * (0.9 + 0.2 * Math.random());
  line.due = performance.now() + 1000 * wait;
  line.timer = setTimeout(connect, 1000 * wait);
  sayLost();
  const refused = await fetch('style.css', { cache: 'no-store' }).then((answer) => answer.status === 403, () => false);
  if (!refused) return;
  clearTimeout(line.timer);
  line.over = true;
  sayLost();
}

function sayLost() {
  if (live.connected) return;
  const left = Math.max(0, Math.ceil((line.due - performance.now()) / 1000));
  $('lost-text').textContent = line.over ? 'The server does not know this address: it was started anew. Open the address that planwave serve printed.'
    : `The connection to planwave is lost. ${left > 0 ? `Trying again in ${left} s.` : 'Trying again …'}`;
  $('again').hidden = line.over;
  if (!line.over) setTimeout(sayLost, 500);
}

function setConnected(connected) {
  live.connected = connected;
  $('main').inert = !connected;
  $('lost').hidden = connected;
  for (const id of ['save', 'report']) $(id).disabled = !connected;
  document.documentElement.dataset.connected = connected;
}
