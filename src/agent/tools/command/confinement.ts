/**
 * Runs commands in a bubblewrap sandbox with their own namespaces. They see only the machine's programs
 * (read-only), an empty /tmp and the workspace.
 */
import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { relative, sep } from 'node:path';
import type { Clock } from '../../../domain/ports/clock.ts';
import { runProcess } from './run-process.ts';

/**
 * How commands run on this machine: sandboxed, unsandboxed by the operator's choice, or not at all.
 */
export type Confinement =
  | { readonly kind: 'sandboxed'; readonly hasNetwork: boolean }
  | { readonly kind: 'unsandboxed'; readonly reason: string }
  | { readonly kind: 'none'; readonly reason: string };

/** Where commands run and what is hidden from them. */
export interface CommandPlace {
  readonly workspaceDir: string;
  /** Absolute paths of hidden files and folders. */
  readonly hidden: readonly string[];
}

const SYSTEM_FOLDERS = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/etc',
  '/opt',
  '/nix',
];
/** Files that the sandbox could read if the app runs as root. */
const SYSTEM_SECRETS = [
  '/etc/shadow',
  '/etc/shadow-',
  '/etc/gshadow',
  '/etc/gshadow-',
  '/etc/sudoers',
  '/etc/sudoers.d',
  '/etc/ssh',
  '/etc/ssl/private',
];
const RESOLVER = '/etc/resolv.conf';
const PROBE_TIMEOUT_MS = 10_000;
const REMEDY =
  'Or set ALLOW_UNSANDBOXED_COMMANDS=1 to run commands with all permissions of the app.';

/** Returns the complete environment of a command. */
export function commandEnvironment(workspaceDir: string): Readonly<Record<string, string>> {
  return {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: realpathSync(workspaceDir),
    LANG: 'C.UTF-8',
    TMPDIR: '/tmp',
  };
}

/** Returns the arguments of `bwrap` that sandbox the program after them. */
export function sandboxArguments(place: CommandPlace, hasNetwork: boolean): readonly string[] {
  const workspace = realpathSync(place.workspaceDir);
  const system = SYSTEM_FOLDERS.filter((path) => existsSync(path));
  const isVisible = (path: string) =>
    [...system, workspace].some((folder) => isWithin(path, folder));
  const hidden = [...SYSTEM_SECRETS, ...place.hidden]
    .filter((path) => existsSync(path))
    .map((path) => realpathSync(path))
    .filter(isVisible);
  return [
    ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts'],
    '--unshare-cgroup-try',
    ...(hasNetwork ? [] : ['--unshare-net']),
    ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
    ...system.flatMap(mountSystem),
    ...(hasNetwork ? mountResolver(system) : []),
    // Read-only, because root could write kernel settings even without capabilities.
    ...['--proc', '/proc', '--remount-ro', '/proc', '--dev', '/dev'],
    ...['--perms', '1777', '--tmpfs', '/tmp'],
    ...['--bind', workspace, workspace],
    ...hidden.flatMap(mask),
    ...['--remount-ro', '/', '--chdir', workspace, '--'],
  ];
}

/** Finds out how commands can run here by running one in the sandbox. */
export async function chooseConfinement(
  place: CommandPlace,
  options: {
    readonly hasNetwork: boolean;
    readonly allowUnsandboxed: boolean;
    readonly clock: Clock;
    /** (Default: `bwrap` in the commands' PATH.) */
    readonly bwrap?: string;
  },
): Promise<Confinement> {
  const { hasNetwork, allowUnsandboxed, clock, bwrap = 'bwrap' } = options;
  const { code, output } = await runProcess({
    command: [bwrap, ...sandboxArguments(place, hasNetwork), 'true'],
    folder: place.workspaceDir,
    env: commandEnvironment(place.workspaceDir),
    timeoutMs: PROBE_TIMEOUT_MS,
    clock,
    signal: new AbortController().signal,
  });
  if (code === 0) return { kind: 'sandboxed', hasNetwork };
  const reason = describeSandboxFailure(code, output);
  if (allowUnsandboxed) return { kind: 'unsandboxed', reason };
  return { kind: 'none', reason: `${reason} ${REMEDY}` };
}

function describeSandboxFailure(code: number | undefined, output: string): string {
  if (code === 127 || code === 126) {
    return 'its sandbox, bwrap, is not installed. Install it (Debian package bubblewrap, 0.5 or newer).';
  }
  const message = output.trim().split('\n').at(-1) || 'no error message';
  return `its sandbox, bwrap, does not work here (${message}). It needs version 0.5 or newer and permission to create user namespaces.`;
}

function mountSystem(path: string): readonly string[] {
  return lstatSync(path).isSymbolicLink()
    ? ['--symlink', readlinkSync(path), path]
    : ['--ro-bind', path, path];
}

/** On many systems /etc/resolv.conf links to a file outside the sandbox. */
function mountResolver(system: readonly string[]): readonly string[] {
  if (!existsSync(RESOLVER)) return [];
  const real = realpathSync(RESOLVER);
  return system.some((folder) => isWithin(real, folder)) ? [] : ['--ro-bind', real, real];
}

function mask(path: string): readonly string[] {
  return lstatSync(path).isDirectory()
    ? ['--tmpfs', path, '--remount-ro', path]
    : ['--ro-bind', '/dev/null', path];
}

function isWithin(path: string, folder: string): boolean {
  const route = relative(folder, path);
  return route !== '..' && !route.startsWith(`..${sep}`);
}
