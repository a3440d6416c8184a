import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { it } from 'node:test';
import { forEachLine } from '../../../../src/agent/mcp/connection/split-lines.ts';

it('lines are emitted as they end, and one that exceeds the maximum text length is cut', async () => {
  const lines: string[] = [];
  const stream = new PassThrough();
  forEachLine(stream, (line) => lines.push(line));
  const write = (text: string | Buffer) =>
    new Promise<void>((resolve) => stream.write(text, () => resolve()));
  await write('Starting\r\nwith a ');
  await write('key\n\n10 %\r20 %\rdone');
  const chunk = Buffer.alloc(32 * 1024 * 1024, 'x');
  for (let i = 0; i < 17; i += 1) await write(chunk);
  await write('\nlast');
  stream.end();
  await new Promise((resolve) => stream.once('close', resolve));
  const [, , , , cut = ''] = lines;
  assert.deepEqual(lines, ['Starting', 'with a key', '10 %', '20 %', cut, 'last']);
  assert.match(cut, /^donex{496}$/);
});
