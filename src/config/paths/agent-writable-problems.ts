/**
 * Checks that files which control what runs outside of the sandbox are not writable by the agent's
 * tools.
 */
import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { explainUnreachable, resolveLinks, resolvesInto } from './path-containment.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What an agent that can rewrite the file would control. */
const CONTROLS = {
  POLICY_FILE: 'the rules that apply to it',
  MCP_CONFIG: 'which programs are started',
  TOOLS_MODULE: 'code that runs outside of the sandbox',
  GRAPH: 'code that runs outside of the sandbox',
  REDIS_URL: 'where the app’s records are',
  '.env': 'the app’s settings',
} as const;

/**
 * Lists problems of a file that the agent's tools could rewrite. Follows symbolic and hard links.
 */
export function agentWritableFileProblems(
  name: keyof typeof CONTROLS,
  file: string,
  workspaceDir: string,
): string[] {
  // `folderProblems` reports problems of the folder itself.
  if (explainUnreachable('WORKSPACE_DIR', workspaceDir).length > 0) return [];
  const problems = explainUnreachable(name, file);
  if (problems.length > 0) return problems;
  const what = `so the agent’s tools could rewrite ${CONTROLS[name]}`;
  if (resolvesInto(file, workspaceDir)) {
    return [`${name} ${file} is inside WORKSPACE_DIR, ${what}. Put it outside.`];
  }
  const hardLink = findHardLink(file, resolveLinks(resolve(workspaceDir)));
  if (hardLink === undefined) return [];
  return [`${name} ${file} ${hardLink}, ${what}. Put a copy of it outside, and name the copy.`];
}

/** How many files are compared at the start to find a hard link. */
const MAX_ENTRIES = 20_000;

/** Describes a second name of the file inside the folder. Undefined if there is none. */
function findHardLink(file: string, folder: string): string | undefined {
  const own = statSync(file, { bigint: true, throwIfNoEntry: false });
  if (!own?.isFile() || own.nlink < 2n) return undefined;
  let left = MAX_ENTRIES;
  for (const path of filesIn(folder)) {
    left -= 1;
    if (left < 0) return 'has a second name (a hard link), which may be inside WORKSPACE_DIR';
    const { dev, ino } = statSync(path, { bigint: true, throwIfNoEntry: false }) ?? {};
    if (ino === own.ino && dev === own.dev) {
      return `is the same file as ${path} inside WORKSPACE_DIR (a hard link)`;
    }
  }
  return undefined;
}

function* filesIn(folder: string): Generator<string> {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesIn(path);
    else if (entry.isFile()) yield path;
  }
}

/**
 * Variables that name programs, modules or settings, for child processes and for the app itself.
 */
const CONTROLLING_VARIABLES = [
  ...['PATH', 'HOME', 'NODE_PATH', 'NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS', 'NPM_CONFIG_USERCONFIG'],
  ...['XDG_CONFIG_HOME', 'LD_PRELOAD', 'LD_LIBRARY_PATH', 'PYTHONPATH', 'PYTHONHOME', 'BASH_ENV'],
  ...['RUBYLIB', 'RUBYOPT', 'PERL5LIB', 'CLASSPATH', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
];

/** Returns the variables that lead a program, started in `cwd`, into the folder. */
export function agentWritableVariables(
  env: Environment,
  folder: string,
  cwd = '.',
): readonly string[] {
  return CONTROLLING_VARIABLES.filter((name) => {
    const value = env[name] ?? '';
    const parts = [...value.split(/[:;]/), ...value.split(/[\s=]+/)];
    return parts.some((part) => part !== '' && resolvesInto(resolve(cwd, part), folder));
  });
}

/** Lists problems of the working directory, and of variables of the process itself. */
export function startFolderProblems(env: Environment, workspaceDir: string): string[] {
  if (resolvesInto('.', workspaceDir)) {
    return [
      'WORKSPACE_DIR contains the folder in which the app starts, so the agent’s tools could write its .env and policy.yaml. Choose a separate folder.',
    ];
  }
  return [
    ...agentWritableFileProblems('.env', './.env', workspaceDir),
    ...agentWritableVariables(env, workspaceDir).map(
      (name) =>
        `${name} leads into WORKSPACE_DIR, so the agent’s tools could write what runs outside of the sandbox. Change it, or choose another WORKSPACE_DIR.`,
    ),
  ];
}
