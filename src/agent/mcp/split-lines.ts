import type { Readable } from 'node:stream';

/** Of each line. */
const MAX_LINE = 500;

/** Tells each line of a text as it comes, cut short; of one that does not end no more than that is held. */
export function forEachLine(from: Readable, tell: (line: string) => void): void {
  let line = '';
  const end = () => {
    if (line !== '') tell(line);
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
