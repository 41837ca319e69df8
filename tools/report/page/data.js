/* ---- the data of this page ---- */

const data = JSON.parse($('data').textContent);
const PIN_COLOURS = ['#e69f00', '#56b4e9', '#e4703a', '#cc79a7'];

/* ---- unpacking ---- */

/* Inflates deflated data (RFC 1951) where the browser cannot. */
function inflate(input, size) {
  const LENGTH = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258];
  const LENGTH_BITS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
  const DISTANCE = [1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577];
  const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
  const out = new Uint8Array(size);
  let at = 2 /* after zlib's header */, held = 0, count = 0, to = 0;
  const bits = (n) => {
    while (count < n) { held |= input[at++] << count; count += 8; }
    const value = held & ((1 << n) - 1);
    held >>>= n; count -= n;
    return value;
  };
  const tree = (lengths) => {
    const counts = new Uint16Array(16), offsets = new Uint16Array(16), symbols = new Uint16Array(lengths.length);
    lengths.forEach((l) => counts[l]++);
    counts[0] = 0;
    for (let l = 1; l < 16; l++) offsets[l] = offsets[l - 1] + counts[l - 1];
    lengths.forEach((l, symbol) => { if (l) symbols[offsets[l]++] = symbol; });
    return { counts, symbols };
  };
  const decode = ({ counts, symbols }) => {
    for (let l = 1, code = 0, first = 0, index = 0; l < 16; l++) {
      code |= bits(1);
      if (code - counts[l] < first) return symbols[index + code - first];
      index += counts[l]; first = (first + counts[l]) << 1; code <<= 1;
    }
    throw new Error('damaged data');
  };
  const block = (literals, distances) => {
    for (let symbol = decode(literals); symbol !== 256; symbol = decode(literals)) {
      if (symbol < 256) { out[to++] = symbol; continue; }
      const length = LENGTH[symbol - 257] + bits(LENGTH_BITS[symbol - 257]), d = decode(distances);
      const back = DISTANCE[d] + bits(d < 2 ? 0 : (d >> 1) - 1);
      for (let n = 0; n < length; n++, to++) out[to] = out[to - back];
    }
  };
  const dynamic = () => {
    const literals = bits(5) + 257, distances = bits(5) + 1, codes = bits(4) + 4, lengths = [], order = new Array(19).fill(0);
    for (let n = 0; n < codes; n++) order[ORDER[n]] = bits(3);
    const code = tree(order);
    while (lengths.length < literals + distances) {
      const symbol = decode(code);
      if (symbol < 16) { lengths.push(symbol); continue; }
      const repeated = symbol === 16 ? lengths[lengths.length - 1] : 0;
      for (let n = symbol === 16 ? 3 + bits(2) : symbol === 17 ? 3 + bits(3) : 11 + bits(7); n > 0; n--) lengths.push(repeated);
    }
    block(tree(lengths.slice(0, literals)), tree(lengths.slice(literals)));
  };
  for (let last = 0; !last;) {
    last = bits(1);
    const kind = bits(2);
    if (kind === 0) {
      held = count = 0;
      const length = input[at] | input[at + 1] << 8;
      out.set(input.subarray(at + 4, at + 4 + length), to);
      at += 4 + length; to += length;
    } else if (kind === 1) {
      block(tree(Array.from({ length: 288 }, (_, n) => n < 144 ? 8 : n < 256 ? 9 : n < 280 ? 7 : 8)), tree(new Array(30).fill(5)));
    } else dynamic();
  }
  return out;
}

async function unpack(id, size) {
  const text = atob($(id).textContent), packed = new Uint8Array(text.length);
  for (let n = 0; n < text.length; n++) packed[n] = text.charCodeAt(n);
  if (typeof DecompressionStream === 'undefined') return inflate(packed, size);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function loadMaps(site) {
  if (site.counted) return;
  const cells = site.rows * site.columns, bytes = await unpack(`maps-${site.index}`, 2 * cells * site.planes.length);
  site.planes.forEach((plane, p) => {
    const low = 2 * p * cells, high = low + cells;
    plane.values = new Float64Array(cells);
    for (let n = 0; n < cells; n++) {
      const q = bytes[low + n] | bytes[high + n] << 8;
      plane.values[n] = q === 65535 ? NaN : plane.offset + plane.step * q;
    }
  });
  site.counted = await unpack(`floor-${site.index}`, cells); /* 1: inside the building, which coverage counts */
}

async function loadProfiles(site) {
  if (!site.bins || site.profiles) return;
  const bytes = await unpack(`profiles-${site.index}`, site.rows * site.columns * site.bins);
  for (let start = 0; start < bytes.length; start += site.bins) {
    for (let n = start + 1; n < start + site.bins; n++) bytes[n] += bytes[n - 1]; /* differences, modulo 256 */
  }
  site.profiles = bytes;
}

