/** Problems of the environment that involve more than one variable. */

import { readGraphConfig } from './graph-config.ts';
import type { McpServerConfig } from './mcp/mcp-config.ts';
import { agentWritableFileProblems, startFolderProblems } from './paths/agent-writable-problems.ts';
import { folderProblems } from './paths/folder-problems.ts';
import { serverPathProblems } from './paths/server-path-problems.ts';
import { DEFAULT_DATA_DIR, DEFAULT_WORKSPACE_DIR } from './setting-variables.ts';
import { describeSuggestion, suggestEnvironmentSetting } from './suggest-setting.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const EXACT = [
  ...['APPROVER_JWT_SECRET', 'APPROVER_JWT_AUDIENCE', 'APPROVER_JWT_ISSUER', 'DATA_DIR', 'GRAPH'],
  ...['MCP_CONFIG', 'POLICY_FILE', 'TOOLS_MODULE', 'WORKSPACE_DIR'],
];

/** Lists values for which it is unclear whether the white space around them is intended. */
export function whitespaceProblems(environment: Environment): string[] {
  return EXACT.filter((name) => {
    const value = environment[name] ?? '';
    return value.trim() !== '' && value.trim() !== value;
  }).map((name) => `${name} begins or ends with white space. Remove it.`);
}

/** The settings that are used only for a Slack workspace. */
const SLACK_SETTINGS = [
  'SLACK_BOT_TOKEN',
  'SLACK_APP_TOKEN',
  'SLACK_SIGNING_SECRET',
  'SLACK_API_URL',
] as const;

/** Removes the Slack settings if MODE=playground, with a warning for each. */
export function withoutUnusedSlack(env: Environment): {
  readonly env: Environment;
  readonly warnings: readonly string[];
} {
  const unused = env.MODE === 'playground' ? SLACK_SETTINGS.filter((name) => env[name]) : [];
  const others = Object.entries(env).filter(([name]) => !unused.some((each) => each === name));
  return {
    env: Object.fromEntries(others),
    warnings: unused.map((name) => `${name} has no effect with MODE=playground.`),
  };
}

/**
 * Lists missing Slack settings if any setting asks for Slack mode. `used` are variables that other
 * settings fill in.
 */
export function tokenProblems(env: Environment, used: ReadonlySet<string>): string[] {
  if (env.MODE === 'playground') return [];
  const given = SLACK_SETTINGS.find((name) => env[name]);
  if (given === undefined && env.MODE !== 'slack') return misspelledTokens(env, used);
  const { SLACK_BOT_TOKEN: bot, SLACK_APP_TOKEN: app, SLACK_SIGNING_SECRET: secret } = env;
  const because = given === undefined ? 'MODE is slack' : `${given} is set`;
  const undo = given === undefined ? 'set MODE=playground' : `unset ${given}`;
  const problems: string[] = [];
  if (!bot) {
    problems.push(
      `SLACK_BOT_TOKEN is missing while ${because}. Add the bot token (xoxb-…), or ${undo} to start the playground.`,
    );
  }
  if (!app && !secret) {
    problems.push(
      `SLACK_APP_TOKEN or SLACK_SIGNING_SECRET is missing while ${because}. Add SLACK_APP_TOKEN (xapp-…) for Socket Mode, or SLACK_SIGNING_SECRET for HTTP.`,
    );
  }
  return problems;
}

/** A misspelled Slack setting means that a Slack workspace was intended, not the playground. */
function misspelledTokens(env: Environment, used: ReadonlySet<string>): string[] {
  return Object.keys(env).flatMap((name) => {
    const meant = used.has(name) ? undefined : suggestEnvironmentSetting(name);
    if (meant === undefined || !SLACK_SETTINGS.some((each) => each === meant)) return [];
    return [
      `${describeSuggestion(name, meant)} Correct the name, or set MODE=playground to start the playground.`,
    ];
  });
}

/** Returns the folder of the agent's files. */
export function workspaceFolderOf({ WORKSPACE_DIR = DEFAULT_WORKSPACE_DIR }: Environment): string {
  return WORKSPACE_DIR;
}

/** Lists code and settings used outside of the sandbox that the agent could write. */
export function agentWritableProblems(
  env: Environment,
  environment: Environment,
  servers: readonly McpServerConfig[],
): string[] {
  const workspace = workspaceFolderOf(env);
  const folders = folderProblems(env.DATA_DIR ?? DEFAULT_DATA_DIR, workspace);
  if (folders.length > 0) return folders;
  const graph = readGraphConfig(env);
  const socket = env.REDIS_URL?.startsWith('unix:') ? new URL(env.REDIS_URL).pathname : undefined;
  const files = [
    ['TOOLS_MODULE', env.GRAPH ? undefined : env.TOOLS_MODULE],
    ['GRAPH', graph?.kind === 'module' ? graph.path : undefined],
    ['REDIS_URL', socket],
  ] as const;
  return [
    ...files.flatMap(([name, path]) =>
      path === undefined ? [] : agentWritableFileProblems(name, path, workspace),
    ),
    ...startFolderProblems(environment, workspace),
    ...serverPathProblems(servers, workspace),
  ];
}
