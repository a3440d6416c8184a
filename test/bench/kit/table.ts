import type { Line } from './bench.ts';

/** Whether the goal is reached. */
function isMet({ ours, baseline, goal }: Line): boolean {
  return ours <= goal * (baseline ?? 1);
}

/** Formats the lines as a Markdown table. */
export function toTable(lines: readonly Line[]): string {
  const head = ['what', 'store', 'ours', 'baseline', 'against', 'ratio', 'goal', ''];
  const rows = lines.map((line) => {
    const { what, store, ours, baseline, against, unit, goal } = line;
    const ratio = baseline === undefined ? '' : `${toNumber(ours / baseline)} ×`;
    const limit = baseline === undefined ? `≤ ${goal} ${unit}` : `≤ ${toNumber(goal)} ×`;
    const number = (value: number) => `${toNumber(value)} ${unit}`;
    const base = baseline === undefined ? '' : number(baseline);
    return [
      what,
      store,
      number(ours),
      base,
      against,
      ratio,
      limit,
      isMet(line) ? 'met' : 'not met',
    ];
  });
  const widths = head.map((_, at) =>
    Math.max(3, ...[head, ...rows].map((row) => (row[at] ?? '').length)),
  );
  const pad = (cells: readonly string[]) => cells.map((cell, at) => cell.padEnd(widths[at] ?? 0));
  return [pad(head), widths.map((width) => '-'.repeat(width)), ...rows.map(pad)]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

function toNumber(value: number): string {
  return value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}
