/** Reads a tree of TypeScript sources and the imports of each file. */
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

/** Lists the imports of a file, types too: paths within the tree, and names of packages as written. */
export function importsOf(path: string, text: string): readonly string[] {
  const found = IMPORTS.flatMap((shape) => [...text.matchAll(shape)].map(([, name = '']) => name));
  return found.map((name) =>
    name.startsWith('.') ? posix.join(posix.dirname(path), name) : `package:${name}`,
  );
}

/** Finds one import cycle, as the paths along it; undefined if there is none. */
export function findCycle(tree: SourceTree): readonly string[] | undefined {
  return findCircle(
    new Map([...tree].map(([path, text]) => [path, new Set(importsOf(path, text))])),
  );
}

/** Finds one import cycle between the folders of a layer; files beside them do not count. */
export function findRoomCycle(tree: SourceTree, layer: string): readonly string[] | undefined {
  const roomOf = (path: string) => {
    const [top, room, file] = path.split('/');
    return top === layer && file !== undefined ? `${layer}/${room}` : undefined;
  };
  const rooms = new Map<string, Set<string>>();
  for (const [path, text] of tree) {
    const room = roomOf(path);
    if (room === undefined) continue;
    const others = rooms.get(room) ?? new Set();
    rooms.set(room, others);
    for (const target of importsOf(path, text)) {
      const other = roomOf(target);
      if (other !== undefined && other !== room) others.add(other);
    }
  }
  return findCircle(rooms);
}

function findCircle(
  graph: ReadonlyMap<string, ReadonlySet<string>>,
): readonly string[] | undefined {
  const done = new Set<string>();

  function visit(path: string, way: readonly string[]): readonly string[] | undefined {
    if (way.includes(path)) return [...way.slice(way.indexOf(path)), path];
    if (done.has(path)) return undefined;
    for (const next of graph.get(path) ?? []) {
      const cycle = graph.has(next) ? visit(next, [...way, path]) : undefined;
      if (cycle) return cycle;
    }
    done.add(path);
    return undefined;
  }

  for (const path of graph.keys()) {
    const cycle = visit(path, []);
    if (cycle) return cycle;
  }
  return undefined;
}
