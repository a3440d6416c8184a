import { type ApiKey, keyState } from '../../domain/people/api-key.ts';
import { showLine } from '../../domain/text/terminal-text.ts';
import { sayTime } from '../audit/audit-rows.ts';

/** Says a key in a line for people: never its hash. */
export function sayKey(key: ApiKey, now: number): string {
  const parts = [
    key.id,
    key.name,
    key.scopes.join(','),
    key.channels.length > 0 ? key.channels.join(',') : 'any channel',
    key.owner === undefined ? 'no owner' : `for ${key.owner}`,
    sayState(key, now),
  ];
  return parts.map(showLine).join('  ');
}

/** Names a key within a sentence. */
export function nameKey({ id, name }: ApiKey): string {
  return `${showLine(id)} (${showLine(name)})`;
}

/** Says a key for programs. */
export function toPlainKey(key: ApiKey, now: number): object {
  const { id, name, scopes, channels, owner, createdAt, expiresAt, revokedAt, earlier } = key;
  return {
    id,
    name,
    scopes,
    channels,
    owner: owner ?? null,
    works: keyState(key, now) === 'works',
    createdAt: sayTime(createdAt),
    expiresAt: expiresAt === undefined ? null : sayTime(expiresAt),
    revokedAt: revokedAt === undefined ? null : sayTime(revokedAt),
    earlierSecretUntil: earlier && now < earlier.until ? sayTime(earlier.until) : null,
  };
}

function sayState(key: ApiKey, now: number): string {
  const { earlier, expiresAt, revokedAt } = key;
  const state = keyState(key, now);
  if (state === 'revoked') return `revoked ${sayTime(revokedAt ?? now)}`;
  if (state === 'expired') return `expired ${sayTime(expiresAt ?? now)}`;
  const until = expiresAt === undefined ? 'works' : `works until ${sayTime(expiresAt)}`;
  return earlier && now < earlier.until
    ? `${until}, its earlier secret until ${sayTime(earlier.until)}`
    : until;
}
