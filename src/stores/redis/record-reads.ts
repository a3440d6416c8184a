/** Reads of records, lists and counts on Redis; those of one event-loop turn share a command. */
import {
  type FoundRecord,
  MAX_PAGE_SIZE,
  type Records,
  SORTS_LAST,
  type StoredRecord,
} from '../records.ts';
import { parseReplyList, parseTextList } from './connection/parse-reply.ts';
import type { Reply } from './connection/redis-connection.ts';
import type { Script, ScriptRunner } from './connection/script-runner.ts';
import { READ_FEW, READ_MANY } from './record-read-scripts.ts';

/** Creates the reads of the records under a prefix. */
export function createRecordReads(
  link: ScriptRunner,
  prefix: string,
): Pick<Records, 'get' | 'range' | 'count'> {
  const reads = createReads(link, prefix);
  return {
    async get(keys) {
      const found: StoredRecord[] = [];
      for (let from = 0; from < keys.length; from += MAX_PAGE_SIZE) {
        const some = keys.slice(from, from + MAX_PAGE_SIZE);
        const texts = await reads.ask(['G', String(some.length), ...some], some.length);
        found.push(...some.map((key, i) => toRecord(key, texts[i])));
      }
      return found;
    },
    async range({ after, isBackwards, limit, partition, prefix = '' }) {
      const most = Math.min(limit, MAX_PAGE_SIZE);
      if (most <= 0) return [];
      const from = after === undefined ? undefined : `(${after}`;
      const [start, end] = prefix === '' ? ['-', '+'] : [`(${prefix}`, `(${prefix}${SORTS_LAST}`];
      const order = isBackwards
        ? ['ZREVRANGEBYLEX', from ?? end, start]
        : ['ZRANGEBYLEX', from ?? start, end];
      const [command = '', ...ends] = order;
      const asked = ['R', partition, command, ...ends, String(most)];
      const reply = await reads.ask(asked, most);
      const [ats, texts] = [parseTextList(reply[0] ?? null), parseReplyList(reply[1] ?? null)];
      return ats.map((at, i): FoundRecord => {
        return { at, ...toRecord(at.slice(at.indexOf(' ') + 1), texts[i]) };
      });
    },
    async count(partitions) {
      if (partitions.length === 0) return [];
      const asked = ['C', String(partitions.length), ...partitions];
      return (await reads.ask(asked, partitions.length)).map(Number);
    },
  };
}

/** A longer command would block the server's other clients. */
const MAX_AT_ONCE = 16;
/** Larger reads get a longer timeout. */
const MANY = 50;

interface Question {
  readonly asked: readonly string[];
  readonly most: number;
  readonly resolve: (reply: readonly Reply[]) => void;
  readonly reject: (error: unknown) => void;
}

/** Batches all reads of one event-loop turn into one command. */
function createReads(link: ScriptRunner, prefix: string) {
  let waiting: Question[] = [];

  async function send(questions: readonly Question[], script: Script): Promise<void> {
    try {
      const args = questions.flatMap(({ asked }) => asked);
      const replies = parseReplyList(await link.run(script, prefix, args));
      for (const [i, { resolve }] of questions.entries())
        resolve(parseReplyList(replies[i] ?? null));
    } catch (error) {
      for (const { reject } of questions) reject(error);
    }
  }

  /** Long reads are sent separately: they have a longer timeout and must not delay short ones. */
  function flush(): void {
    const all = waiting;
    waiting = [];
    for (const isLong of [false, true]) {
      const some = all.filter(({ most }) => most > MANY === isLong);
      for (let at = 0; at < some.length; at += MAX_AT_ONCE) {
        void send(some.slice(at, at + MAX_AT_ONCE), isLong ? READ_MANY : READ_FEW);
      }
    }
  }

  return {
    ask(asked: readonly string[], most: number): Promise<readonly Reply[]> {
      return new Promise((resolve, reject) => {
        waiting.push({ asked, most, resolve, reject });
        // After already settled promises, whose reads belong to the same batch.
        if (waiting.length === 1) process.nextTick(flush);
      });
    },
  };
}

/** Reads a record from a reply; missing ones have revision 0. */
export function toRecord(key: string, reply: Reply | undefined): StoredRecord {
  if (typeof reply !== 'string' || reply === '') return { key, revision: 0, document: '' };
  const space = reply.indexOf(' ');
  return { key, revision: Number(reply.slice(0, space)), document: reply.slice(space + 1) };
}
