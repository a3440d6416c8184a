import { constants, type Stats } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { type LoadedPolicy, withRoutes } from '../domain/policy/policy.ts';
import {
  type NameDirectory,
  type PolicyName,
  policyNamesIn,
  type ResolvedName,
  resolveRoutes,
} from '../domain/policy/policy-routes.ts';
import { REQUESTER_ROUTE, type Route } from '../domain/policy/route.ts';
import { type PolicyFile, readPolicy } from './file/read-policy.ts';
import { findQuorumProblem } from './file/read-routes.ts';
import type { KnownNames } from './file/read-rules.ts';
import { PolicyFileError, type PolicyProblem } from './policy-problem.ts';

const MAX_BYTES = 1_000_000;

/** A usable policy, with its warnings. */
export interface OpenedPolicy extends LoadedPolicy {
  readonly warnings: readonly PolicyProblem[];
  /** The ids of the names in it. */
  readonly names: ReadonlyMap<PolicyName, ResolvedName>;
}

/** Reads a policy file's text. Throws a `PolicyFileError` with the reason if it can't. */
export async function readPolicyText(path: string): Promise<string> {
  try {
    return await readRegular(path);
  } catch (error) {
    const isGone = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    const why = isGone ? 'there is no such file' : describeFileError(error);
    const message = `${path} can't be read: ${why}. Put a policy there, or set POLICY_FILE to another file.`;
    throw new PolicyFileError(message, { cause: error });
  }
}

/** Opening or reading a pipe or device could block forever, so check before and after opening. */
async function readRegular(path: string): Promise<string> {
  assertReadableFile(await stat(path));
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    assertReadableFile(await file.stat());
    return decode(await file.readFile());
  } finally {
    await file.close();
  }
}

/** Text in another encoding would be misread. */
function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new Error('it is not UTF-8; save it as UTF-8', { cause: error });
  }
}

function assertReadableFile(stats: Stats): void {
  if (stats.isDirectory()) throw new Error('it is a folder');
  if (!stats.isFile()) throw new Error('it is not a regular file but a pipe, a device or a socket');
  if (stats.size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES} bytes`);
}

/** Loads a policy file and looks up its names. Throws a `PolicyFileError` with all problems. */
export async function loadPolicy(
  path: string,
  deps: {
    readonly names: NameDirectory;
    /** Called at each load. */
    readonly known: () => Promise<KnownNames>;
    readonly problemsOfPlace: (path: string) => readonly string[];
  },
): Promise<OpenedPolicy> {
  const locationProblems = deps.problemsOfPlace(path);
  if (locationProblems.length > 0) throw new PolicyFileError(locationProblems.join('\n'));
  const fail = (problems: readonly PolicyProblem[]) => PolicyFileError.of(basename(path), problems);
  const read = readPolicy(await readPolicyText(path), await deps.known());
  if (!read.ok) throw fail(read.problems);
  const { file } = read;
  const { problems, ids } = await lookUp(file, deps.names);
  if (problems.length > 0) throw fail(problems);
  const routes = resolveRoutes(file.routes, ids);
  const quorumProblems = checkResolvedQuorums(file, routes);
  if (quorumProblems.length > 0) throw fail(quorumProblems);
  const find = (name: string): Route => routes.get(name) ?? REQUESTER_ROUTE;
  const { hash, policy, warnings } = file;
  return { hash, policy: withRoutes(policy, find), warnings, names: ids };
}

async function lookUp(file: PolicyFile, directory: NameDirectory) {
  const names = policyNamesIn(file.routes.values());
  const ids = new Map<PolicyName, ResolvedName>();
  const problems: PolicyProblem[] = [];
  const found = names.length === 0 ? new Map() : await directory.resolveNames(names);
  for (const name of names) {
    const [id, ...others] = (found.get(name) ?? []) as readonly ResolvedName[];
    if (id === undefined) problems.push(file.problemOf(name, describeUnknown(name)));
    else if (others.length > 0)
      problems.push(file.problemOf(name, describeSeveral(name, [id, ...others])));
    else ids.set(name, id);
  }
  return { ids, problems };
}

function describeUnknown(name: PolicyName): string {
  return name.startsWith('#')
    ? `The app can’t see a channel “${name}” in Slack. Correct the name; if the channel is private, invite the app to it.`
    : `Slack has no person or user group “${name}”. Correct the handle, or write the id: user:U… or usergroup:S….`;
}

function describeSeveral(name: PolicyName, ids: readonly ResolvedName[]): string {
  return `“${name}” is ambiguous: ${ids.join(', ')}. Write the id of the one you mean.`;
}

/** Names may resolve to the same person, so count the approvers again. */
function checkResolvedQuorums(
  file: PolicyFile,
  routes: ReadonlyMap<string, Route>,
): readonly PolicyProblem[] {
  return [...routes.values()].flatMap((route) => {
    const problem = file.routes.has(route.name) && findQuorumProblem(route);
    return problem ? [file.problemAt(['routes', route.name, problem.key], problem.message)] : [];
  });
}

function describeFileError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
