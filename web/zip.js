/** Several files as one: a ZIP in which they lie uncompressed. Pure. */

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let bit = 0; bit < 8; bit += 1) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n >>> 0;
});

/** @param {Uint8Array} bytes */
export function crc32(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = TABLE[(crc ^ byte) & 0xff] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

/** @param {{name: string, bytes: Uint8Array}[]} files names in UTF-8 @returns {Uint8Array} */
export function zip(files) {
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const { name, bytes } of files) {
    const title = new TextEncoder().encode(name);
    const about = shared(bytes, title);
    const local = fields([[4, 0x04034b50], ...about]);
    parts.push(local, title, bytes);
    const place = [[2, 0], [2, 0], [2, 0], [4, 0], [4, offset]]; // comment, disk, attributes, where
    directory.push(fields([[4, 0x02014b50], [2, 20], ...about, ...place]), title);
    offset += local.length + title.length + bytes.length;
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  const count = files.length;
  const end = [[4, 0x06054b50], [2, 0], [2, 0], [2, count], [2, count], [4, size], [4, offset], [2, 0]];
  return joined([...parts, ...directory, fields(end)]);
}

/** What both headers of a file tell: version, UTF-8 name, stored, 1 January 1980, sizes. */
function shared(bytes, title) {
  const { length } = bytes;
  const head = [[2, 20], [2, 0x0800], [2, 0], [2, 0], [2, 0x21], [4, crc32(bytes)]];
  return [...head, [4, length], [4, length], [2, title.length], [2, 0]];
}

/** Little-endian numbers. @param {number[][]} pairs of width and value */
function fields(pairs) {
  const out = new Uint8Array(pairs.reduce((sum, [width]) => sum + width, 0));
  const view = new DataView(out.buffer);
  let at = 0;
  for (const [width, value] of pairs) {
    if (width === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += width;
  }
  return out;
}

function joined(parts) {
  const out = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
