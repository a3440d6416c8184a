/** A browser writes three bytes per pixel; a picture of text needs one, at a third of the size. */
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const MOST_COLOURS = 256;

/** Rewrites a browser PNG with a palette: its 256 most frequent colours stay, others become the nearest of them. */
export function shrinkPng(png: Buffer): Buffer {
  const header = chunk(png, 'IHDR')[0];
  const channels = header?.[9] === 6 ? 4 : 3;
  if (header?.[8] !== 8 || ![2, 6].includes(header[9] ?? 0) || header[12] !== 0) {
    throw new Error(
      'Only PNGs with 8 bits a channel, in colour and not interlaced, can be shrunk.',
    );
  }
  const width = header.readUInt32BE(0);
  const height = header.readUInt32BE(4);
  const bytes = unfilter(
    inflateSync(Buffer.concat(chunk(png, 'IDAT'))),
    width * channels,
    channels,
  );
  const pixels = Uint32Array.from({ length: width * height }, (_, i) =>
    bytes.readUIntBE(i * channels, 3),
  );
  const { palette, indexOf } = choosePalette(pixels);
  const rows = Buffer.alloc((width + 1) * height);
  for (const [i, pixel] of pixels.entries()) {
    const row = Math.floor(i / width);
    rows[row * (width + 1) + 1 + (i % width)] = indexOf.get(pixel) ?? 0;
  }
  const head = Buffer.from(header);
  head[9] = 3;
  const colours = Buffer.alloc(palette.length * 3);
  for (const [i, colour] of palette.entries()) colours.writeUIntBE(colour, i * 3, 3);
  return Buffer.concat([
    SIGNATURE,
    toChunk('IHDR', head),
    toChunk('PLTE', colours),
    toChunk('IDAT', deflateSync(rows, { level: 9 })),
    toChunk('IEND', Buffer.alloc(0)),
  ]);
}

function choosePalette(pixels: Uint32Array) {
  const counts = new Map<number, number>();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const colours = [...counts].sort(([, a], [, b]) => b - a).map(([colour]) => colour);
  const palette = colours.slice(0, MOST_COLOURS);
  const indexOf = new Map(colours.map((colour) => [colour, nearest(palette, colour)]));
  return { palette, indexOf };
}

function nearest(palette: readonly number[], colour: number): number {
  const distances = palette.map((other) => distance(other, colour));
  return distances.indexOf(Math.min(...distances));
}

function distance(a: number, b: number): number {
  const channel = (shift: number) => (((a >> shift) & 255) - ((b >> shift) & 255)) ** 2;
  return channel(16) + channel(8) + channel(0);
}

/** The data of each chunk of a type, in order. */
function chunk(png: Buffer, kind: string): readonly Buffer[] {
  const found: Buffer[] = [];
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const start = at + 8;
    if (png.toString('latin1', at + 4, start) === kind)
      found.push(png.subarray(start, start + length));
    at = start + length + 4;
  }
  return found;
}

function toChunk(kind: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(kind, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

/** Undoes the filter of each row: https://www.w3.org/TR/png-3/#9Filters */
function unfilter(filtered: Buffer, rowLength: number, step: number): Buffer {
  const rows = filtered.length / (rowLength + 1);
  const plain = Buffer.alloc(rows * rowLength);
  for (let row = 0; row < rows; row += 1) {
    const predict = PREDICTORS[filtered[row * (rowLength + 1)] ?? 0] ?? (() => 0);
    for (let i = 0; i < rowLength; i += 1) {
      const at = row * rowLength + i;
      const left = i < step ? 0 : (plain[at - step] ?? 0);
      const up = row === 0 ? 0 : (plain[at - rowLength] ?? 0);
      const corner = row === 0 || i < step ? 0 : (plain[at - rowLength - step] ?? 0);
      plain[at] = (filtered[at + row + 1] ?? 0) + predict(left, up, corner);
    }
  }
  return plain;
}

const PREDICTORS: readonly ((left: number, up: number, corner: number) => number)[] = [
  () => 0,
  (left) => left,
  (_, up) => up,
  (left, up) => Math.floor((left + up) / 2),
  (left, up, corner) => {
    const guess = left + up - corner;
    const [a, b, c] = [left, up, corner].map((value) => Math.abs(guess - value)) as [
      number,
      number,
      number,
    ];
    if (a <= b && a <= c) return left;
    return b <= c ? up : corner;
  },
];
