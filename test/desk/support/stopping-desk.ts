import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Call } from '../../../src/domain/calls/call.ts';
import type { Person } from '../../../src/domain/people/person.ts';
import { type InboxMessage, messageId } from '../../../src/domain/threads/message.ts';
import { placeOf, threadKey } from '../../../src/domain/threads/thread-key.ts';
import { REQUESTER, THREAD } from '../../support/builders/a-call.ts';
import { createTestDirectory } from '../../support/builders/a-directory.ts';
import { createRecordedTool } from '../../support/builders/recorded-tool.ts';
import { askAll, buildDesk, type TestDesk } from '../../support/desk/build-desk.ts';
import { sayCalls, sayText } from '../../support/servers/mock-model.ts';

/** The approver of the tests is an admin, and one person is a guest. */
export const directory = createTestDirectory({
  U2: { isAdmin: true },
  U5: { standing: 'guest' },
});
export const GUEST: Person = { team: 'T1', user: 'U5' };

/** Builds a desk with one tool that asks. */
export async function deskWith(
  t: TestContext,
  options: { stalled?: boolean; idempotent?: boolean } = {},
) {
  const tool = createRecordedTool({ idempotent: options.idempotent ?? false });
  const stalled = options.stalled ?? false;
  const desk = await buildDesk(t, {
    gate: askAll(),
    tools: [tool.definition],
    directory,
    stalled,
  });
  return { desk, tool };
}

/** A desk whose agent waits for decisions on calls with these notes. */
export async function waitingDesk(
  t: TestContext,
  notes: readonly string[],
  options: { stalled?: boolean; idempotent?: boolean } = {},
) {
  const { desk, tool } = await deskWith(t, options);
  desk.model.script(() =>
    sayCalls(
      notes.map((note) => ({ name: 'act', args: JSON.stringify({ note }) })),
      'I act.',
    ),
  );
  await desk.send('please act');
  desk.model.script(() => sayText('As you say.'));
  return { desk, tool };
}

/** Makes a message of the requester, at a place of the test workspace. */
export function aMessage(text: string, place: { channel?: string; ts: string; thread?: string }) {
  const { channel = 'C1', ts, thread: threadTs } = place;
  const message: InboxMessage = {
    id: messageId({ team: 'T1', channel, ts }),
    thread: threadKey({ team: 'T1', channel, ts, threadTs }),
    author: REQUESTER,
    ts,
    text,
    receivedAt: 1_700_000_000_000,
  };
  return message;
}

export const ROOT = placeOf(THREAD).root;
/** The statuses of the calls in the test thread. */
export const statuses = async (desk: TestDesk) => (await desk.calls()).map(({ status }) => status);
/** The first turn of the test thread. */
export const turn = messageId({ team: 'T1', channel: 'C1', ts: ROOT });

/** The thread’s first call. */
export async function onlyCall(desk: TestDesk): Promise<Call> {
  const [call] = await desk.calls();
  assert.ok(call);
  return call;
}

/** Asserts that the turn ended without the model, and that the next message works. */
export async function assertStopped(desk: TestDesk, by: Person, asked: number): Promise<void> {
  assert.equal(await desk.store.inbox.current(THREAD), undefined);
  assert.deepEqual(await desk.store.inbox.waiting(THREAD), []);
  assert.equal(desk.model.requests.length, asked);
  const notices = desk.chat.said.filter(({ kind }) => kind === 'notice').map(({ text }) => text);
  assert.deepEqual(notices, [`${by.user} stopped this.`]);
  const [settled] = await desk.store.history.newest(THREAD, 1, 0);
  assert.equal(settled?.id, turn);
  desk.model.script(() => sayText('Here again.'));
  await desk.send('hello?');
  assert.equal(desk.chat.said.at(-1)?.text, 'Here again.');
  assert.deepEqual(desk.model.refusals, []);
  const prompt = JSON.stringify(desk.model.requests.at(-1)?.messages);
  assert.match(prompt, /please act.*A person stopped me here.*hello\?/);
}

/** Who stopped turns, from the audit. */
export async function stopEntries(desk: TestDesk) {
  const entries = await desk.store.audit.read(1, 1_000);
  return entries.filter(({ event }) => event === 'turn.stop').map(({ actor }) => actor);
}
