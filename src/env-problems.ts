/** What is wrong with the environment beyond single variables. */
import { folderProblems } from './folder-problems.ts';
import { readGraph } from './graph-config.ts';
import type { McpServerConfig } from './mcp-config.ts';
import { serverPlaceProblems } from './server-place-problems.ts';
import { startPlaceProblems, steeringFileProblems } from './steering-problems.ts';
import { DEFAULT_DATA_DIR, DEFAULT_WORKSPACE_DIR } from './variables.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const EXACT = [
  ...['APPROVER_JWT_SECRET', 'APPROVER_JWT_AUDIENCE', 'APPROVER_JWT_ISSUER', 'DATA_DIR', 'GRAPH'],
  ...['MCP_CONFIG', 'POLICY_FILE', 'TOOLS_MODULE', 'WORKSPACE_DIR'],
];

/** Lists values of which nobody could tell whether the white space around them belongs to them. */
export function exactProblems(environment: Environment): string[] {
  return EXACT.filter((name) => {
    const value = environment[name] ?? '';
    return value.trim() !== '' && value.trim() !== value;
  }).map((name) => `${name} begins or ends with white space. Remove it.`);
}

/** Lists what is missing of the tokens of Slack. */
export function tokenProblems(env: Environment): string[] {
  const { SLACK_BOT_TOKEN: bot, SLACK_APP_TOKEN: app, SLACK_SIGNING_SECRET: secret } = env;
  if (!bot) {
    if (!app && !secret) return [];
    const given = app ? 'SLACK_APP_TOKEN' : 'SLACK_SIGNING_SECRET';
    return [
      `SLACK_BOT_TOKEN is missing while ${given} is set. Add the bot token (xoxb-…), or unset ${given} to start the playground.`,
    ];
  }
  const problems: string[] = [];
  if (!app && !secret) {
    problems.push(
      'SLACK_APP_TOKEN or SLACK_SIGNING_SECRET is missing while SLACK_BOT_TOKEN is set. Add SLACK_APP_TOKEN (xapp-…) for Socket Mode, or SLACK_SIGNING_SECRET for HTTP.',
    );
  }
  return problems;
}

/** Returns where the agent's files are. */
export function workspaceOf({ WORKSPACE_DIR = DEFAULT_WORKSPACE_DIR }: Environment): string {
  return WORKSPACE_DIR;
}

/** Lists what runs outside of the sandbox, or says what does, and is where the agent can write. */
export function placeProblems(
  env: Environment,
  environment: Environment,
  servers: readonly McpServerConfig[],
): string[] {
  const workspace = workspaceOf(env);
  const folders = folderProblems(env.DATA_DIR ?? DEFAULT_DATA_DIR, workspace);
  if (folders.length > 0) return folders;
  const graph = readGraph(env);
  const socket = env.REDIS_URL?.startsWith('unix:') ? new URL(env.REDIS_URL).pathname : undefined;
  const files = [
    ['TOOLS_MODULE', env.GRAPH ? undefined : env.TOOLS_MODULE],
    ['GRAPH', graph?.kind === 'module' ? graph.path : undefined],
    ['REDIS_URL', socket],
  ] as const;
  return [
    ...files.flatMap(([name, path]) =>
      path === undefined ? [] : steeringFileProblems(name, path, workspace),
    ),
    ...startPlaceProblems(environment, workspace),
    ...serverPlaceProblems(servers, workspace),
  ];
}
