/** The keys of an entry of MCP_CONFIG: those that are read, and an answer for those that other programs read. */
import { closestMatch } from 'leven';

/** What is said of the keys of one entry. */
export interface EntryKeysResult {
  /** Without them the server would be another one, or its tools others. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

const LOCAL = ['command', 'args', 'env', 'cwd'];
const REMOTE = ['url', 'headers'];
/** How long a server may take to start, and a call, by the names that programs have for it. */
export const START_KEYS = ['startupTimeout', 'startup_timeout_sec', 'initTimeout'] as const;
export const CALL_KEYS = ['timeout', 'toolTimeout', 'tool_timeout_sec', 'requestTimeout'] as const;
const BOTH = ['type', 'disabled', 'enabled', 'description', ...START_KEYS, ...CALL_KEYS];

const byName = (names: string, answer: string) =>
  names.split(' ').map((name) => [name, answer] as const);

/** What is left out with them, nobody may miss silently. */
const STOPPING: ReadonlyMap<string, string> = new Map([
  ...byName('httpUrl serverUrl server_url uri endpoint', 'is not read: call it “url”'),
  ...byName('transport transportType transport_type', 'is not read: call it “type”'),
  ...byName('cmd executable', 'is not read: call it “command”'),
  ...byName('arguments', 'is not read: call it “args”'),
  ...byName('workingDirectory working_directory workdir', 'is not read: call it “cwd”'),
  ...byName('environment envs', 'is not read: call it “env”'),
  ...byName(
    'envFile env_file',
    'is not read: name its variables in “env”, like "KEY": "$' +
      '{KEY}", and set them in our environment',
  ),
  ...byName(
    'oauth auth authorization authProvider headersHelper apiKey api_key bearerToken bearer_token bearer_token_env_var http_headers env_http_headers requestInit',
    'is not read: put what the server asks for into “headers”',
  ),
  ...byName(
    'excludeTools includeTools disabledTools disabled_tools enabledTools enabled_tools allowedTools allowed_tools blockedTools toolFilter tools',
    'takes no tools away here: refuse them by a rule of the policy, and remove it',
  ),
  ...byName(
    'sandbox sandboxEnabled',
    'is not read: a server runs outside of any sandbox. Remove it',
  ),
]);

const IDLE: ReadonlyMap<string, string> = new Map([
  ...byName(
    'sseReadTimeout sse_read_timeout',
    'a stream may be silent. “timeout” limits how long a call takes',
  ),
  ...byName(
    'autoApprove alwaysAllow always_allow autoApproveTools trust permissions',
    'what its tools may do unasked is up to the policy',
  ),
]);

/** Looks at the keys of an entry of a program (`local`) or an address; the place begins each sentence. */
export function readKeys(place: string, entry: object, kind: 'local' | 'remote'): EntryKeysResult {
  const [own, others, beside] =
    kind === 'local' ? [LOCAL, REMOTE, 'command'] : [REMOTE, LOCAL, 'url'];
  const problems: string[] = [];
  const warnings: string[] = [];
  for (const [key, value] of Object.entries(entry)) {
    const stopping = isAll(key, value) ? undefined : STOPPING.get(key);
    if ([...own, ...BOTH].includes(key) || isAll(key, value)) continue;
    if (stopping !== undefined) problems.push(`${place}: “${key}” ${stopping}.`);
    else if (others.includes(key)) {
      warnings.push(`${place}: “${key}” has no effect here, beside a “${beside}”.`);
    } else judgeUnknown(key);
  }
  return { problems, warnings };

  function judgeUnknown(key: string): void {
    const idle = IDLE.get(key);
    const meant = idle === undefined ? suggestEntryKey(key, [...own, ...BOTH]) : undefined;
    if (meant === undefined) {
      const why = idle === undefined ? '' : `: ${idle}`;
      warnings.push(`${place}: “${key}” has no effect here${why}.`);
    } else problems.push(`${place}: “${key}” is no key of it. Did you mean “${meant}”?`);
  }
}

/** All of the tools is what is offered. */
function isAll(key: string, value: unknown): boolean {
  return key === 'tools' && Array.isArray(value) && value.length === 1 && value[0] === '*';
}

/** Returns the key that another one is probably meant for. */
export function suggestEntryKey(key: string, known: readonly string[]): string | undefined {
  const same = known.find((each) => each.toLowerCase() === key.toLowerCase());
  return same ?? closestMatch(key, known, { maxDistance: key.length > 4 ? 2 : 1 });
}
