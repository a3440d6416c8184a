import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { createClient } from 'redis';
import type { Call } from '../../../src/domain/calls/call.ts';
import { shortDigest } from '../../../src/domain/calls/digest.ts';
import { messageId } from '../../../src/domain/threads/message.ts';
import type { ThreadKey } from '../../../src/domain/threads/thread-key.ts';
import { APPROVER, REQUESTER } from '../../support/builders/a-call.ts';
import { createTestDirectory } from '../../support/builders/a-directory.ts';
import { createRecordedTool } from '../../support/builders/recorded-tool.ts';
import { askAll, buildDesk, type TestDesk } from '../../support/desk/build-desk.ts';
import { sayCalls, sayText } from '../../support/servers/mock-model.ts';
import { type Damager, damageRedis, damageSqlite } from '../../support/store/damage.ts';
import { type StoreKind, storeOf } from '../../support/store/open-redis.ts';

/** A desk whose records can be damaged. */
export interface Scene {
  readonly desk: TestDesk;
  readonly tool: ReturnType<typeof createRecordedTool>;
  readonly records: Damager;
  /** The alarms in the log. */
  readonly alarms: object[];
}

/** Opens it on a store. */
export async function sceneOn(t: TestContext, kind: StoreKind): Promise<Scene> {
  const opened = await storeOf(t, kind);
  const tool = createRecordedTool();
  const alarms: object[] = [];
  const desk = await buildDesk(t, {
    gate: askAll(),
    tools: [tool.definition],
    admins: new Set([APPROVER.user]),
    directory: createTestDirectory({ U2: { isAdmin: true } }),
    log: {
      error: (fields: object) => {
        if ('alarm' in fields) alarms.push(fields);
      },
    },
    ...(opened.openStore && { openStore: opened.openStore }),
  });
  opened.stop();
  return { desk, tool, alarms, records: await damagerOf(t, desk, opened.redis?.url) };
}

async function damagerOf(
  t: TestContext,
  { store }: TestDesk,
  url: string | undefined,
): Promise<Damager> {
  if (url === undefined) return damageSqlite(store);
  const client = createClient({ socket: { path: url.slice('unix://'.length) } });
  // Its server may stop first.
  client.on('error', () => {});
  await client.connect();
  t.after(() => client.disconnect());
  return damageRedis(client, 'desk');
}

/** A thread whose agent has asked for calls with these notes. */
export async function waiting({ desk }: Scene, notes: readonly string[]): Promise<readonly Call[]> {
  desk.model.script(() =>
    sayCalls(notes.map((note) => ({ name: 'act', args: JSON.stringify({ note }) }))),
  );
  await desk.send('please act');
  desk.model.script(() => sayText('Done.'));
  const calls = await desk.calls();
  assert.deepEqual(
    calls.map(({ status }) => status),
    notes.map(() => 'pending'),
  );
  return calls;
}

/** Approves as the card would, without waiting for the run. */
export function decide({ desk }: Scene, { id: callId, attempt, digest }: Call) {
  const decision = { kind: 'approve' } as const;
  return desk.desk.decide({
    callId,
    attempt,
    digest: shortDigest(digest),
    by: REQUESTER,
    decision,
  });
}

/** Lets the three checks of damaged records happen. */
export async function pass({ desk }: Scene): Promise<void> {
  for (let looks = 0; looks < 8; looks += 1) {
    await desk.clock.advance(1_000);
    // Writes that nobody waits for are on the disk then too.
    await desk.store.drafts.keep('pass', '', desk.clock.now());
    await desk.rest();
  }
}

/** The records in quarantine, by name. */
export const quarantined = async ({ desk }: Scene) =>
  (await desk.desk.listQuarantined()).map(({ record }) => `${record.kind} ${record.id}`);

/** The audit’s entries of an event. */
export const entries = async ({ desk }: Scene, event: string) =>
  (await desk.store.audit.read(1, 1_000)).filter((entry) => entry.event === event);

/** Delivers a message of the requester that is some seconds old. */
export async function receive(desk: TestDesk, thread: ThreadKey, ts: string, text: string) {
  const [team = '', channel = ''] = thread.split('/');
  const id = messageId({ team, channel, ts });
  const receivedAt = desk.clock.now() - 10_000;
  await desk.desk.receive({ id, thread, author: REQUESTER, ts, text, receivedAt });
  desk.worker.nudge();
}
