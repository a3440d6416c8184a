import { z } from 'zod';
import { matchesGlob } from '../../../domain/text/glob.ts';
import { type DefinedTool, defineTool } from '../define-tool.ts';
import { path } from './file-tools.ts';
import { createLineSearch, type FoundLine, ignoringCase } from './line-search.ts';
import { quotePath } from './preview-change.ts';
import type { VisitedEntry } from './walk-files.ts';
import type { Workspace } from './workspace.ts';

/** Bounds of one search. */
export interface SearchLimits {
  readonly entries: number;
  readonly ms: number;
  readonly fileBytes: number;
  readonly matches: number;
  readonly outputChars: number;
}

const LIMITS: SearchLimits = {
  entries: 20_000,
  ms: 10_000,
  fileBytes: 1024 * 1024,
  matches: 200,
  outputChars: 30_000,
};
const MAX_TEXT = 200;
const MAX_CONTEXT = 10;

/** Creates the tool that searches names and contents of workspace files. */
export function createSearchFiles(workspace: Workspace, limits = LIMITS): DefinedTool {
  return defineTool({
    name: 'search_files',
    description:
      'Searches the workspace for a text, in the names of files and folders and in the lines of text files. With name alone, it finds files by name.',
    schema: SCHEMA,
    risk: 'low',
    idempotent: true,
    async run(query, { signal }) {
      const search = createSearch(query, limits, signal);
      const end = await workspace.walk(query.path, {
        maxEntries: limits.entries,
        visit: search.visit,
      });
      signal.throwIfAborted();
      return search.describe(end);
    },
    summary: ({ text, name, path: place }) => {
      const where = place === '.' ? 'the workspace' : quotePath(place);
      return `Search ${where} for ${quotePath(text ?? name ?? '')}`;
    },
  });
}

const SCHEMA = z
  .object({
    text: z
      .string()
      .min(1)
      .max(MAX_TEXT)
      .refine((text) => !/[\n\r]/.test(text), 'Lines are searched one by one; name a single line.')
      .optional()
      .describe('The exact text to find, within one line; it is no pattern'),
    name: z
      .string()
      .min(1)
      .max(MAX_TEXT)
      .optional()
      .describe(
        'Only files and folders of this name; * stands for any characters: *.md. With a slash, it is compared with the whole path: src/*.ts',
      ),
    path: path.default('.').describe('A folder or file, relative to the workspace'),
    ignoreCase: z.boolean().default(false).describe('Whether A and a are the same'),
    contextLines: z
      .int()
      .min(0)
      .max(MAX_CONTEXT)
      .default(0)
      .describe('How many lines to show before and after each match'),
  })
  .refine(({ text, name }) => text !== undefined || name !== undefined, 'Give text, name or both.');

type Query = z.infer<typeof SCHEMA>;

function createSearch(query: Query, limits: SearchLimits, signal: AbortSignal) {
  const { text, ignoreCase } = query;
  const lines = text === undefined ? undefined : createLineSearch({ ...query, text });
  const isWanted = createNameFilter(query.name, ignoreCase);
  const report = createReport(limits);
  const endsAt = performance.now() + limits.ms;
  let searched = 0;
  let binary = 0;
  let unreadable = 0;
  let large = 0;

  async function findLines(entry: VisitedEntry): Promise<readonly FoundLine[]> {
    if (!lines || entry.kind === 'folder') return [];
    const found = await entry.read(limits.fileBytes).catch(() => undefined);
    if (found?.text === undefined) {
      if (found) binary += 1;
      else unreadable += 1;
      return [];
    }
    searched += 1;
    if (found.isCut) large += 1;
    return lines.find(found.text, report.matchesLeft());
  }

  return {
    async visit(entry: VisitedEntry): Promise<'continue' | 'stop'> {
      if (signal.aborted) return 'stop';
      if (performance.now() >= endsAt) return report.stop(`${limits.ms / 1000} seconds`);
      if (!isWanted(entry)) return 'continue';
      const found = await findLines(entry);
      if (found.length === 0 && lines?.isIn(entry.name) === false) return 'continue';
      return report.add(entry, found);
    },
    describe(end: { readonly isCut: boolean; readonly unreadable: number }): string {
      if (end.isCut) report.stop(`${limits.entries} files and folders`);
      const skipped = unreadable + end.unreadable;
      const notes = [
        [large, `larger than ${limits.fileBytes / 1024} KB: only the beginning was searched`],
        [binary, 'not text: only the name was searched'],
        [skipped, 'not readable'],
      ] as const;
      const counted = notes.flatMap(([count, what]) => (count > 0 ? [`[${count} ${what}]`] : []));
      const none = lines ? `Nothing found. Text files searched: ${searched}.` : 'Nothing found.';
      const lacks = report.text() === '' && /[?[\]{}]/.test(query.name ?? '');
      const hint = lacks ? ['[In name, only * stands for other characters.]'] : [];
      return [report.text() || none, ...hint, ...report.stopped(), ...counted].join('\n');
    },
  };
}

/** Without a pattern, accepts everything. Two stars and a slash also stand for no folder at all. */
function createNameFilter(pattern: string | undefined, ignoreCase: boolean) {
  if (pattern === undefined) return () => true;
  const fold = (text: string) => (ignoreCase ? ignoringCase(text) : text);
  const globs = [pattern, pattern.replaceAll('**/', '')].map(fold);
  const isPath = pattern.includes('/');
  return ({ path: whole, name }: VisitedEntry) =>
    globs.some((glob) => matchesGlob(glob, fold(isPath ? whole : name)));
}

/** Collects what is found, until there is too much of it. */
function createReport({ matches, outputChars }: SearchLimits) {
  const shown: string[] = [];
  let chars = 0;
  let found = 0;
  let stoppedAfter: string | undefined;

  function stop(limit: string): 'stop' {
    stoppedAfter ??= limit;
    return 'stop';
  }

  return {
    matchesLeft: () => matches - found,
    stop,
    add({ path: whole, kind }: VisitedEntry, lines: readonly FoundLine[]): 'continue' | 'stop' {
      found += Math.max(1, lines.filter(({ isMatch }) => isMatch).length);
      const end = kind === 'folder' ? '/' : '';
      for (const line of [
        `${quotePath(whole)}${lines.length > 0 ? ':' : end}`,
        ...describeLines(lines),
      ]) {
        chars += line.length + 1;
        if (chars > outputChars) return stop(`${outputChars} characters`);
        shown.push(line);
      }
      return found < matches ? 'continue' : stop(`${matches} matches`);
    },
    text: () => shown.join('\n'),
    stopped: () =>
      stoppedAfter === undefined
        ? []
        : [`[Stopped after ${stoppedAfter}. Narrow the search with path or name.]`],
  };
}

/** `12: a match`, `13- its context`; `--` where lines are left out. */
function describeLines(lines: readonly FoundLine[]): readonly string[] {
  return lines.flatMap(({ number, text, isMatch }, index) => {
    const before = lines[index - 1];
    const gap = before && before.number + 1 < number ? ['--'] : [];
    return [...gap, `${number}${isMatch ? ':' : '-'} ${text}`];
  });
}
