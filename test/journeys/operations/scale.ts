/** A full store after a restart: the first click is served at once, and Slack is not flooded. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { WebClient } from '@slack/web-api';
import { createSeal } from '../../../src/domain/calls/seal.ts';
import type { Store } from '../../../src/domain/ports/store.ts';
import type { JournalEntry } from '../../../src/playground/workspace/workspace-port.ts';
import { createSystemClock } from '../../../src/process/system-clock.ts';
import { openStore } from '../../../src/stores/open-store.ts';
import { withSealedCalls } from '../../../src/stores/repositories/documents/sealed-ledger.ts';
import { isWhole } from '../../support/sample.ts';
import { sayText } from '../../support/servers/mock-model.ts';
import { type RedisServer, startRedis } from '../../support/store/redis-server.ts';
import { type SeedCall, type SeedThread, seedThreads } from '../../support/store/seed-store.ts';
import { type FieldStage, sayCall, setFieldStage } from '../field-reports/field-stage.ts';

/** The full test run and `npm run bench` use 10,000. */
const PENDING = isWhole ? 10_000 : 500;
const PER_THREAD = 10;
const APPROVED = 200;
const RUNNING = 200;
const DELIVERED = 600;
/** The number of watched calls per channel. */
const WATCHED = 12;
const silent = () => {};
const SILENT = { debug: silent, info: silent, warn: silent, error: silent };

/** Registers the journey for one store. */
export function scaleJourney(store: 'SQLite' | 'Redis'): void {
  describe(`${PENDING} pending calls and 1,000 others on ${store}`, () => {
    let stage: FieldStage;
    let redis: RedisServer | undefined;
    before(async () => {
      if (store === 'Redis') redis = await startRedis();
      stage = await setFieldStage('http', {
        LOG_LEVEL: 'warn',
        ...(redis && { REDIS_URL: redis.url }),
      });
    });
    after(async () => {
      await stage.close();
      await redis?.stop();
    });

    it('over a restart: the first click is served, and only necessary requests are sent, one a second', async (t) => {
      stage.play(sayCall('note', { text: 'the first click' }));
      const place = await stage.ask('requester', 'note it', 'shared');
      const card = await stage.card(place, 'the first click', 'Waiting for a decision');
      const idle = await residentMb(stage.folder);
      await stage.app().stop();
      const seedAt = Date.now();
      await seed();
      t.diagnostic(`seeded in ${Date.now() - seedAt} ms`);
      stage.model.script(() => sayText('It is noted.'));
      const from = stage.workspace.journal.length;

      const startedAt = Date.now();
      await stage.startAgain();
      const upAt = Date.now();
      const ack = await stage.press('requester', card, 'call.approve');
      const ackedAt = Date.now();
      assert.equal(ack.kind, 'acknowledged');
      await stage.card(place, 'the first click', 'Done');
      const doneAt = Date.now();
      await stage.answer(place, 'It is noted.');
      const answeredAt = Date.now();
      const sentSince = () =>
        stage.workspace.journal.slice(from).filter(({ kind }) => kind === 'api');
      await stage.workspace.waitFor(
        () =>
          backlogChannels().every(
            (channel) =>
              sentSince().filter((each) => channelOf(each) === channel).length >= WATCHED,
          ) || undefined,
        { timeoutMs: 40_000, describe: () => stage.app().output().slice(-4_000) },
      );
      const full = await residentMb(stage.folder);
      t.diagnostic(
        `start ${upAt - startedAt} ms, click acknowledged after ${ackedAt - upAt} ms, done after ` +
          `${doneAt - upAt} ms, answered after ${answeredAt - upAt} ms; ${idle} MB idle, ${full} MB full`,
      );

      const sent = sentSince();
      assertNothingNeedless(sent, card.channel);
      for (const channel of backlogChannels()) assertSpaced(sent, channel);
      assert.deepEqual(stage.model.refusals, []);
      // Nothing of the backlog was lost: approved calls ran, and calls that were running are unknown.
      const runs = await stage.runs();
      assert.equal(new Set(runs.map(({ args }) => JSON.stringify(args))).size, runs.length);
      assert.equal(runs.length, APPROVED + 1);
      await stage.app().stop();
      const counted = await withStore(({ ledger }) => ledger.count());
      assert.equal(counted.pending, PENDING);
      assert.equal(counted.unknown, RUNNING);
      assert.equal(counted.succeeded, DELIVERED + APPROVED + 1);
    });

    const backlogChannels = () =>
      ['general', 'ops'].map((name) => stage.workspace.channel(name).id);

    /** Cards that will be rendered again exist in Slack; those of pending calls are not to be changed. */
    async function seed(): Promise<void> {
      const { workspace } = stage;
      const client = new WebClient(workspace.botToken, { slackApiUrl: workspace.apiUrl });
      const channels = backlogChannels();
      const post = async (channel: string, root?: string) => {
        const thread = root === undefined ? {} : { thread_ts: root };
        const { ts = '' } = await client.chat.postMessage({ channel, text: 'a card', ...thread });
        return ts;
      };
      const threads: SeedThread[] = [];
      const add = async (count: number, state: SeedCall['state'], isPosted: boolean) => {
        for (let n = 0; n < count; n += PER_THREAD) {
          const channel = channels[threads.length % channels.length] ?? '';
          const root = isPosted ? await post(channel) : `1700000000.${100_000 + threads.length}`;
          // The calls of a message share a card.
          const ts = isPosted ? await post(channel, root) : `1700000001.${100_000 + n}`;
          const calls = Array.from({ length: PER_THREAD }, () => ({
            state,
            card: { channel, ts },
          }));
          threads.push({ channel, root, calls });
        }
      };
      await add(PENDING, 'pending', false);
      await add(APPROVED, 'approved', true);
      await add(RUNNING, 'running', true);
      await add(DELIVERED, 'succeeded', false);
      const { id: user } = workspace.member('requester');
      const requester = { team: workspace.team.id, user };
      await withStore((opened, inTransaction) =>
        inTransaction(() => seedThreads(opened, requester, threads, Date.now())),
      );
    }

    async function withStore<T>(
      work: (
        store: Store,
        inTransaction: (write: () => Promise<void>) => Promise<void>,
      ) => Promise<T>,
    ): Promise<T> {
      const place = {
        dataDir: join(stage.folder, 'data'),
        workspaceDir: join(stage.folder, 'workspace'),
        ...(redis && { redis: { url: redis.url, prefix: 'countersign' } }),
      };
      const deps = { clock: createSystemClock(), log: SILENT, onWake: silent };
      const opened = await openStore(place, deps);
      const db = 'db' in opened.store.saver ? opened.store.saver.db : undefined;
      /** The seed is written completely or not at all: commits within a transaction write no log of their own. */
      const inTransaction = async (write: () => Promise<void>) => {
        db?.exec('BEGIN IMMEDIATE');
        await write();
        db?.exec('COMMIT');
      };
      try {
        const seal = createSeal(await opened.installationKey.read());
        return await work(
          { ...opened.store, ledger: withSealedCalls(opened.store.ledger, seal) },
          inTransaction,
        );
      } finally {
        await opened.store.close();
      }
    }
  });
}

const channelOf = ({ request }: JournalEntry) => (request as { channel?: string }).channel;

/** A start only asks who the app is; of the backlog, only changed cards are rendered, answers posted and sessions ended. */
function assertNothingNeedless(sent: readonly JournalEntry[], clicked: string): void {
  const START = new Set(['auth.test', 'bots.info', 'users.info', 'team.info']);
  const backlog = sent.filter((each) => channelOf(each) !== clicked && !START.has(each.name));
  const others = backlog.filter(
    (each) => !['chat.update', 'chat.postMessage'].includes(each.name) && !endsSession(each),
  );
  const mine = others.filter(({ request }) => !JSON.stringify(request).includes(clicked));
  assert.deepEqual(
    mine.map(({ name }) => name),
    [],
  );
}

/** A thread that waited for people is set to ready once its turn has ended. */
function endsSession({ name, request }: JournalEntry): boolean {
  return name === 'agents.sessions.setStatus' && JSON.stringify(request).includes('"active"');
}

/** How many writes the app may save up while it is idle, as `createPace` in src/desk allows. */
const BURST = 5;
/** How late (s) a request may arrive. */
const LATE_S = 1;

/** One a second: never more than since the start, since there is no burst to spend, and never more than a burst ahead of the first. */
function assertSpaced(sent: readonly JournalEntry[], channel: string): void {
  const times = sent.filter((each) => channelOf(each) === channel).map(({ at }) => at);
  const secondsSince = (at = 0) => ((times.at(-1) ?? 0) - at) / 1_000;
  // The app asks Slack who it is before its worker starts.
  const [sinceStart, sinceFirst] = [secondsSince(sent[0]?.at), secondsSince(times[0])];
  const most = Math.min(sinceStart + 1, sinceFirst + BURST) + LATE_S;
  const facts = `${sinceFirst} s, ${sinceStart} s after the start`;
  assert.ok(times.length <= most, `${times.length} calls in ${facts}, in ${channel}.`);
}

/** The resident memory of the app with this data folder. */
async function residentMb(folder: string): Promise<number> {
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const read = (name: string) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '');
    const [environment, line] = [await read('environ'), await read('cmdline')];
    if (!environment.includes(`DATA_DIR=${folder}/`) || !line.includes('bin/start.js')) continue;
    const kb = /^VmRSS:\s+(\d+)/m.exec(await read('status'))?.[1];
    if (kb !== undefined && !line.startsWith('npm')) return Math.round(Number(kb) / 1_024);
  }
  return 0;
}
