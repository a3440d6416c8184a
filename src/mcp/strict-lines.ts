import { Transform, type Writable } from 'node:stream';
import { PARSE_ERROR } from './read-message.ts';
import { AGENT_JSON_LIMITS, parseAgentJson } from './strict-json-limits.ts';

const LINE_BREAK = 0x0a;
/** A longer line ends the connection. */
const LONGEST = 10 * AGENT_JSON_LIMITS.bytes;

/** Passes on valid messages, one per line. Invalid ones are answered on `output` with an error. */
export function createStrictLines(output: Pick<Writable, 'write'>): Transform {
  let rest = Buffer.alloc(0);

  function refuseUnread(line: Buffer): boolean {
    const text = line.toString('utf8');
    const read = text.trim() === '' ? undefined : parseAgentJson(text);
    if (!read || read.ok) return false;
    const message = `The message can’t be read: ${read.reason} (column ${read.column})`;
    const error = { code: PARSE_ERROR, message };
    output.write(`${JSON.stringify({ jsonrpc: '2.0', id: idOf(text), error })}\n`);
    return true;
  }

  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      rest = Buffer.concat([rest, chunk]);
      for (let end = rest.indexOf(LINE_BREAK); end !== -1; end = rest.indexOf(LINE_BREAK)) {
        const line = rest.subarray(0, end + 1);
        rest = rest.subarray(end + 1);
        if (!refuseUnread(line)) this.push(line);
      }
      done(rest.length > LONGEST ? new Error('A message is too long.') : null);
    },
  });
}

/** With an id in the error, the client doesn't wait for a response that never comes. */
function idOf(text: string): string | number | null {
  try {
    const { id }: { id?: unknown } = JSON.parse(text);
    return typeof id === 'string' || typeof id === 'number' ? id : null;
  } catch {
    return null;
  }
}
