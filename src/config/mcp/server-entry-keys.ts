/**
 * The keys of a server entry in MCP_CONFIG: those that are read, and messages for those of other
 * programs.
 */
import { closestMatch } from 'leven';

/** Problems and warnings about the keys of one entry. */
export interface EntryKeysResult {
  /** Keys whose omission would change the server or its tools. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

const LOCAL = ['command', 'args', 'env', 'cwd'];
const REMOTE = ['url', 'headers'];
/** Timeouts of the start and of a call, under the names that other programs use. */
export const START_KEYS = ['startupTimeout', 'startup_timeout_sec', 'initTimeout'] as const;
export const CALL_KEYS = ['timeout', 'toolTimeout', 'tool_timeout_sec', 'requestTimeout'] as const;
const BOTH = ['type', 'disabled', 'enabled', 'description', ...START_KEYS, ...CALL_KEYS];

const byName = (names: string, answer: string) =>
  names.split(' ').map((name) => [name, answer] as const);

/** Keys that must not be ignored silently: the start fails with this message. */
const FATAL_KEYS: ReadonlyMap<string, string> = new Map([
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
    'is not read: put the credentials into “headers”',
  ),
  ...byName(
    'excludeTools includeTools disabledTools disabled_tools enabledTools enabled_tools allowedTools allowed_tools blockedTools toolFilter tools',
    'does not remove tools here: refuse them in the policy, and remove this key',
  ),
  ...byName('sandbox sandboxEnabled', 'is not read: servers run without a sandbox. Remove it'),
]);

const UNUSED_KEYS: ReadonlyMap<string, string> = new Map([
  ...byName(
    'sseReadTimeout sse_read_timeout',
    'a stream may be silent. “timeout” limits how long a call takes',
  ),
  ...byName(
    'autoApprove alwaysAllow always_allow autoApproveTools trust permissions',
    'the policy decides which tools run without asking',
  ),
]);

/**
 * Checks the keys of an entry with a command (`local`) or a URL (`remote`). Each message begins
 * with `place`.
 */
export function readKeys(place: string, entry: object, kind: 'local' | 'remote'): EntryKeysResult {
  const [own, others, mainKey] =
    kind === 'local' ? [LOCAL, REMOTE, 'command'] : [REMOTE, LOCAL, 'url'];
  const problems: string[] = [];
  const warnings: string[] = [];
  for (const [key, value] of Object.entries(entry)) {
    const fatal = isAll(key, value) ? undefined : FATAL_KEYS.get(key);
    if ([...own, ...BOTH].includes(key) || isAll(key, value)) continue;
    if (fatal !== undefined) problems.push(`${place}: “${key}” ${fatal}.`);
    else if (others.includes(key)) {
      warnings.push(`${place}: “${key}” has no effect here, beside a “${mainKey}”.`);
    } else reportUnknown(key);
  }
  return { problems, warnings };

  function reportUnknown(key: string): void {
    const idle = UNUSED_KEYS.get(key);
    const meant = idle === undefined ? suggestEntryKey(key, [...own, ...BOTH]) : undefined;
    if (meant === undefined) {
      const why = idle === undefined ? '' : `: ${idle}`;
      warnings.push(`${place}: “${key}” has no effect here${why}.`);
    } else problems.push(`${place}: “${key}” is not a known key. Did you mean “${meant}”?`);
  }
}

/** `"tools": ["*"]` is allowed: all tools are offered anyway. */
function isAll(key: string, value: unknown): boolean {
  return key === 'tools' && Array.isArray(value) && value.length === 1 && value[0] === '*';
}

/** Returns the known key that an unknown one is probably meant to be. */
export function suggestEntryKey(key: string, known: readonly string[]): string | undefined {
  const same = known.find((each) => each.toLowerCase() === key.toLowerCase());
  return same ?? closestMatch(key, known, { maxDistance: key.length > 4 ? 2 : 1 });
}
