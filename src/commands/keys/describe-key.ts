import { type ApiKey, keyState } from '../../domain/people/api-key.ts';
import { toTerminalLine } from '../../domain/text/terminal-text.ts';
import { formatUtcTime } from '../audit/audit-rows.ts';

/** Describes a key in one line for people, without its hash. */
export function describeKey(key: ApiKey, now: number): string {
  const parts = [
    key.id,
    key.name,
    key.scopes.join(','),
    key.channels.length > 0 ? key.channels.join(',') : 'any channel',
    key.owner === undefined ? 'no owner' : `for ${key.owner}`,
    describeState(key, now),
  ];
  return parts.map(toTerminalLine).join('  ');
}

/** Returns the key's id and name for use in a sentence. */
export function shortKeyName({ id, name }: ApiKey): string {
  return `${toTerminalLine(id)} (${toTerminalLine(name)})`;
}

/** Returns a key as JSON for programs, without its hash. */
export function keyToJson(key: ApiKey, now: number): object {
  const { id, name, scopes, channels, owner, createdAt, expiresAt, revokedAt, earlier } = key;
  return {
    id,
    name,
    scopes,
    channels,
    owner: owner ?? null,
    works: keyState(key, now) === 'works',
    createdAt: formatUtcTime(createdAt),
    expiresAt: expiresAt === undefined ? null : formatUtcTime(expiresAt),
    revokedAt: revokedAt === undefined ? null : formatUtcTime(revokedAt),
    earlierSecretUntil: earlier && now < earlier.until ? formatUtcTime(earlier.until) : null,
  };
}

function describeState(key: ApiKey, now: number): string {
  const { earlier, expiresAt, revokedAt } = key;
  const state = keyState(key, now);
  if (state === 'revoked') return `revoked ${formatUtcTime(revokedAt ?? now)}`;
  if (state === 'expired') return `expired ${formatUtcTime(expiresAt ?? now)}`;
  const until = expiresAt === undefined ? 'active' : `active until ${formatUtcTime(expiresAt)}`;
  return earlier && now < earlier.until
    ? `${until}, its earlier secret until ${formatUtcTime(earlier.until)}`
    : until;
}
