import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ErrorReply } from 'redis';
import { StaleFenceError, StoreUnavailableError } from '../../../domain/ports/store.ts';
import { NoReplyError, type RedisSocket, type Reply } from './redis-connection.ts';

/**
 * What repeating a script after a lost reply does. `read`: nothing. `repeat`: the same as the first run.
 * `once`: it takes a receipt as its last argument, and returns its first result for the same receipt.
 */
type ScriptKind = 'read' | 'repeat' | 'once';

/** A Lua script, cached by the server under its hash. */
export interface Script {
  readonly source: string;
  readonly sha: string;
  readonly kind: ScriptKind;
  /** Whether it handles so much data that it needs a longer timeout. */
  readonly isBulk: boolean;
}

export function toScript(
  source: string,
  kind: ScriptKind = 'repeat',
  { isBulk = false }: { readonly isBulk?: boolean } = {},
): Script {
  return { source, sha: createHash('sha1').update(source).digest('hex'), kind, isBulk };
}

/** Runs scripts on one server or on the right cluster node. */
export interface ScriptRunner {
  /**
   * Runs a script atomically and once; all its keys share the hash tag of `key`. Retries for a few seconds
   * while the connection is broken or silent, then throws `StoreUnavailableError`.
   */
  run(script: Script, key: string, args: readonly string[]): Promise<Reply>;
}

/** Prefix of the error by which a script refuses an old fence. */
export const STALE = 'STALEFENCE';

/** Timeouts of one reply and of all retries (ms). Slack expects the response to a click within 3 s. */
const TIMEOUTS = { answerMs: 1_000, totalMs: 2_500 };
const BULK_TIMEOUTS = { answerMs: 10_000, totalMs: 12_000 };
const RETRY_DELAY_MS = 50;

/** Creates the script runner on a connection. */
export function createScriptRunner(socket: Pick<RedisSocket, 'send'>): ScriptRunner {
  async function ask(script: Script, key: string, rest: readonly string[], ms: number) {
    try {
      return await socket.send(key, ['EVALSHA', script.sha, ...rest], ms);
    } catch (error) {
      if (!isReply(error, 'NOSCRIPT')) throw error;
      return await socket.send(key, ['EVAL', script.source, ...rest], ms);
    }
  }

  /** Retries until there is a reply, a permanent error, or no time left. */
  async function runWithRetry(
    script: Script,
    key: string,
    rest: readonly string[],
  ): Promise<Reply> {
    const { answerMs, totalMs } = script.isBulk ? BULK_TIMEOUTS : TIMEOUTS;
    const endsAt = performance.now() + totalMs;
    const leftMs = () => endsAt - performance.now();
    let mayBeDone = false;
    for (;;) {
      const outcome = await runOnce(() => ask(script, key, rest, Math.min(answerMs, leftMs())));
      if ('reply' in outcome) return outcome.reply;
      mayBeDone ||= mayHaveRun(script, outcome.error);
      if (leftMs() < 2 * RETRY_DELAY_MS) throw unavailable(outcome.error, mayBeDone);
      await sleep(RETRY_DELAY_MS);
    }
  }

  return {
    run(script, key, args) {
      // The second key never exists. With it, both nodes refuse the script (TRYAGAIN) while a cluster moves
      // the slot; with one key it would run without the part of the data that has moved.
      // https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/#multi-key-operations
      return runWithRetry(script, key, ['2', key, `${key}:none`, ...withReceipt(script, args)]);
    },
  };
}

/** Adds the receipt to a script of kind `once`. */
function withReceipt({ kind }: Script, args: readonly string[]): readonly string[] {
  return kind === 'once' ? [...args, randomBytes(12).toString('base64url')] : args;
}

/** Returns a reply or a temporary error; rejects with any other. */
async function runOnce(
  ask: () => Promise<Reply>,
): Promise<{ readonly reply: Reply } | { readonly error: unknown }> {
  try {
    return { reply: await ask() };
  } catch (error) {
    if (!isTemporary(error)) throw explainRedisError(error);
    return { error };
  }
}

/** Temporary errors: data that moves, or a server that starts or becomes the primary. */
const TEMPORARY = [
  'LOADING',
  'TRYAGAIN',
  'CLUSTERDOWN',
  'MASTERDOWN',
  'READONLY',
  'BUSY ',
  'MOVED',
  'ASK',
];

function isTemporary(error: unknown): boolean {
  return error instanceof NoReplyError || TEMPORARY.some((begin) => isReply(error, begin));
}

function mayHaveRun({ kind }: Script, error: unknown): boolean {
  return kind !== 'read' && error instanceof NoReplyError && error.isSent;
}

function isReply(error: unknown, begin: string): error is Error {
  return error instanceof ErrorReply && error.message.startsWith(begin);
}

function unavailable(cause: unknown, mayBeDone: boolean): StoreUnavailableError {
  const consequence = mayBeDone
    ? 'It is unknown whether the last write was done; repeating it is safe.'
    : 'Nothing was written.';
  return new StoreUnavailableError(
    `${describeRedisError(cause)} ${consequence}`,
    mayBeDone ? 'unknown' : 'not-done',
    {
      cause,
    },
  );
}

/** Redis errors, and what to do about them. */
const REFUSALS: readonly (readonly [begin: string, meaning: string])[] = [
  ['OOM', 'Redis is out of memory and takes no writes: increase maxmemory.'],
  [
    'MISCONF',
    'Redis can’t save its data to disk and takes no writes: check its log, and free disk space.',
  ],
  [
    'NOREPLICAS',
    'Redis takes no writes because too few of its replicas answer: check them, and min-replicas-to-write.',
  ],
  ['READONLY', 'Redis is a replica that takes no writes: point REDIS_URL at the primary.'],
  ['CLUSTERDOWN', 'The Redis cluster is down: too few of its masters answer.'],
  ['LOADING', 'Redis is still loading its data.'],
  ['TRYAGAIN', 'The Redis cluster is moving the data to another node.'],
  ['BUSY ', 'Redis is busy with another client’s script: see SCRIPT KILL.'],
];
/** Permissions that the Redis user needs. */
export const REQUIRED_GRANTS =
  'Grant it (ACL SETUSER) ~PREFIX:* &PREFIX:* +@read +@write +@scripting +@pubsub +@connection +info +time, where PREFIX is REDIS_PREFIX, and on a cluster +cluster.';

/** Permission errors in the wording of several server versions. */
export const NO_PERMISSION_SIGNS = ['NOPERM', 'executing the script', 'ACL failure'] as const;

function describeRedisError(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const [, known] = REFUSALS.find(([begin]) => message.includes(begin)) ?? [];
  return (
    known ??
    `Redis does not answer (${message.replace(/\.$/, '')}): check that it runs and can be reached.`
  );
}

/** Turns known Redis errors into their meaning; others stay as they are. */
export function explainRedisError(error: unknown): unknown {
  if (isReply(error, STALE)) return new StaleFenceError(error.message.slice(STALE.length + 1));
  if (!(error instanceof ErrorReply)) return error;
  if (NO_PERMISSION_SIGNS.some((sign) => error.message.includes(sign))) {
    return new Error(`Redis refuses a command to the user of REDIS_URL. ${REQUIRED_GRANTS}`, {
      cause: error,
    });
  }
  const isKnown = REFUSALS.some(([begin]) => error.message.includes(begin));
  return isKnown ? unavailable(error, false) : error;
}
