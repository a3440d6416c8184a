/** Reads a tree of TypeScript sources and what each file imports. */
import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';

/** Texts by path, relative to the root of the tree. */
export type SourceTree = ReadonlyMap<string, string>;

/** Reads every TypeScript file under a folder. */
export function readSourceTree(root: URL): SourceTree {
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' });
  const sources = paths.filter((path) => /\.tsx?$/.test(path)).sort();
  return new Map(sources.map((path) => [path, readFileSync(new URL(path, root), 'utf8')]));
}

const IMPORTS = [
  /^\s*(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]/gm,
  /^\s*import\s*['"]([^'"]+)['"]/gm,
  /\bimport\s*\(\s*['"]([^'"]+)['"]/g,
];

/** Lists what a file imports, types too: paths within the tree, and names of packages as written. */
export function importsOf(path: string, text: string): readonly string[] {
  const found = IMPORTS.flatMap((shape) => [...text.matchAll(shape)].map(([, name = '']) => name));
  return found.map((name) =>
    name.startsWith('.') ? posix.join(posix.dirname(path), name) : `package:${name}`,
  );
}

/** Finds one circle of imports, as the paths that it goes through; undefined when there is none. */
export function findCycle(tree: SourceTree): readonly string[] | undefined {
  const done = new Set<string>();

  function visit(path: string, way: readonly string[]): readonly string[] | undefined {
    if (way.includes(path)) return [...way.slice(way.indexOf(path)), path];
    if (done.has(path)) return undefined;
    for (const next of importsOf(path, tree.get(path) ?? '')) {
      const cycle = tree.has(next) ? visit(next, [...way, path]) : undefined;
      if (cycle) return cycle;
    }
    done.add(path);
    return undefined;
  }

  for (const path of tree.keys()) {
    const cycle = visit(path, []);
    if (cycle) return cycle;
  }
  return undefined;
}
