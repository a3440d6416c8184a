import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { z } from 'zod';
import type { NotificationDetail } from '../domain/cards/notification-detail.ts';
import type { SenderPolicy } from '../domain/people/sender-policy.ts';
import { toTerminalLine } from '../domain/text/terminal-text.ts';
import { type ApiConfig, apiProblems, readApiConfig } from './api-config.ts';
import { type GraphConfig, graphProblems, readGraphConfig } from './graph-config.ts';
import { type HttpConfig, httpProblems, readHttpConfig } from './http-config.ts';
import {
  type McpConfigParseResult,
  type McpServerConfig,
  NO_SERVERS,
  readMcpConfig,
} from './mcp/mcp-config.ts';
import { type ModelConfig, modelProblems, readModelConfig } from './model-config.ts';
import { agentWritableFileProblems } from './paths/agent-writable-problems.ts';
import {
  agentWritableProblems,
  tokenProblems,
  whitespaceProblems,
  withoutUnusedSlack,
  workspaceFolderOf,
} from './setting-problems.ts';
import { DEFAULT_POLICY_FILE, type LOG_LEVELS, Variables } from './setting-variables.ts';
import { settingNameWarnings, settingWarnings } from './setting-warnings.ts';

/** How the app joins a workspace: Socket Mode, or signed HTTP requests. */
export type SlackDelivery =
  | { readonly delivery: 'socket'; readonly appToken: string }
  | { readonly delivery: 'http'; readonly signingSecret: string };

interface CommonConfig {
  readonly host: string;
  readonly port: number;
  /** Absolute, as are the other paths. */
  readonly dataDir: string;
  readonly workspaceDir: string;
  /** Stores state in Redis instead of the data folder. All keys begin with the prefix. */
  readonly redis?: { readonly url: string; readonly prefix: string };
  readonly toolsModule?: string;
  /** The MCP servers, and their values that must not appear in logs. */
  readonly mcp: {
    readonly servers: readonly McpServerConfig[];
    readonly secrets: readonly string[];
  };
  /** A graph that replaces our own agent. */
  readonly graph?: GraphConfig;
  /** Absent: the built-in rules apply. */
  readonly policyFile?: string;
  readonly commands: {
    readonly hasNetwork: boolean;
    /** Whether commands may run unsandboxed if no sandbox works. */
    readonly allowUnsandboxed: boolean;
  };
  readonly maxPendingPerPerson: number;
  /** How long (ms) a program may take to report the result of a call it has taken. */
  readonly reportMs: number;
  readonly api: ApiConfig;
  readonly http: HttpConfig;
  /** Retention in days. Absent: kept indefinitely. */
  readonly keeping: { readonly auditDays?: number; readonly historyDays?: number };
  /** Absent without an API key; web search is then not offered. */
  readonly search?: {
    readonly apiKey: string;
    readonly baseUrl: string;
    readonly maxResults: number;
  };
  /** Who may talk to the agent, in addition to being a member, and who is an admin. */
  readonly talk: SenderPolicy & { readonly adminUsers: ReadonlySet<string> };
  /** More cards than this per channel and minute are combined into one digest message. */
  readonly digestOver: number;
  /** How much of a call a notification shows. */
  readonly notificationDetail: NotificationDetail;
  readonly systemPrompt?: string;
  readonly contextTokens: number;
  /** Whether answers show their token usage. */
  readonly showsUsage: boolean;
  /** Whether attached images are sent to the model. */
  readonly modelSeesImages: boolean;
  /** Whether the app starts with a model that cannot call tools. It then offers none. */
  readonly allowsModelWithoutTools: boolean;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** Warnings about settings without effect, for the operator. */
  readonly warnings: readonly string[];
}

/** The app on the simulated workspace. Without a model, scripted answers are used. */
export interface PlaygroundConfig extends CommonConfig {
  readonly mode: 'playground';
  readonly model?: ModelConfig;
}

/** The app in a Slack workspace. */
export interface SlackModeConfig extends CommonConfig {
  readonly mode: 'slack';
  /** Absent only if a graph brings its own model. */
  readonly model?: ModelConfig;
  readonly slack: SlackDelivery & { readonly botToken: string; readonly apiUrl: string };
}

/** The settings of the app, read once from the environment. */
export type Config = PlaygroundConfig | SlackModeConfig;

/** The environment is invalid. The message lists every problem and never contains a secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    const list = problems.map((problem) => `  - ${toTerminalLine(problem)}`).join('\n');
    super(`Countersign can't start with these settings (.env.example explains each):\n${list}`);
    this.problems = problems;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

interface ReadOptions {
  readonly exists?: (path: string) => boolean;
  /** The variables from `.env`; they are already part of the environment. */
  readonly envFile?: Environment;
}

/** Parses the environment. Throws a `ConfigError` that lists all problems. */
export function readConfig(
  environment: Environment,
  { exists = existsSync, envFile = {} }: ReadOptions = {},
): Config {
  const { env, warnings: unused } = withoutUnusedSlack(withoutBlanks(environment));
  const read = Variables.safeParse(env);
  const mcp = readServers(env, environment);
  const problems = [
    ...whitespaceProblems(environment),
    ...(read.error?.issues ?? []).map((issue) => `${String(issue.path[0])} ${issue.message}`),
    ...tokenProblems(env, mcp.variables),
    ...(env.GRAPH ? [] : modelProblems(env)),
    ...graphProblems(env, exists),
    ...apiProblems(env),
    ...httpProblems(env),
    ...mcp.problems,
    ...policyProblems(env, exists),
    ...agentWritableProblems(env, environment, mcp.servers),
  ];
  if (!read.success || problems.length > 0) throw new ConfigError([...new Set(problems)]);
  const config = toConfig(read.data, env, exists, mcp);
  const names = settingNameWarnings(environment, envFile, mcp.variables);
  return { ...config, warnings: [...names, ...unused, ...config.warnings] };
}

function readServers(env: Environment, environment: Environment): McpConfigParseResult {
  const { MCP_CONFIG: path } = env;
  if (path === undefined) return NO_SERVERS;
  const problems = agentWritableFileProblems('MCP_CONFIG', path, workspaceFolderOf(env));
  // MCP_CONFIG gets the raw environment: values it fills in keep their white space.
  const read = readMcpConfig(path, environment);
  return { ...read, problems: [...problems, ...read.problems] };
}

/** Blank counts as unset, because `.env` files and shells leave empty values behind. */
function withoutBlanks(environment: Environment): Environment {
  return Object.fromEntries(
    Object.entries(environment)
      .map(([name, value]) => [name, value?.trim()] as const)
      .filter(([, value]) => value !== undefined && value !== ''),
  );
}

/** Returns the configured file, or the default one if it exists. */
function policyFileOf(
  configured: string | undefined,
  exists: (path: string) => boolean,
): string | undefined {
  const path = resolve(configured ?? DEFAULT_POLICY_FILE);
  return configured !== undefined || exists(path) ? path : undefined;
}

function toPolicy(
  configured: string | undefined,
  exists: (path: string) => boolean,
): Pick<CommonConfig, 'policyFile'> {
  const policyFile = policyFileOf(configured, exists);
  return policyFile === undefined ? {} : { policyFile };
}

/** Not loaded beside a graph, which brings its own tools. */
function toToolsModule(
  configured: string | undefined,
  env: Environment,
): Pick<CommonConfig, 'toolsModule'> {
  return configured === undefined || env.GRAPH ? {} : { toolsModule: resolve(configured) };
}

function toGraph(env: Environment): Pick<CommonConfig, 'graph'> {
  const graph = readGraphConfig(env);
  return graph ? { graph } : {};
}

function policyProblems(env: Environment, exists: (path: string) => boolean): string[] {
  const path = policyFileOf(env.POLICY_FILE, exists);
  if (path === undefined) return [];
  if (!exists(path)) {
    return [
      `POLICY_FILE ${env.POLICY_FILE} does not exist. Name the file with the rules, or unset POLICY_FILE to use the built-in ones.`,
    ];
  }
  return agentWritableFileProblems('POLICY_FILE', path, workspaceFolderOf(env));
}

function toKeeping(read: z.output<typeof Variables>): CommonConfig['keeping'] {
  const { AUDIT_DAYS: auditDays, HISTORY_DAYS: historyDays } = read;
  return { ...(auditDays && { auditDays }), ...(historyDays && { historyDays }) };
}

function toConfig(
  read: z.output<typeof Variables>,
  env: Environment,
  exists: (path: string) => boolean,
  mcp: McpConfigParseResult,
): Config {
  const model = readModelConfig(read);
  const slack = toSlack(read);
  const common = {
    host: read.HOST ?? (slack?.delivery === 'http' ? '0.0.0.0' : '127.0.0.1'),
    port: read.PORT,
    dataDir: resolve(read.DATA_DIR),
    workspaceDir: resolve(read.WORKSPACE_DIR),
    ...(read.REDIS_URL !== undefined && {
      redis: { url: read.REDIS_URL, prefix: read.REDIS_PREFIX },
    }),
    ...toToolsModule(read.TOOLS_MODULE, env),
    mcp: { servers: mcp.servers, secrets: mcp.secrets },
    ...toGraph(env),
    ...toPolicy(read.POLICY_FILE, exists),
    commands: {
      hasNetwork: read.COMMAND_NETWORK,
      allowUnsandboxed: read.ALLOW_UNSANDBOXED_COMMANDS,
    },
    maxPendingPerPerson: read.MAX_PENDING_PER_PERSON,
    reportMs: read.REPORT_TIMEOUT * 1_000,
    api: readApiConfig(read),
    http: readHttpConfig(read),
    keeping: toKeeping(read),
    ...(read.TAVILY_API_KEY !== undefined && {
      search: {
        apiKey: read.TAVILY_API_KEY,
        baseUrl: read.TAVILY_BASE_URL,
        maxResults: read.MAX_SEARCH_RESULTS,
      },
    }),
    talk: {
      adminUsers: new Set(read.ADMIN_USERS),
      ...(read.TALK_USERS && { users: new Set(read.TALK_USERS) }),
      ...(read.TALK_CHANNELS && { channels: new Set(read.TALK_CHANNELS) }),
    },
    digestOver: read.DIGEST_OVER,
    notificationDetail: read.NOTIFICATION_DETAIL,
    ...(read.SYSTEM_PROMPT !== undefined && { systemPrompt: read.SYSTEM_PROMPT }),
    contextTokens: read.CONTEXT_TOKENS,
    showsUsage: read.SHOW_USAGE,
    modelSeesImages: read.MODEL_SEES_IMAGES ?? isOpenAi(model),
    allowsModelWithoutTools: read.ALLOW_MODEL_WITHOUT_TOOLS,
    logLevel: read.LOG_LEVEL,
    warnings: [...settingWarnings(env), ...mcp.warnings],
  };
  // A missing model in Slack mode was already reported by `modelProblems`.
  if (slack) return { ...common, mode: 'slack', ...(model && { model }), slack };
  return { ...common, mode: 'playground', ...(model && { model }) };
}

/** Other servers or providers may reject a whole request because of an image in it. */
function isOpenAi(model: ModelConfig | undefined): boolean {
  return model?.provider === 'openai' && model.baseUrl === undefined;
}

function toSlack(read: z.output<typeof Variables>): SlackModeConfig['slack'] | undefined {
  const { SLACK_BOT_TOKEN: botToken, SLACK_APP_TOKEN: appToken } = read;
  const { SLACK_SIGNING_SECRET: signingSecret } = read;
  if (!botToken) return undefined;
  const apiUrl = read.SLACK_API_URL.replace(/\/*$/, '/');
  if (appToken) return { botToken, apiUrl, delivery: 'socket', appToken };
  return signingSecret ? { botToken, apiUrl, delivery: 'http', signingSecret } : undefined;
}
