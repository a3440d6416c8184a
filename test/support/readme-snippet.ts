import { readFileSync } from 'node:fs';

/** The code block of the README that holds a text, as a reader would save it. */
export function readmeSnippet(mark: string): string {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const blocks = [...readme.matchAll(/^```[a-z]+\n(.*?)^```$/gms)].map(([, code = '']) => code);
  const found = blocks.filter((code) => code.includes(mark));
  const [snippet] = found;
  if (snippet === undefined || found.length > 1) {
    throw new Error(`${found.length} blocks of the README hold “${mark}”.`);
  }
  return snippet;
}
