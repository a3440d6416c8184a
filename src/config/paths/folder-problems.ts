import { constants, statSync } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  ancestorFolders,
  explainUnreachable,
  isPathWithin,
  resolveLinks,
  resolvesInto,
} from './path-containment.ts';

const APP_ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Lists problems if one of the two folders is inside the other, or the workspace overlaps the app.
 * Follows symbolic links.
 */
export function folderProblems(dataDir: string, workspaceDir: string): string[] {
  const places = { DATA_DIR: dataDir, WORKSPACE_DIR: workspaceDir };
  const problems = Object.entries(places).flatMap(([name, dir]) => explainUnreachable(name, dir));
  if (problems.length > 0) return problems;
  if (resolvesInto(dataDir, workspaceDir)) {
    return [
      'DATA_DIR is inside WORKSPACE_DIR, so the agent’s tools could reach the app’s own records. Choose a folder outside.',
    ];
  }
  if (isOfApp(resolveLinks(resolve(workspaceDir)))) {
    return [
      'WORKSPACE_DIR contains the app, or is inside it, so the agent’s tools could rewrite it. Choose a separate folder.',
    ];
  }
  if (resolvesInto(workspaceDir, dataDir)) {
    return [
      'WORKSPACE_DIR is inside DATA_DIR, so the agent’s files would mix with the app’s own records. Choose a folder outside.',
    ];
  }
  return [];
}

/** The app runs code from its own folders and from `node_modules` of any parent folder. */
function isOfApp(workspace: string): boolean {
  const root = resolveLinks(APP_ROOT);
  const own = ['bin', 'dist', 'src'].map((name) => join(root, name));
  const packages = [root, ...ancestorFolders(root)].map((folder) => join(folder, 'node_modules'));
  return (
    isPathWithin(root, workspace) ||
    [...own, ...packages].some((folder) => isPathWithin(workspace, folder))
  );
}

/**
 * Lists problems of an output file that could replace the app's own records, or is not a regular
 * file. Follows symbolic links.
 */
export function exportFileProblems(file: string, dataDir: string, what = '--out'): string[] {
  const problems = explainUnreachable(what, file);
  if (problems.length > 0) return problems;
  const existing = statSync(file, { throwIfNoEntry: false });
  if (existing && !existing.isFile()) {
    const kind = existing.isDirectory() ? 'a folder' : 'not a regular file';
    return [`${what} ${file} is ${kind}. Name a file.`];
  }
  if (!resolvesInto(file, dataDir)) return [];
  return [
    `${what} ${file} is inside DATA_DIR, where it could overwrite the app’s own records. Name a file outside.`,
  ];
}

/** Creates the folder of the agent's files. Rejects with a remedy if it cannot be used. */
export async function makeWorkspaceFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(
      `WORKSPACE_DIR ${path} can't be used: ${why}. Name a folder that can be created and written.`,
      { cause: error },
    );
  }
}
