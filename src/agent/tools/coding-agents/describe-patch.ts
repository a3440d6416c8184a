import { quotePath } from '../files/preview-change.ts';

/** One file that a Codex patch changes. */
interface PatchedFile {
  readonly verb: 'Write' | 'Edit' | 'Delete';
  readonly path: string;
}

const HEAD = /^\*\*\* (Add|Update|Delete) File: (\S.*)$/;
const MOVE = /^\*\*\* Move to: (\S.*)$/;
const VERBS = { Add: 'Write', Update: 'Edit', Delete: 'Delete' } as const;

/**
 * Describes a patch in Codex format, file by file. Returns undefined if any line violates the format: a
 * more lenient program might find file names that we missed.
 */
export function describePatch(
  patch: string,
): { readonly summary: string; readonly preview: string } | undefined {
  const files = filesOf(patch.replace(/\n$/, '').split('\n'));
  const [first] = files ?? [];
  if (!files || !first) return undefined;
  const summary =
    files.length === 1
      ? `${first.verb} ${first.path}`
      : `Change ${files.length} files: ${files.map(({ verb, path }) => `${verb.toLowerCase()} ${path}`).join(', ')}`;
  return { summary, preview: patch };
}

function filesOf(lines: readonly string[]): readonly PatchedFile[] | undefined {
  if (lines[0] !== '*** Begin Patch' || lines.at(-1) !== '*** End Patch') return undefined;
  const files: PatchedFile[] = [];
  for (const line of lines.slice(1, -1)) {
    const last = files.at(-1);
    const head = readHead(line);
    const moved = last && readMove(line, last);
    if (head) files.push(head);
    else if (moved) files[files.length - 1] = moved;
    else if (!last || !isBody(line, last.verb)) return undefined;
  }
  return files;
}

function readHead(line: string): PatchedFile | undefined {
  const [, kind, name] = HEAD.exec(line) ?? [];
  if (kind === undefined || name === undefined) return undefined;
  return { verb: VERBS[kind as keyof typeof VERBS], path: quotePath(name) };
}

function readMove(line: string, { verb, path }: PatchedFile): PatchedFile | undefined {
  const [, to] = MOVE.exec(line) ?? [];
  if (to === undefined || verb !== 'Edit') return undefined;
  return { verb, path: `${path} and move it to ${quotePath(to)}` };
}

function isBody(line: string, verb: PatchedFile['verb']): boolean {
  if (verb === 'Delete') return false;
  if (verb === 'Write') return line.startsWith('+');
  if (line === '*** End of File' || line === '') return true;
  return /^(?:[+-]|@@)/.test(line) || (line.startsWith(' ') && !line.trimStart().startsWith('***'));
}
