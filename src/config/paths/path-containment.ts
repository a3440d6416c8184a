/** Where paths lead, symbolic links followed, and what lies within what. */
import { existsSync, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';

const MAX_LINKS = 40;

/** Follows symbolic links as far as the path exists, a link to nothing included. */
export function resolveLinks(path: string, linksLeft = MAX_LINKS): string {
  if (existsSync(path)) return realpathSync.native(path);
  const parent = dirname(path);
  // Links in a circle lead nowhere; opening the folder will say so.
  if (parent === path || linksLeft === 0) return path;
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) {
    const target = resolve(resolveLinks(parent, linksLeft), readlinkSync(path));
    return resolveLinks(target, linksLeft - 1);
  }
  return join(resolveLinks(parent, linksLeft), basename(path));
}

/** The place of a file itself, be it a link: only its folders are followed. */
function linkPlace(path: string): string {
  const whole = resolve(path);
  return join(resolveLinks(dirname(whole)), basename(whole));
}

/** Tells whether a path, both without links, is a folder or lies in it. */
export function isPathWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && resolve(way) !== way;
}

/** Tells whether a path leads into a folder: itself, by a link on the way, or as the same folder mounted at two places. What this process can't follow leads nowhere. */
export function resolvesInto(path: string, folder: string): boolean {
  try {
    const inside = resolveLinks(resolve(folder));
    const places = [resolveLinks(resolve(path)), linkPlace(path)];
    return places.some((place) => isPathWithin(place, inside) || isMountedWithin(place, inside));
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) return false;
    throw error;
  }
}

function isMountedWithin(path: string, folder: string): boolean {
  const id = idOf(folder);
  return id !== undefined && [path, ...ancestorFolders(path)].some((each) => idOf(each) === id);
}

/** Returns the folders that a path lies in, the nearest first. */
export function ancestorFolders(path: string): readonly string[] {
  const parent = dirname(path);
  return parent === path ? [] : [parent, ...ancestorFolders(parent)];
}

function idOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

/** Says why a path can't be followed, or keeps no files. */
export function explainUnreachable(name: string, path: string): string[] {
  try {
    const place = resolveLinks(resolve(path));
    if (/^\/(?:proc|sys|dev)(?:\/|$)/.test(place)) {
      return [
        `${name} ${path} is the system's own and keeps no files. Choose another place for it.`,
      ];
    }
    return [];
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return [`${name} ${path} can't be reached: ${why}. Choose another place for it.`];
  }
}
