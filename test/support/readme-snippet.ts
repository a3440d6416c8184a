/** The documentation as readers use it: a README for each room, and its code blocks. */
import { readFileSync } from 'node:fs';

/** Every document of the repository, by its path from the root. */
export const DOCUMENTS = [
  'README.md',
  'src/README.md',
  'src/agent/README.md',
  'src/agent/graphs/README.md',
  'src/agent/tools/README.md',
  'src/app/README.md',
  'src/commands/audit/README.md',
  'src/desk/README.md',
  'src/domain/README.md',
  'src/http/README.md',
  'src/mcp/README.md',
  'src/playground/README.md',
  'src/policy/README.md',
  'src/slack/README.md',
  'src/stores/README.md',
  'test/README.md',
] as const;

export type DocumentPath = (typeof DOCUMENTS)[number];

/** A code block, as a reader would save it. */
interface CodeBlock {
  readonly language: string;
  readonly code: string;
}

/** The text of a document. */
export function readDocument(path: DocumentPath): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
}

/** The unindented code blocks of a document. */
export function codeBlocksOf(path: DocumentPath): readonly CodeBlock[] {
  const blocks = readDocument(path).matchAll(/^```([a-z]+)\n(.*?)^```$/gms);
  return [...blocks].map(([, language = '', code = '']) => ({ language, code }));
}

/** The one code block of a document that contains a text; throws if there is none, or several. */
export function readmeSnippet(path: DocumentPath, mark: string): string {
  const found = codeBlocksOf(path).filter(({ code }) => code.includes(mark));
  const [snippet] = found;
  if (snippet === undefined || found.length > 1) {
    throw new Error(`${found.length} blocks of ${path} contain “${mark}”.`);
  }
  return snippet.code;
}
