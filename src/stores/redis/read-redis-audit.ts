import type { Log } from '../../domain/log.ts';
import { StoreUnavailableError } from '../../domain/store.ts';
import {
  type AuditSource,
  NoAuditError,
  PAGE,
  readAuditCalls,
  readAuditLine,
} from '../audit-source.ts';
import { readScript } from './desk-scripts.ts';
import { NEWEST_DESK } from './desk-version.ts';
import { readList, readMaybe, readText, readTexts } from './read-reply.ts';
import { createRedisLine } from './redis-line.ts';
import { createRedisLink, type RedisLink } from './redis-link.ts';

const VERSION = readScript(`return redis.call('GET',P..':version')`);
const NEWEST = readScript(`return redis.call('HGET',P..':audit-head','seq') or '0'`);
const CALLS = readScript(`return redis.call('HMGET',P..':calls',unpack(ARGV))`, { isBulk: true });
const KEY = readScript(`return redis.call('GET',P..':installation-key')`);
/** Places are counted from the first entry that ever was, so that a removal meanwhile moves none of them. */
const PAGE_AT = readScript(
  `
local removed=tonumber(redis.call('HGET',P..':audit-head','removed') or '0')
local from=math.max(tonumber(ARGV[1])-removed,0)
return {tostring(from+removed),redis.call('LRANGE',P..':audit',from,from+tonumber(ARGV[2])-1)}`,
  { isBulk: true },
);

/** Opens the audit of a desk on Redis, without writing anything; rejects with a `NoAuditError` that says why it can't. */
export async function readRedisAudit(
  { url, prefix }: { readonly url: string; readonly prefix: string },
  log: Log,
): Promise<AuditSource> {
  const line = createRedisLine(url, log);
  const link = createRedisLink(line);
  const desk = `${prefix}:{desk}`;
  try {
    await line.open().catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      throw new NoAuditError(
        `The Redis of REDIS_URL can't be reached: ${why}. Check the address, the password, and that Redis runs.`,
        { cause: error },
      );
    });
    await assertDesk(link, desk, prefix);
  } catch (error) {
    await line.close();
    throw explained(error);
  }

  return {
    async *pages() {
      for (let at = 0; ; ) {
        const [from, texts] = readList(await ask(link.run(PAGE_AT, desk, [String(at), `${PAGE}`])));
        const first = Number(readText(from));
        const found = readTexts(texts ?? null);
        if (found.length === 0) return;
        yield found.map((text, i) => readAuditLine(first + i + 1, () => JSON.parse(text)));
        at = first + found.length;
      }
    },
    async callsOf(ids) {
      if (ids.length === 0) return new Map();
      const documents = readList(await ask(link.run(CALLS, desk, ids)));
      return readAuditCalls(ids.map((id, i) => [id, readMaybe(documents[i]) ?? '']));
    },
    newest: async () => Number(readText(await ask(link.run(NEWEST, desk, [])))),
    async key() {
      const hex = readMaybe(await ask(link.run(KEY, desk, [])));
      return hex === undefined ? undefined : Buffer.from(hex, 'hex');
    },
    keyPlace: `${desk}:installation-key in Redis`,
    close: () => line.close(),
  };
}

async function assertDesk(link: RedisLink, desk: string, prefix: string): Promise<void> {
  const version = readMaybe(await link.run(VERSION, desk, []));
  if (version === undefined) {
    throw new NoAuditError(
      `There is no audit: this Redis has nothing under the prefix “${prefix}”. Check REDIS_URL and REDIS_PREFIX.`,
    );
  }
  if (Number(version) > NEWEST_DESK) {
    throw new NoAuditError(
      `The data in Redis was written by a newer Countersign: its version is ${version}, and this one knows up to ${NEWEST_DESK}. Read it with the newer Countersign.`,
    );
  }
}

async function ask<T>(reply: Promise<T>): Promise<T> {
  try {
    return await reply;
  } catch (error) {
    throw explained(error);
  }
}

function explained(error: unknown): unknown {
  if (!(error instanceof StoreUnavailableError)) return error;
  return new NoAuditError(error.message, { cause: error });
}
