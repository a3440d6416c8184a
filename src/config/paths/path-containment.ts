/** Resolves paths through symbolic links, and checks whether one contains another. */
import { existsSync, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';

const MAX_LINKS = 40;

/** Resolves symbolic links as far as the path exists, including dangling ones. */
export function resolveLinks(path: string, linksLeft = MAX_LINKS): string {
  if (existsSync(path)) return realpathSync.native(path);
  const parent = dirname(path);
  // A cycle of links resolves to nothing; opening the path will fail.
  if (parent === path || linksLeft === 0) return path;
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) {
    const target = resolve(resolveLinks(parent, linksLeft), readlinkSync(path));
    return resolveLinks(target, linksLeft - 1);
  }
  return join(resolveLinks(parent, linksLeft), basename(path));
}

/**
 * The location of the path itself: links in its parent folders are resolved, a final link is not.
 */
function linkPlace(path: string): string {
  const whole = resolve(path);
  return join(resolveLinks(dirname(whole)), basename(whole));
}

/** Returns whether a path is the folder or inside it. Both must be free of links. */
export function isPathWithin(path: string, folder: string): boolean {
  const relativePath = relative(folder, path);
  return (
    relativePath !== '..' &&
    !relativePath.startsWith(`..${sep}`) &&
    resolve(relativePath) !== relativePath
  );
}

/**
 * Returns whether a path leads into a folder: directly, through a link, or because the folder is
 * mounted twice. Returns false for paths that this process cannot follow.
 */
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

/** Returns the parent folders of a path, the nearest first. */
export function ancestorFolders(path: string): readonly string[] {
  const parent = dirname(path);
  return parent === path ? [] : [parent, ...ancestorFolders(parent)];
}

function idOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

/** Lists why a path cannot be followed or cannot hold files. */
export function explainUnreachable(name: string, path: string): string[] {
  try {
    const place = resolveLinks(resolve(path));
    if (/^\/(?:proc|sys|dev)(?:\/|$)/.test(place)) {
      return [
        `${name} ${path} is a system path that stores no files. Choose another place for it.`,
      ];
    }
    return [];
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return [`${name} ${path} can't be reached: ${why}. Choose another place for it.`];
  }
}
