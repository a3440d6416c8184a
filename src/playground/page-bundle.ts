import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** The three files of the page. */
export interface PageBundle {
  readonly html: string;
  readonly script: string;
  readonly style: string;
}

const pageFile = (name: string) => fileURLToPath(new URL(`./page/${name}`, import.meta.url));

/** Bundles the page in memory. Rejects with esbuild's message if it does not compile. */
export async function bundlePage(): Promise<PageBundle> {
  const [html, result] = await Promise.all([
    readFile(pageFile('page.html'), 'utf8'),
    build({
      entryPoints: [pageFile('main.tsx'), pageFile('page.css')],
      // Nothing is written; the folder only determines the output names.
      outdir: '/',
      bundle: true,
      write: false,
      minify: true,
      format: 'esm',
      target: 'es2022',
      jsx: 'automatic',
      jsxImportSource: 'preact',
      legalComments: 'none',
      logLevel: 'silent',
    }),
  ]);
  const output = (ending: string) =>
    result.outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? '';
  return { html, script: output('.js'), style: output('.css') };
}
