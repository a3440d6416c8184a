import { BUILT_IN_HELPERS } from '../../agent/tools/built-in-helpers.ts';
import {
  type ApiKey,
  encodeKeyToken,
  hashKeySecret,
  isKeyScope,
  mayNameRequesters,
  mayRequest,
  newKeyId,
  newKeySecret,
  revokeKey,
  rotateKey,
} from '../../domain/people/api-key.ts';
import { callbackSecretOf } from '../../domain/ports/callback.ts';
import type { Effects, Keys } from '../../domain/ports/store.ts';
import { parseDuration } from '../../domain/text/duration.ts';
import { toTerminalLine } from '../../domain/text/terminal-text.ts';
import type { CommandRecords } from '../../stores/command-records.ts';
import { createCalls } from '../../stores/repositories/calls.ts';
import { type CommandDeps, EXIT, type ExitCode, UsageError, writeJsonOutput } from '../command.ts';
import { withConfiguredKeys } from '../open-configured-records.ts';
import { parseArguments, parseWordList } from '../parse-arguments.ts';
import { describeKey, keyToJson, shortKeyName } from './describe-key.ts';
import { findPolicyConflict } from './find-policy-conflict.ts';

const JSON_FLAG = { json: { type: 'boolean', default: false } } as const;
/** The actor in the audit: anyone with access to the records. */
const ACTOR = 'command';
/** The longest time span; for longer ones, leave the option out. */
const MAX_DAYS = 3_650;
/** Names that mean something else in policies. A rule for that agent would apply to the key too. */
const RESERVED_NAMES = ['countersign', ...BUILT_IN_HELPERS.map(({ name }) => name)];

/** Creates a key and prints its token. This is the only time that the token is visible. */
export async function runCreateKey(args: readonly string[], deps: CommandDeps): Promise<ExitCode> {
  const { values } = parseArguments({
    args: [...args],
    options: {
      ...JSON_FLAG,
      name: { type: 'string' },
      scopes: { type: 'string', default: 'request' },
      channels: { type: 'string' },
      owner: { type: 'string' },
      expires: { type: 'string' },
    },
  });
  const now = deps.clock.now();
  const secret = newKeySecret();
  const key: ApiKey = {
    id: newKeyId(),
    name: readName(values.name),
    hash: hashKeySecret(secret),
    scopes: readScopes(values.scopes),
    channels: readChannels(values.channels),
    ...(values.owner !== undefined && { owner: readOwner(values.owner) }),
    createdAt: now,
    ...(values.expires !== undefined && { expiresAt: now + readSpan('--expires', values.expires) }),
    revision: 1,
  };
  return await withConfiguredKeys(deps, async (keys, opened) => {
    const all = await keys.list();
    if (all.some(({ name, revokedAt }) => name === key.name && revokedAt === undefined)) {
      deps.err(
        `A key named “${key.name}” already exists. Choose another name, or revoke it first.`,
      );
      return EXIT.problems;
    }
    const conflict = await findPolicyConflict(key.name, deps);
    if (conflict !== undefined) {
      deps.err(conflict);
      return EXIT.problems;
    }
    const { name, scopes, channels, owner = null, expiresAt = null } = key;
    await keys.add(
      key,
      toAudit(key, 'key.create', now, { name, scopes, channels, owner, expiresAt }),
    );
    await printToken(key, secret, values.json, opened, deps);
    if (mayRequest(key) && key.owner === undefined && !mayNameRequesters(key)) {
      deps.err(
        'Warning: this key cannot make requests. It has no owner (--owner U…), and cannot name another requester (--scopes request,requesters).',
      );
    }
    return EXIT.fine;
  });
}

/** Lists all keys, without their secrets. */
export async function runListKeys(args: readonly string[], deps: CommandDeps): Promise<ExitCode> {
  const { values } = parseArguments({ args: [...args], options: JSON_FLAG });
  return await withConfiguredKeys(deps, async (keys) => {
    const all = await keys.list();
    const now = deps.clock.now();
    if (values.json)
      writeJsonOutput(
        deps,
        all.map((key) => keyToJson(key, now)),
      );
    else if (all.length === 0) deps.out('There are no keys.');
    else for (const key of all) deps.out(describeKey(key, now));
    return EXIT.fine;
  });
}

/** Revokes a key at once. Its next request is refused; open waits are refused within a second. */
export async function runRevokeKey(args: readonly string[], deps: CommandDeps): Promise<ExitCode> {
  const { positionals } = parseArguments({ args: [...args], allowPositionals: true, options: {} });
  const idOrName = readIdOrName('revoke', positionals);
  return await withConfiguredKeys(deps, (keys, opened) =>
    change(keys, idOrName, deps, async (key) => {
      const now = deps.clock.now();
      if (key.revokedAt !== undefined) {
        deps.out(`The key ${shortKeyName(key)} was already revoked.`);
        return true;
      }
      const revoked = revokeKey(key, now);
      if (!(await keys.change(revoked, toAudit(key, 'key.revoke', now, { name: key.name })))) {
        return false;
      }
      const waiting = describeWaiting(
        await createCalls(opened.records, () => {}).countPendingOfKey(key.id),
      );
      deps.out(`Revoked the key ${shortKeyName(key)}. ${waiting}`);
      return true;
    }),
  );
}

/** Gives a key a new secret. The old one keeps working for the time in `--overlap`. */
export async function runRotateKey(args: readonly string[], deps: CommandDeps): Promise<ExitCode> {
  const { positionals, values } = parseArguments({
    args: [...args],
    allowPositionals: true,
    options: { ...JSON_FLAG, overlap: { type: 'string' } },
  });
  const idOrName = readIdOrName('rotate', positionals);
  const overlapMs =
    values.overlap === undefined ? undefined : readSpan('--overlap', values.overlap);
  return await withConfiguredKeys(deps, (keys, opened) =>
    change(keys, idOrName, deps, async (key) => {
      const now = deps.clock.now();
      if (key.revokedAt !== undefined) {
        deps.err(`The key ${shortKeyName(key)} is revoked. Create another one.`);
        return 'problem';
      }
      const secret = newKeySecret();
      const until = overlapMs === undefined ? undefined : now + overlapMs;
      const rotated = rotateKey(key, hashKeySecret(secret), until);
      const detail = { name: key.name, earlierUntil: until ?? null };
      if (!(await keys.change(rotated, toAudit(key, 'key.rotate', now, detail)))) return false;
      await printToken(rotated, secret, values.json, opened, deps);
      return true;
    }),
  );
}

/** Finds and changes a key. Retries if another process changed it first. */
async function change(
  keys: Keys,
  idOrName: string,
  deps: CommandDeps,
  work: (key: ApiKey) => Promise<boolean | 'problem'>,
): Promise<ExitCode> {
  for (;;) {
    const found = await find(keys, idOrName);
    const [key] = found;
    if (!key || found.length > 1) {
      deps.err(
        key
          ? `Several keys are named “${toTerminalLine(idOrName)}”: ${found.map(({ id }) => id).join(', ')}. Use the id.`
          : `There is no key “${toTerminalLine(idOrName)}”. “npx --no -- countersign keys list” lists them.`,
      );
      return EXIT.problems;
    }
    const done = await work(key);
    if (done !== false) return done === true ? EXIT.fine : EXIT.problems;
  }
}

/** Finds keys by id or name. Of several with one name: those not revoked, otherwise the last. */
async function find(keys: Keys, idOrName: string): Promise<readonly ApiKey[]> {
  const byId = await keys.get(idOrName);
  if (byId) return [byId];
  const named = (await keys.list()).filter(({ name }) => name === idOrName);
  const active = named.filter(({ revokedAt }) => revokedAt === undefined);
  return active.length > 0 ? active : named.slice(-1);
}

async function printToken(
  key: ApiKey,
  secret: string,
  asJson: boolean,
  { installationKey }: Pick<CommandRecords, 'installationKey'>,
  deps: CommandDeps,
): Promise<void> {
  const token = encodeKeyToken({ id: key.id, secret });
  const callbackSecret = callbackSecretOf(await installationKey.read(), key.id);
  const now = deps.clock.now();
  if (asJson) {
    writeJsonOutput(deps, { ...keyToJson(key, now), token, callbackSecret });
    return;
  }
  deps.out(describeKey(key, now));
  deps.out(`\n  ${token}\n\nCopy it now: it is shown only once, and only its hash is stored.`);
  deps.out(`Callback signing secret: ${callbackSecret}`);
}

function describeWaiting(pending: number): string {
  if (pending === 0) return 'It has no pending calls.';
  if (pending === 1) {
    return 'One of its calls is pending until it is ignored or expires. It can no longer run.';
  }
  return `${pending} of its calls are pending until they are ignored or expire. They can no longer run.`;
}

function toAudit(
  { id }: ApiKey,
  event: string,
  at: number,
  detail: NonNullable<Effects['audit']>[number]['detail'],
): Effects {
  return { audit: [{ at, event, subject: `key:${id}`, actor: ACTOR, detail }] };
}

function readName(name: string | undefined): string {
  if (name !== undefined && RESERVED_NAMES.includes(name.toLowerCase())) {
    throw new UsageError(
      `--name can’t be “${name}”: the app or one of its helpers has that name, and policy rules refer to it.`,
    );
  }
  if (name !== undefined && /^[\p{L}\p{N}](?:[\p{L}\p{N} ._-]{0,62}[\p{L}\p{N}._-])?$/u.test(name))
    return name;
  throw new UsageError(
    '--name is the name that people see: up to 64 letters, digits, “.”, “_”, “-”, and spaces between them.',
  );
}

function readScopes(text: string): readonly string[] {
  const scopes = parseWordList('--scopes', text);
  if (scopes.every(isKeyScope)) return scopes;
  throw new UsageError(
    '--scopes must be request, request:TOOLS (like request:deploy_*), read and requesters, separated by commas.',
  );
}

function readChannels(text: string | undefined): readonly string[] {
  const channels = text === undefined ? [] : parseWordList('--channels', text);
  if (channels.every((id) => /^[CGD][A-Z0-9]{2,39}$/.test(id))) return channels;
  throw new UsageError('--channels must be channel IDs, separated by commas, like C012AB3CD.');
}

function readOwner(owner: string): string {
  if (/^[UW][A-Z0-9]{2,39}$/.test(owner)) return owner;
  throw new UsageError('--owner must be a member ID, like U012AB3CD.');
}

function readSpan(option: string, text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined && ms <= MAX_DAYS * 86_400_000) return ms;
  throw new UsageError(`${option} must be a duration of up to ${MAX_DAYS}d, like 90d, 12h or 30m.`);
}

function readIdOrName(command: string, positionals: readonly string[]): string {
  const [idOrName] = positionals;
  if (idOrName !== undefined && positionals.length === 1) return idOrName;
  throw new UsageError(
    `Give the id or the name of one key: npx --no -- countersign keys ${command} ID`,
  );
}
