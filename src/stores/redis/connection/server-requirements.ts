/** Whether a server can hold our guarantees, judged by its INFO. */
export interface ServerRequirements {
  /** Why it can't be used, and what to do. */
  readonly refusals: readonly string[];
  /** What weakens the guarantees, and what to do. */
  readonly warnings: readonly string[];
}

const OLDEST = '6.2';

/** Parses INFO: one fact per line, with section headings and blank lines. */
export function parseRedisInfo(text: string): ReadonlyMap<string, string> {
  const facts = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon > 0 && !line.startsWith('#')) facts.set(line.slice(0, colon), line.slice(colon + 1));
  }
  return facts;
}

/** Judges a server by its INFO; `saves` is its `save` setting, undefined if unknown. */
export function checkServerRequirements(
  info: ReadonlyMap<string, string>,
  saves: string | undefined,
): ServerRequirements {
  const refusals: string[] = [];
  const warnings: string[] = [];
  const version = info.get('redis_version') ?? '0';
  if (!info.has('valkey_version') && isOlder(version, OLDEST)) {
    refusals.push(`Redis ${version} is too old: Countersign needs ${OLDEST} or newer, or Valkey.`);
  }
  if (info.get('role') === 'slave') {
    refusals.push('REDIS_URL leads to a replica, which takes no writes: use the primary.');
  }
  const policy = info.get('maxmemory_policy') ?? 'noeviction';
  if (policy !== 'noeviction') {
    const remedy = 'Set maxmemory-policy to noeviction.';
    if (info.get('maxmemory') === '0') {
      warnings.push(`Redis would evict data (${policy}) if it had a memory limit. ${remedy}`);
    } else {
      refusals.push(`Redis evicts data when its memory is full (${policy}). ${remedy}`);
    }
  }
  if (info.get('aof_enabled') === '0') {
    const loss =
      saves === ''
        ? 'everything, and calls could run again'
        : 'everything since its last snapshot, and calls could run again';
    warnings.push(
      `Redis keeps no append-only file: if it crashes, it loses ${loss}. Set appendonly to yes.`,
    );
  }
  return { refusals, warnings };
}

function isOlder(version: string, than: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldMajor = 0, oldMinor = 0] = than.split('.').map(Number);
  return major === oldMajor ? minor < oldMinor : major < oldMajor;
}
