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
/** Whoever sits at the records. */
const ACTOR = 'command';
/** Whoever means longer means for ever. */
const LONGEST_DAYS = 3_650;
/** In a policy they are others' names: a rule that is meant for those would hold for a program. */
const TAKEN_NAMES = ['countersign', ...BUILT_IN_HELPERS.map(({ name }) => name)];

/** Makes a key for a program, and says its token: the only time that it can be seen. */
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
        `There is a key named “${key.name}” already. Take another name, or revoke it first.`,
      );
      return EXIT.problems;
    }
    const clash = await findPolicyConflict(key.name, deps);
    if (clash !== undefined) {
      deps.err(clash);
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
        'Warning: this key can ask nothing: it has no owner to ask for (--owner U…), and may name nobody else (--scopes request,requesters).',
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

/** Ends a key at once: its next request is refused, and what waits with it is told so within a second. */
export async function runRevokeKey(args: readonly string[], deps: CommandDeps): Promise<ExitCode> {
  const { positionals } = parseArguments({ args: [...args], allowPositionals: true, options: {} });
  const which = readWhich('revoke', positionals);
  return await withConfiguredKeys(deps, (keys, opened) =>
    change(keys, which, deps, async (key) => {
      const now = deps.clock.now();
      if (key.revokedAt !== undefined) {
        deps.out(`The key ${shortKeyName(key)} was revoked before.`);
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

/** Gives a key another secret; the one of before works for as long as is wished. */
export async function runRotateKey(args: readonly string[], deps: CommandDeps): Promise<ExitCode> {
  const { positionals, values } = parseArguments({
    args: [...args],
    allowPositionals: true,
    options: { ...JSON_FLAG, overlap: { type: 'string' } },
  });
  const which = readWhich('rotate', positionals);
  const overlapMs =
    values.overlap === undefined ? undefined : readSpan('--overlap', values.overlap);
  return await withConfiguredKeys(deps, (keys, opened) =>
    change(keys, which, deps, async (key) => {
      const now = deps.clock.now();
      if (key.revokedAt !== undefined) {
        deps.err(`The key ${shortKeyName(key)} was revoked; make another one.`);
        return 'problem';
      }
      const secret = newKeySecret();
      const until = overlapMs === undefined ? undefined : now + overlapMs;
      const turned = rotateKey(key, hashKeySecret(secret), until);
      const detail = { name: key.name, earlierUntil: until ?? null };
      if (!(await keys.change(turned, toAudit(key, 'key.rotate', now, detail)))) return false;
      await printToken(turned, secret, values.json, opened, deps);
      return true;
    }),
  );
}

/** Finds the key and changes it, anew where somebody else was first. */
async function change(
  keys: Keys,
  which: string,
  deps: CommandDeps,
  work: (key: ApiKey) => Promise<boolean | 'problem'>,
): Promise<ExitCode> {
  for (;;) {
    const found = await find(keys, which);
    const [key] = found;
    if (!key || found.length > 1) {
      deps.err(
        key
          ? `Several keys are named “${toTerminalLine(which)}”: ${found.map(({ id }) => id).join(', ')}. Say the id.`
          : `There is no key “${toTerminalLine(which)}”. “npx --no -- countersign keys list” lists them.`,
      );
      return EXIT.problems;
    }
    const done = await work(key);
    if (done !== false) return done === true ? EXIT.fine : EXIT.problems;
  }
}

/** By id, or by name; of those with one name the one that still works. */
async function find(keys: Keys, which: string): Promise<readonly ApiKey[]> {
  const byId = await keys.get(which);
  if (byId) return [byId];
  const named = (await keys.list()).filter(({ name }) => name === which);
  const alive = named.filter(({ revokedAt }) => revokedAt === undefined);
  return alive.length > 0 ? alive : named.slice(-1);
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
  deps.out(`\n  ${token}\n\nKeep it now: it is shown this once, and only its hash is stored.`);
  deps.out(`Callbacks to it are signed with ${callbackSecret}`);
}

function describeWaiting(pending: number): string {
  if (pending === 0) return 'No call of it waits for people.';
  const which = pending === 1 ? 'One call of it waits' : `${pending} calls of it wait`;
  return `${which} for people, until they ignore it or it expires; nobody can take what it asked for any more.`;
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
  if (name !== undefined && TAKEN_NAMES.includes(name.toLowerCase())) {
    throw new UsageError(
      `--name can’t be “${name}”: the app, or a helper of its agent, has that name, and rules of the policy go by it.`,
    );
  }
  if (name !== undefined && /^[\p{L}\p{N}](?:[\p{L}\p{N} ._-]{0,62}[\p{L}\p{N}._-])?$/u.test(name))
    return name;
  throw new UsageError(
    '--name is what people are told of the program: up to 64 letters, digits, “.”, “_”, “-”, and blanks between them.',
  );
}

function readScopes(text: string): readonly string[] {
  const scopes = parseWordList('--scopes', text);
  if (scopes.every(isKeyScope)) return scopes;
  throw new UsageError(
    '--scopes are request, request:TOOLS (like request:deploy_*), read and requesters, separated by commas.',
  );
}

function readChannels(text: string | undefined): readonly string[] {
  const channels = text === undefined ? [] : parseWordList('--channels', text);
  if (channels.every((id) => /^[CGD][A-Z0-9]{2,39}$/.test(id))) return channels;
  throw new UsageError('--channels are ids of channels, separated by commas, like C012AB3CD.');
}

function readOwner(owner: string): string {
  if (/^[UW][A-Z0-9]{2,39}$/.test(owner)) return owner;
  throw new UsageError('--owner is the id of a person, like U012AB3CD.');
}

function readSpan(option: string, text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined && ms <= LONGEST_DAYS * 86_400_000) return ms;
  throw new UsageError(
    `${option} is a span of time of up to ${LONGEST_DAYS}d, like 90d, 12h or 30m.`,
  );
}

function readWhich(command: string, positionals: readonly string[]): string {
  const [which] = positionals;
  if (which !== undefined && positionals.length === 1) return which;
  throw new UsageError(
    `Say the id or the name of one key: npx --no -- countersign keys ${command} ID`,
  );
}
