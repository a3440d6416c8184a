import type { Readable } from 'node:stream';

/** In characters. */
const MAX_LINE = 500;

/**
 * Calls back for each line as it arrives, truncated. Never buffers more than one truncated line.
 */
export function forEachLine(from: Readable, onLine: (line: string) => void): void {
  let line = '';
  const end = () => {
    if (line !== '') onLine(line);
    line = '';
  };
  from.setEncoding('utf8');
  from.on('data', (text: string) => {
    const [first = '', ...others] = text.split(/[\r\n]+/);
    line += first.slice(0, MAX_LINE - line.length);
    for (const other of others) {
      end();
      line = other.slice(0, MAX_LINE);
    }
  });
  from.on('end', end);
}
