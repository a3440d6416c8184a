import { createHash } from 'node:crypto';
import { type createClient, type createCluster, ErrorReply } from 'redis';
import { StaleFenceError } from '../../domain/store.ts';

export type RedisClient = ReturnType<typeof createClient>;
export type RedisCluster = ReturnType<typeof createCluster>;

/** A Lua script, known to the server by its hash. */
export interface Script {
  readonly source: string;
  readonly sha: string;
}

/** Makes a script of its source. */
export function toScript(source: string): Script {
  return { source, sha: createHash('sha1').update(source).digest('hex') };
}

/** What scripts answer: texts, numbers, lists of them, or nothing. */
export type Reply = string | number | null | readonly Reply[];

/** Runs scripts on one server or on the right node of a cluster. */
export interface RedisLink {
  /** Runs a script whose keys all share the hash tag of `key`; what it does happens whole or not at all. */
  run(script: Script, key: string, args: readonly string[]): Promise<Reply>;
}

/** Begins the error with which a script refuses an old fence. */
export const STALE = 'STALEFENCE';

/** Makes the link over a connected client. */
export function createRedisLink(client: RedisClient | RedisCluster): RedisLink {
  // redis@4 routes EVALSHA of a cluster by the wrong argument: its first key is named by hand.
  const send = (key: string, args: string[]): Promise<Reply> =>
    'masters' in client
      ? client.sendCommand<Reply>(key, false, args)
      : client.sendCommand<Reply>(args);

  return {
    async run(script, key, args) {
      const rest = ['1', key, ...args];
      try {
        return await send(key, ['EVALSHA', script.sha, ...rest]);
      } catch (error) {
        if (!isReply(error, 'NOSCRIPT')) throw explainReply(error);
      }
      try {
        return await send(key, ['EVAL', script.source, ...rest]);
      } catch (error) {
        throw explainReply(error);
      }
    },
  };
}

function isReply(error: unknown, begin: string): error is Error {
  return error instanceof ErrorReply && error.message.startsWith(begin);
}

/** What a server's refusals mean, and what to do about them. */
const REFUSALS: readonly (readonly [begin: string, say: string])[] = [
  ['OOM', 'Redis is out of memory and takes no writes: give it more maxmemory. Nothing was lost.'],
  [
    'MISCONF',
    'Redis can not write its file to disk and takes no writes: see its log, and free the disk.',
  ],
  ['READONLY', 'Redis is a replica that takes no writes: point REDIS_URL at the primary.'],
  ['NOPERM', 'Redis refuses a command to this user: grant it +@scripting and the keys it needs.'],
  ['CLUSTERDOWN', 'The Redis cluster is down: too few of its masters answer.'],
  ['LOADING', 'Redis is still loading its data; what failed is tried again.'],
];

/** Makes the error that a server's refusal means. */
export function toReplyError(message: string): unknown {
  return explainReply(new ErrorReply(message));
}

function explainReply(error: unknown): unknown {
  if (isReply(error, STALE)) return new StaleFenceError(error.message.slice(STALE.length + 1));
  if (!(error instanceof Error)) return error;
  const known = REFUSALS.find(([begin]) => error.message.includes(begin));
  return known ? new Error(known[1], { cause: error }) : error;
}
