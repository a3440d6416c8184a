/**
 * Checks that programs of MCP servers are not writable by the agent's tools: they run outside of
 * the sandbox.
 */
import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { McpServerConfig } from '../mcp/mcp-config.ts';
import { agentWritableVariables } from './agent-writable-problems.ts';
import { resolvesInto } from './path-containment.ts';

/** Programs that run their first non-option argument, whatever its file extension. */
const RUNNERS = new Set([
  ...['node', 'nodejs', 'deno', 'bun', 'tsx', 'python', 'pypy', 'uv', 'uvx', 'pipx', 'npx', 'npm'],
  ...['pnpm', 'yarn', 'sh', 'bash', 'zsh', 'dash', 'fish', 'ruby', 'perl', 'php', 'java', 'lua'],
]);
const SHELLS = new Set(['sh', 'bash', 'zsh', 'dash', 'fish']);
const CODE =
  /\.(?:[cm]?[jt]sx?|pyz?|rb|pl|php|lua|sh|bash|zsh|fish|jar|wasm|so|dll|exe|bat|cmd|ps1|go|rs|toml|ya?ml|json|env|ini|cfg|conf)$/i;
/** Options whose value is a folder or file from which code or settings are loaded. */
const PATH_OPTIONS =
  /^(?:-C|--(?:cwd|dir|directory|prefix|project|from|package|with|with-editable|require|import|loader|env-file|config|userconfig|experimental-loader))$/;

/** Lists servers that run, or are configured by, files that the agent's tools could write. */
export function serverPathProblems(
  servers: readonly McpServerConfig[],
  workspaceDir: string,
): string[] {
  return servers.flatMap(({ name, reach }) => {
    if (reach.kind !== 'stdio') return [];
    const found = findPlace(reach, workspaceDir);
    if (found === undefined) return [];
    return [
      `MCP_CONFIG: the server “${name}” ${found} inside WORKSPACE_DIR, so the agent’s tools could rewrite what it runs, outside of the sandbox. Put it outside.`,
    ];
  });
}

type Program = Extract<McpServerConfig['reach'], { kind: 'stdio' }>;

function findPlace({ args, command, cwd = '.', env }: Program, folder: string): string | undefined {
  const isInside = (path: string) => path !== '' && resolvesInto(resolve(cwd, path), folder);
  if (isInside('.')) return 'has its “cwd”';
  if (/[/\\]/.test(command) && isInside(command)) return 'has its “command”';
  const [variable] = agentWritableVariables(env, folder, cwd);
  if (variable !== undefined) return `has a path in ${variable} of its “env”`;
  const runner = basename(command).replace(/[\d.]*(?:\.exe)?$/, '');
  const script = args.findIndex((arg) => !arg.startsWith('-'));
  const isRun = (arg: string, at: number) => {
    const before = args[at - 1] ?? '';
    if (SHELLS.has(runner) && /^-\w*c$/.test(before)) return arg.split(/[\s;&|"']+/).some(isInside);
    if (!isInside(arg)) return false;
    const isFirst = at === script && RUNNERS.has(runner);
    return isFirst || PATH_OPTIONS.test(before) || isCode(resolve(cwd, arg));
  };
  const isOptionRun = (arg: string) => {
    const [, option = '', path = ''] = /^(-[^=]*)=(.+)$/.exec(arg) ?? [];
    return (
      path !== '' && isInside(path) && (PATH_OPTIONS.test(option) || isCode(resolve(cwd, path)))
    );
  };
  return args.some((arg, at) => isRun(arg, at) || isOptionRun(arg))
    ? 'has a program or a setting among its “args”'
    : undefined;
}

/** Returns whether a path is code. Folders and documents are data for the server. */
function isCode(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) return false;
  return CODE.test(path) || (found !== undefined && (found.mode & 0o111) !== 0);
}
