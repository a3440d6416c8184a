import { CALL_STATUSES, type Call, type CardPlace, isTerminal } from '../../domain/call.ts';
import type { OnDamaged } from '../../domain/damage.ts';
import type { Person } from '../../domain/person.ts';
import type { Group } from '../../domain/route.ts';
import type { Ledger } from '../../domain/store.ts';
import { isEdge } from '../../domain/transitions.ts';
import { assertOwnThread } from '../assert-own-thread.ts';
import { lastStep } from '../last-step.ts';
import {
  readDocument,
  readIntact,
  readPage,
  type StoredCall,
  readCall as toCall,
} from '../read-record.ts';
import { deskScript, onceScript, readScript } from './desk-scripts.ts';
import { encodeEffects } from './encode-effects.ts';
import { readRow, SHOW } from './read-call-row.ts';
import { readList, readMaybe, readText, readTexts } from './read-reply.ts';
import { ASKED, ASKING, MOVE_ASKED, movesOf } from './redis-asked.ts';
import { DECIDED_BY, encodeDecided, NOTE_DECIDED } from './redis-decided.ts';
import type { Reply } from './redis-line.ts';
import type { RedisLink, Script } from './redis-link.ts';
import { TOUCH } from './redis-untouched.ts';

const PROPOSE = deskScript(`${SHOW}
local thread,token,field,id,turn,status=ARGV[1],ARGV[2],ARGV[3],ARGV[4],ARGV[5],ARGV[6]
if token~='' then
  local stale=assertFence(thread,token)
  if stale then return stale end
end
local known=redis.call('HGET',P..':call-keys',field)
if known then return show(known) end
if redis.call('HEXISTS',P..':calls',id)==1 then return show(id) end
local seq=redis.call('INCR',P..':call-seq')
redis.call('HSET',P..':call-keys',field,id)
redis.call('HSET',P..':calls',id,ARGV[7])
redis.call('HSET',P..':call-revisions',id,ARGV[8])
redis.call('ZADD',P..':calls-of:'..thread,seq,id)
redis.call('ZADD',P..':calls-of:'..thread..'|'..turn,seq,id)
redis.call('ZADD',P..':calls-in:'..status,seq,id)
redis.call('HSET',P..':call-seqs',id,seq)
redis.call('ZADD',P..':calls-by:'..ARGV[11],ARGV[12],id)
redis.call('ZADD',P..':open-of:'..ARGV[13],seq,id)
redis.call('ZADD',P..':calls-by-seq',seq,id)
if ARGV[14]~='' then redis.call('ZADD',P..':calls-of-key:'..ARGV[14],seq,id) end
if ARGV[9]=='1' then redis.call('SADD',P..':delivered',id) end
carryOut(ARGV[10])
return show(id)`);

const WRITE = onceScript(`${TOUCH}
local id,before,after=ARGV[1],ARGV[4],ARGV[5]
if redis.call('HGET',P..':call-revisions',id)~=ARGV[2] then return 0 end
redis.call('HSET',P..':calls',id,ARGV[6])
redis.call('HSET',P..':call-revisions',id,ARGV[3])
if before~=after then
  redis.call('ZREM',P..':calls-in:'..before,id)
  redis.call('ZADD',P..':calls-in:'..after,redis.call('HGET',P..':call-seqs',id),id)
  redis.call(after=='pending' and 'SADD' or 'SREM',P..':pending-of:'..ARGV[9],id)
  if ARGV[15]~='' then
    redis.call(after=='pending' and 'SADD' or 'SREM',P..':pending-of-key:'..ARGV[15],id)
  end
end
touch(ARGV[10],ARGV[11])
${MOVE_ASKED}
if ARGV[14]~='' then
  redis.call('ZREM',P..':open-of:'..ARGV[14],id)
  redis.call('ZADD',P..':over-of:'..ARGV[14],redis.call('HGET',P..':call-seqs',id),id)
  if string.sub(ARGV[10],-2)=='/0' then redis.call('ZADD',P..':over-in-channels',ARGV[11],id) end
end
if before=='running' then redis.call('HDEL',P..':reports',id) end
${NOTE_DECIDED}
if ARGV[7]=='1' then redis.call('SADD',P..':delivered',id) end
if ARGV[7]=='0' then redis.call('SREM',P..':delivered',id) end
carryOut(ARGV[8])
return 1`);

const COUNT_PENDING = readScript(`return redis.call('SCARD',P..':pending-of:'..ARGV[1])`);

/** Counts the calls of a key (ARGV[1]) that wait for people. */
export const COUNT_PENDING_OF_KEY = readScript(
  `return redis.call('SCARD',P..':pending-of-key:'..ARGV[1])`,
);

const GET = readScript(`${SHOW} return show(ARGV[1])`);
const OF_THREAD = readScript(
  `${SHOW} return showAll(redis.call('ZRANGE',P..':calls-of:'..ARGV[1],0,-1))`,
);
/** Members with one score are in the order of their ids; that of their creation is restored by the reader. */
const OF_REQUESTER = readScript(`${SHOW}
local out={}
for _,id in ipairs(redis.call('ZRANGEBYSCORE',P..':calls-by:'..ARGV[1],ARGV[2],'+inf')) do
  local shown=show(id)
  out[#out+1]={shown or {id,false,0,'0'},redis.call('HGET',P..':call-seqs',id) or '0'}
end
return out`);
const WITH_STATUS = readScript(
  `${SHOW} return showAll(redis.call('ZRANGE',P..':calls-in:'..ARGV[1],0,-1))`,
  { isBulk: true },
);
const PAGE_OF_STATUS = deskScript(`${SHOW}
local seq=redis.call('HGET',P..':call-seqs',ARGV[2])
return showAll(redis.call('ZRANGEBYSCORE',P..':calls-in:'..ARGV[1],seq and ('('..seq) or '-inf','+inf','LIMIT',0,ARGV[3]))`);

const MADE_BY = readScript(`${SHOW}
local seq=redis.call('HGET',P..':call-seqs',ARGV[2])
return showAll(redis.call('ZREVRANGEBYSCORE',P..':'..ARGV[1],seq and ('('..seq) or '+inf','-inf','LIMIT',0,ARGV[3]))`);

const MARK = deskScript(`
if ARGV[2]~='' then
  local stale=assertFence(ARGV[1],ARGV[2])
  if stale then return stale end
end
for i=3,#ARGV do
  if (ARGV[1]=='' and redis.call('HEXISTS',P..':calls',ARGV[i])==1) or redis.call('ZSCORE',P..':calls-of:'..ARGV[1],ARGV[i]) then
    redis.call('SADD',P..':delivered',ARGV[i])
  end
end
return 1`);

const PLACE = deskScript(`return redis.call('HSET',P..':cards',ARGV[1],ARGV[2])`);
const CARD = readScript(`return redis.call('HGET',P..':cards',ARGV[1])`);

const PLACE_SIDE = deskScript(`
if ARGV[3]=='' then return redis.call('HDEL',P..':sides:'..ARGV[1],ARGV[2]) end
return redis.call('HSET',P..':sides:'..ARGV[1],ARGV[2],ARGV[3])`);
const SIDES = readScript(`return redis.call('HGETALL',P..':sides:'..ARGV[1])`);

const COUNT = readScript(`
local out={}
for _,status in ipairs(ARGV) do out[#out+1]=tostring(redis.call('ZCARD',P..':calls-in:'..status)) end
return out`);

/** Creates the ledger of a desk on Redis. */
export function createRedisLedger(link: RedisLink, desk: string, onDamaged: OnDamaged): Ledger {
  function page(
    at: { readonly after?: string | undefined; readonly limit: number },
    script: Script,
    argsOf: (after: string, limit: string) => readonly string[],
  ): Promise<readonly Call[]> {
    const fetch = async (after: string | undefined, limit: number) =>
      readRows(await link.run(script, desk, argsOf(after ?? '', String(limit))));
    return readPage(at, fetch, toCall, onDamaged);
  }

  return {
    async propose(call, effects, fence) {
      assertOwnThread(call.thread, fence);
      if (!isEdge(null, call.status, 'propose')) {
        throw new Error(`A call can't be proposed as ${call.status}.`);
      }
      const { id, thread, turn, status, messageId, toolCallId } = call;
      const key = JSON.stringify([thread, messageId, toolCallId]);
      const documents = [JSON.stringify(call), String(call.revision), flag(call.delivered)];
      const head = [thread, String(fence?.token ?? ''), key, id, turn, status];
      const index = [
        requesterKey(call.requester, call.tool),
        String(call.createdAt),
        nameOf(call.requester),
        call.outside?.key ?? '',
      ];
      const args = [...head, ...documents, encodeEffects(effects), ...index];
      return toCall(readRow(await link.run(PROPOSE, desk, args)));
    },
    async write(before, steps, effects) {
      const after = lastStep(before, steps);
      // Marking as delivered is apart from the revisions: a step that doesn't speak of it keeps it.
      const delivered = after.delivered === before.delivered ? '' : flag(after.delivered);
      const revisions = [String(before.revision), String(after.revision)];
      const rest = [JSON.stringify(after), delivered, encodeEffects(effects)];
      const touch = [nameOf(before.requester), before.thread, String(after.updatedAt)];
      const ends = isTerminal(after) && !isTerminal(before) ? nameOf(after.requester) : '';
      const index = [
        ...[...touch, ...movesOf(before, after), ends, after.outside?.key ?? ''],
        encodeDecided(before, after),
      ];
      const args = [before.id, ...revisions, before.status, after.status, ...rest, ...index];
      return (await link.run(WRITE, desk, args)) === 1;
    },
    async get(id) {
      const reply = await link.run(GET, desk, [id]);
      return reply === null ? undefined : toCall(readRow(reply));
    },
    async ofThread(thread, turn, damaged) {
      const name = turn === undefined ? thread : `${thread}|${turn}`;
      const rows = readRows(await link.run(OF_THREAD, desk, [name]));
      const calls =
        damaged === 'leave-out' ? readIntact(rows, toCall, onDamaged) : rows.map(toCall);
      return calls.toSorted((a, b) => a.createdAt - b.createdAt || a.position - b.position);
    },
    async markDelivered(ids, fence) {
      await link.run(MARK, desk, [fence?.thread ?? '', String(fence?.token ?? ''), ...ids]);
    },
    async placeCard(callId, { channel, ts }) {
      await link.run(PLACE, desk, [callId, JSON.stringify({ channel, ts })]);
    },
    async cardOf(callId) {
      const text = readMaybe(await link.run(CARD, desk, [callId]));
      return text === undefined
        ? undefined
        : readDocument<CardPlace>(text, { kind: 'place', id: callId });
    },
    async placeSide(callId, side, place) {
      const text = place ? JSON.stringify({ channel: place.channel, ts: place.ts }) : '';
      await link.run(PLACE_SIDE, desk, [callId, side, text]);
    },
    async sidesOf(callId) {
      const texts = readTexts(await link.run(SIDES, desk, [callId]));
      const names = texts.filter((_, at) => at % 2 === 0);
      const read = (at: number) =>
        readDocument<CardPlace>(texts[at * 2 + 1] ?? '', { kind: 'place', id: callId });
      return Object.fromEntries(names.map((name, at) => [name, read(at)]));
    },
    async ofRequester(requester, tool, since) {
      const args = [requesterKey(requester, tool), String(since)];
      const found = readList(await link.run(OF_REQUESTER, desk, args)).map((reply) => {
        const [shown = null, seq] = readList(reply);
        return { seq: Number(readText(seq)), call: toCall(readRow(shown)) };
      });
      found.sort((a, b) => a.call.createdAt - b.call.createdAt || a.seq - b.seq);
      return found.map(({ call }) => call);
    },
    async countPending(requester) {
      return Number(await link.run(COUNT_PENDING, desk, [nameOf(requester)]));
    },
    async countPendingOfKey(key) {
      return Number(await link.run(COUNT_PENDING_OF_KEY, desk, [key]));
    },
    async newest({ key, before, limit }) {
      const name = key === undefined ? 'calls-by-seq' : `calls-of-key:${key}`;
      return await page({ after: before, limit }, MADE_BY, (from, most) => [name, from, most]);
    },
    async askedGroups(team) {
      const all = readTexts(await link.run(ASKED, desk, []));
      const own = all.filter((each) => each.startsWith(`${team}/`));
      const names = own.map((each) => each.slice(team.length + 1));
      return names.filter((each): each is Group => !each.startsWith('user:'));
    },
    async askingAny(team, asked, { after, limit }) {
      const who = asked.map((each) => `${team}/${each}`);
      return await page({ after, limit }, ASKING, (from, most) => [from, most, ...who]);
    },
    async madeBy(requester, { isOver, before, limit }) {
      const key = `${isOver ? 'over' : 'open'}-of:${nameOf(requester)}`;
      return await page({ after: before, limit }, MADE_BY, (from, most) => [key, from, most]);
    },
    async decidedBy(person, { since, before, limit }) {
      const from = [nameOf(person), String(since)];
      return await page({ after: before, limit }, DECIDED_BY, (after, most) => [
        ...from,
        after,
        most,
      ]);
    },
    async withStatus(status, at) {
      if (at) return await page(at, PAGE_OF_STATUS, (from, most) => [status, from, most]);
      return readIntact(readRows(await link.run(WITH_STATUS, desk, [status])), toCall, onDamaged);
    },
    async count() {
      const counts = readTexts(await link.run(COUNT, desk, CALL_STATUSES));
      const found = CALL_STATUSES.map((status, index) => [status, Number(counts[index])] as const);
      return Object.fromEntries(found.filter(([, calls]) => calls > 0));
    },
  };
}

const nameOf = ({ team, user }: Person): string => `${team}/${user}`;

/** Ids of Slack hold no bar. */
const requesterKey = (by: Person, tool: string): string => `${nameOf(by)}|${tool}`;

const flag = (value: boolean): string => (value ? '1' : '0');

function readRows(reply: Reply): readonly StoredCall[] {
  return readList(reply).map(readRow);
}
