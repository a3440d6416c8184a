import type { EndedCall } from './read-conversation.ts';

/** Describes the results of calls. Claims nothing that a result does not say. */
export function describeCallEnds(calls: readonly EndedCall[], whenAllRan: string): string {
  const allRan = calls.every(({ end }) => end.kind === 'ran');
  const lines = calls.map((call) => `- ${describeEnd(call)}`);
  const [only] = lines;
  const report = lines.length === 1 && only ? only.slice(2) : lines.join('\n');
  const isReplied = calls.some(({ end }) => end.kind === 'answered');
  const note = isReplied
    ? 'A model would now continue from your answer. I am a script, so I stop here.'
    : '';
  return [allRan ? whenAllRan : '', report, note].filter((part) => part !== '').join('\n\n');
}

function describeEnd({ tool, path, end }: EndedCall): string {
  const what = path === undefined ? `\`${tool}\`` : `\`${tool}\` on \`${path}\``;
  switch (end.kind) {
    case 'ran': {
      const how = end.ranWith === undefined ? 'ran' : 'ran with the arguments that you changed';
      return `${what} ${how}. It reports: ${quote(end.text)}`;
    }
    case 'failed':
      return `${what} failed, so this is not done. It reports: ${quote(end.text)}`;
    case 'answered':
      return `${what} did not run, because you replied instead: ${quote(end.text)}`;
    case 'not-run':
      return `${what} has no result. The app says: ${quote(end.text)}`;
  }
}

const MAX_QUOTE = 200;

function quote(text: string): string {
  const line = text.split('\n')[0]?.trim() ?? '';
  return `“${line.length > MAX_QUOTE ? `${line.slice(0, MAX_QUOTE)}…` : line}”`;
}
