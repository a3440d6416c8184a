import { existsSync, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const APP_DIR = fileURLToPath(new URL('.', import.meta.url));

/** Says what is wrong with two folders of which one lies in the other, symbolic links followed. */
export function folderProblems(dataDir: string, workspaceDir: string): string[] {
  const places = { DATA_DIR: dataDir, WORKSPACE_DIR: workspaceDir };
  const problems = Object.entries(places).flatMap(([name, dir]) => unreachable(name, dir));
  if (problems.length > 0) return problems;
  const data = throughLinks(resolve(dataDir));
  const workspace = throughLinks(resolve(workspaceDir));
  if (isWithin(data, workspace)) {
    return [
      'DATA_DIR is inside WORKSPACE_DIR, so the agent’s tools could reach the app’s own records. Choose a folder outside.',
    ];
  }
  if (isWithin(throughLinks(APP_DIR), workspace)) {
    return [
      'WORKSPACE_DIR holds the app itself, so the agent’s tools could rewrite it. Choose a folder of its own.',
    ];
  }
  if (isWithin(workspace, data)) {
    return [
      'WORKSPACE_DIR is inside DATA_DIR, so the agent’s files would lie among the app’s own records. Choose a folder outside.',
    ];
  }
  return [];
}

/** Says what is wrong with a policy file that the agent's tools could rewrite, symbolic links followed. */
export function policyFileProblems(policyFile: string, workspaceDir: string): string[] {
  return rewritableProblems('POLICY_FILE', policyFile, workspaceDir, 'the rules that hold for it');
}

/** Says what is wrong with a file of MCP servers that the agent's tools could rewrite, symbolic links followed. */
export function mcpFileProblems(mcpFile: string, workspaceDir: string): string[] {
  return rewritableProblems('MCP_CONFIG', mcpFile, workspaceDir, 'which programs are started');
}

function rewritableProblems(
  name: string,
  file: string,
  workspaceDir: string,
  what: string,
): string[] {
  // What is wrong with the folders themselves is said elsewhere.
  if (unreachable('WORKSPACE_DIR', workspaceDir).length > 0) return [];
  const problems = unreachable(name, file);
  if (problems.length > 0) return problems;
  const workspace = throughLinks(resolve(workspaceDir));
  // A link in the workspace is as good as the file: it can be set to another one.
  const places = [throughLinks(resolve(file)), linkPlace(file)];
  if (!places.some((place) => isWithin(place, workspace))) return [];
  return [
    `${name} ${file} is inside WORKSPACE_DIR, so the agent’s tools could rewrite ${what}. Put it outside.`,
  ];
}

/** Says what is wrong with a file to be written that would take the place of one of the app's own records, symbolic links followed, or of what is no file. */
export function exportFileProblems(file: string, dataDir: string): string[] {
  const problems = unreachable('--out', file);
  if (problems.length > 0) return problems;
  const there = statSync(file, { throwIfNoEntry: false });
  if (there && !there.isFile()) {
    const what = there.isDirectory() ? 'a folder' : 'no regular file';
    return [`--out ${file} is ${what}, and the export is a file. Name one, like audit.jsonl.`];
  }
  const data = throughLinks(resolve(dataDir));
  if (![throughLinks(resolve(file)), linkPlace(file)].some((place) => isWithin(place, data))) {
    return [];
  }
  return [
    `--out ${file} is inside DATA_DIR, where the export could take the place of the app’s own records. Name a file outside.`,
  ];
}

/** The place of a file itself, be it a link: only its folders are followed. */
function linkPlace(path: string): string {
  const whole = resolve(path);
  return join(throughLinks(dirname(whole)), basename(whole));
}

function unreachable(name: string, dir: string): string[] {
  try {
    const place = throughLinks(resolve(dir));
    if (/^\/(?:proc|sys|dev)(?:\/|$)/.test(place)) {
      return [
        `${name} ${dir} is the system's own and keeps no files. Choose another place for it.`,
      ];
    }
    return [];
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return [`${name} ${dir} can't be reached: ${why}. Choose another place for it.`];
  }
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && resolve(way) !== way;
}

const MAX_LINKS = 40;

/** Follows symbolic links as far as the path exists, a link to nothing included. */
function throughLinks(path: string, linksLeft = MAX_LINKS): string {
  if (existsSync(path)) return realpathSync.native(path);
  const parent = dirname(path);
  // Links in a circle lead nowhere; opening the folder will say so.
  if (parent === path || linksLeft === 0) return path;
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) {
    const target = resolve(throughLinks(parent, linksLeft), readlinkSync(path));
    return throughLinks(target, linksLeft - 1);
  }
  return join(throughLinks(parent, linksLeft), basename(path));
}
