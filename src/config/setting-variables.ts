import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { NOTIFICATION_DETAILS } from '../domain/cards/notification-detail.ts';

/** The policy file that is used if it exists. */
export const DEFAULT_POLICY_FILE = './policy.yaml';

/** Log levels, from most to least verbose. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** The default folder of the app's records. */
export const DEFAULT_DATA_DIR = './data';

/** The default folder of the agent's files. */
export const DEFAULT_WORKSPACE_DIR = './workspace';

const text = z.string().optional();
/** Characters that are allowed in a token in an HTTP header. */
const PRINTABLE = /^[\x21-\x7e]+$/;
const key = z
  .string()
  .regex(PRINTABLE, 'has characters that are not allowed in a key. Copy the whole key again.')
  .optional();
const wholeOrUnset = (min: number, max: number, what: string) =>
  z
    .string()
    // No leading zeros: some programs read 010 as eight.
    .regex(/^(?:0|[1-9]\d{0,8})$/, what)
    .transform(Number)
    .pipe(z.number(what).min(min, what).max(max, what));
const whole = (min: number, max: number, fallback: number, what: string) =>
  wholeOrUnset(min, max, what).default(fallback);
const days = () =>
  wholeOrUnset(1, 36_500, 'must be a whole number of days from 1 to 36500.').optional();
const yesOrNo = () =>
  z.enum(['0', '1'], { error: 'must be 1 (yes) or 0 (no).' }).transform((value) => value === '1');
const flag = () => yesOrNo().default(false);
const url = (example: string) =>
  z
    .url({
      protocol: /^https?$/,
      error: `is not an http(s) address. Write it like ${example}.`,
      abort: true,
    })
    .refine(
      isPlainUrl,
      `has a user name, a query, a “#…”, a space or a “\\”, which would be lost. Write it like ${example}.`,
    );
/** A path without `~` and variables, which only a shell would expand. */
const path = z
  .string()
  .refine(
    (place) => !/\p{Cc}|^~|\$|^[a-z][a-z0-9+.-]+:\/\//iu.test(place),
    'must be a plain path, not an address; “~” and variables are not expanded here.',
  );
const ids = (pattern: RegExp, what: string) => list((text) => pattern.test(text), what);
const list = (isValid: (text: string) => boolean, what: string) =>
  z
    .string()
    // An empty item between two commas may be an unset variable.
    .transform((list) => list.split(/\s*,\s*|\s+/))
    .pipe(z.array(z.string().refine(isValid, what)).min(1, what))
    .optional();
/** Hosts such as `0` are read as IP addresses: 0 means all interfaces. */
function isNumeric(host: string): boolean {
  return /^(?:0x[0-9a-f]*|\d+)$/i.test(host.split('.').findLast((part) => part !== '') ?? '0');
}
function isRedisUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, host, pathname, password } = new URL(text);
  // The driver silently ignores query and fragment.
  if (/[?#\s]/.test(text)) return false;
  if (protocol === 'unix:') return pathname.length > 1;
  const isWellEncoded = /^(?:[^%]|%[0-9a-f]{2})*$/i.test(password);
  const isKnown = ['redis:', 'rediss:'].includes(protocol) && /^(?:\/\d{0,5})?$/.test(pathname);
  return isKnown && host !== '' && isWellEncoded;
}
/**
 * Returns whether the URL parser keeps the text as it is, without credentials, query and fragment.
 */
function isPlainUrl(text: string): boolean {
  if (/[\s\p{Cc}\\]/u.test(text) || !URL.canParse(text)) return false;
  const { hash, password, search, username } = new URL(text);
  return hash + password + search + username === '' && !/[?#]/.test(text);
}
/**
 * Requires https except on this machine: keys read over plain HTTP could be replaced on the way.
 */
function isSafeUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { hostname, password, protocol, username } = new URL(text);
  if (username + password !== '' || /[#\s\\]/.test(text)) return false;
  const isLoopback = isIP(hostname) === 4 && hostname.startsWith('127.');
  const isHere = hostname === 'localhost' || hostname === '[::1]' || isLoopback;
  return protocol === 'https:' || (protocol === 'http:' && isHere);
}
const userIds = ids(
  /^[UW][A-Z0-9]{2,39}$/,
  'must be member IDs, separated by commas, none of them empty, like U012AB3CD. In Slack: a person’s profile, the three dots, “Copy member ID”.',
);
const token = (prefix: string, what: string) =>
  z
    .string()
    .startsWith(prefix, { error: what, abort: true })
    .regex(PRINTABLE, 'has characters that are not allowed in a token. Copy the whole token again.')
    .optional();

function isAddressRange(text: string): boolean {
  return text.includes('/') ? ipaddr.isValidCIDR(text) : ipaddr.isValid(text);
}

/** Returns whether the text is exactly what a browser sends as `Origin`. */
function isOrigin(text: string): boolean {
  const isAddress = /^https?:\/\/[^*]+$/.test(text) && URL.canParse(text);
  return isAddress && new URL(text).origin === text;
}

/** The schema of each variable. Errors say what is wrong and what to write. */
export const Variables = z.object({
  MODE: z
    .enum(['slack', 'playground'], {
      error: 'must be slack or playground. (The model is set with MODEL.)',
    })
    .optional(),
  SLACK_BOT_TOKEN: token(
    'xoxb-',
    'must be a bot token, which starts with xoxb-. Copy “Bot User OAuth Token” from your Slack app’s page “OAuth & Permissions”.',
  ),
  SLACK_APP_TOKEN: token(
    'xapp-',
    'must be an app-level token, which starts with xapp-. Create one with the scope connections:write on your Slack app’s page “Basic Information”.',
  ),
  SLACK_SIGNING_SECRET: z
    .string()
    .regex(
      /^(?!xox|xapp-)[\x21-\x7e]+$/,
      'must be the signing secret, not a token. Copy it from your Slack app’s page “Basic Information”.',
    )
    .optional(),
  SLACK_API_URL: url('https://slack.com/api/').default('https://slack.com/api/'),
  PORT: whole(0, 65_535, 3000, 'must be a whole number from 0 (any free port) to 65535.'),
  HOST: z
    .string()
    .refine(
      (host) => isIP(host) !== 0 || (/^[A-Za-z0-9._-]+$/.test(host) && !isNumeric(host)),
      'must be a host name or an IP address alone, like 127.0.0.1.',
    )
    .optional(),
  KEEP_ALIVE_TIMEOUT: whole(1, 3_600, 65, 'must be a whole number of seconds from 1 to 3600.'),
  HEADERS_TIMEOUT: whole(1, 3_600, 70, 'must be a whole number of seconds from 1 to 3600.'),
  TRUSTED_PROXIES: list(
    isAddressRange,
    'must be addresses or CIDR ranges, separated by commas, like 10.0.0.0/8,192.168.1.7.',
  ),
  CORS_ORIGINS: list(
    isOrigin,
    'must be exact origins, separated by commas, like https://approvals.example.com: without a path, and never “*” or “null”.',
  ),
  DATA_DIR: path.default(DEFAULT_DATA_DIR),
  WORKSPACE_DIR: path.default(DEFAULT_WORKSPACE_DIR),
  REDIS_URL: z
    .string()
    .refine(
      isRedisUrl,
      'must be the address of a Redis server, like redis://localhost:6379, rediss://user:password@host:6380 or unix:///run/redis.sock. Write special characters of the password like %40. Only a database number may follow, as in /1.',
    )
    .optional(),
  REDIS_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9_.:-]{1,60}$/, 'may only have letters, digits, “-”, “_”, “.” or “:”.')
    .default('countersign'),
  OPENAI_API_KEY: key,
  OPENAI_BASE_URL: url('http://localhost:11434/v1').optional(),
  ANTHROPIC_API_KEY: key,
  ANTHROPIC_BASE_URL: url('https://api.anthropic.com').optional(),
  DEEPSEEK_API_KEY: key,
  DEEPSEEK_BASE_URL: url('https://api.deepseek.com').optional(),
  GROQ_API_KEY: key,
  GROQ_BASE_URL: url('https://api.groq.com/openai/v1').optional(),
  XAI_API_KEY: key,
  XAI_BASE_URL: url('https://api.x.ai/v1').optional(),
  MODEL: z
    .string()
    .regex(/^[a-z][a-z0-9-]*\/\S+$/, 'must be provider/name, like openai/gpt-4o-mini.')
    .default('openai/gpt-4o-mini'),
  MODEL_SEES_IMAGES: yesOrNo().optional(),
  ALLOW_MODEL_WITHOUT_TOOLS: flag(),
  SYSTEM_PROMPT: text,
  CONTEXT_TOKENS: whole(
    2_000,
    100_000_000,
    24_000,
    'must be a whole number of tokens from 2000 to 100000000.',
  ),
  SHOW_USAGE: flag(),
  ADMIN_USERS: userIds,
  NOTIFICATION_DETAIL: z
    .enum(NOTIFICATION_DETAILS, { error: `must be one of ${NOTIFICATION_DETAILS.join(', ')}.` })
    .default('summary'),
  DIGEST_OVER: whole(1, 1_000, 10, 'must be a whole number of cards from 1 to 1000.'),
  TALK_USERS: userIds,
  TALK_CHANNELS: ids(
    /^[CGD][A-Z0-9]{2,39}$/,
    'must be channel IDs, separated by commas, none of them empty, like C012AB3CD. In Slack: a channel’s details, at the bottom of “About”.',
  ),
  TOOLS_MODULE: path.optional(),
  MCP_CONFIG: path.optional(),
  GRAPH: text,
  GRAPH_API_KEY: key,
  POLICY_FILE: path.optional(),
  MAX_PENDING_PER_PERSON: whole(
    1,
    100_000,
    50,
    'must be a whole number of calls from 1 to 100000.',
  ),
  REPORT_TIMEOUT: whole(1, 604_800, 600, 'must be a whole number of seconds from 1 to 604800.'),
  MAX_PENDING_PER_KEY: whole(1, 100_000, 100, 'must be a whole number of calls from 1 to 100000.'),
  API_RATE_PER_MINUTE: whole(
    1,
    10_000_000,
    600,
    'must be a whole number of requests from 1 to 10000000.',
  ),
  APPROVER_JWKS_URL: z
    .string()
    .refine(
      isSafeUrl,
      'must be an https address (or one of this machine), like https://login.example.com/.well-known/jwks.json.',
    )
    .optional(),
  APPROVER_JWT_SECRET: z
    .string()
    .refine(
      (secret) => Buffer.byteLength(secret) >= 32,
      'must have at least 32 bytes: anyone who guesses it can approve as any person. Create one with “openssl rand -base64 32”.',
    )
    .optional(),
  APPROVER_JWT_AUDIENCE: text,
  APPROVER_JWT_ISSUER: text,
  AUDIT_DAYS: days(),
  HISTORY_DAYS: days(),
  LOG_LEVEL: z
    .enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(', ')}.` })
    .default('info'),
  COMMAND_NETWORK: flag(),
  ALLOW_UNSANDBOXED_COMMANDS: flag(),
  TAVILY_API_KEY: key,
  TAVILY_BASE_URL: url('https://api.tavily.com').default('https://api.tavily.com'),
  MAX_SEARCH_RESULTS: whole(1, 20, 5, 'must be a whole number from 1 to 20.'),
});
