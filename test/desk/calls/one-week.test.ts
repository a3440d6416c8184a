/** A week of calls on several routes, with restarts and outages: people get exactly the expected messages, once each. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Call } from '../../../src/domain/calls/call.ts';
import { REQUESTER_ROUTE, type Route } from '../../../src/domain/policy/route.ts';
import type { OutboxMessage } from '../../../src/domain/threads/outbox-message.ts';
import { type ThreadKey, threadKey } from '../../../src/domain/threads/thread-key.ts';
import { REQUESTER } from '../../support/builders/a-call.ts';
import { createTestDirectory } from '../../support/builders/a-directory.ts';
import { createRecordedTool } from '../../support/builders/recorded-tool.ts';
import { buildDesk, type TestDesk } from '../../support/desk/build-desk.ts';
import { inTurn, isWhole } from '../../support/sample.ts';
import { sayCalls, sayText } from '../../support/servers/mock-model.ts';
import { type StoreKind, storeOf } from '../../support/store/open-redis.ts';
import {
  DAY,
  expect,
  type Heard,
  HOUR,
  MINUTE,
  type Outage,
  type WeekCall,
  type WeekRoute,
} from './one-week-model.ts';

const LEAD: WeekRoute = {
  name: 'lead',
  people: ['U3'],
  groups: [],
  quorum: 1,
  deadline: 6 * HOUR,
  remind: HOUR,
};
const OPS: WeekRoute = {
  name: 'ops',
  people: ['U2'],
  groups: ['usergroup:S1'],
  quorum: 1,
  deadline: 9 * HOUR,
  remind: 30 * MINUTE,
  escalate: { after: 2 * HOUR, to: LEAD },
};
const NIGHT: WeekRoute = {
  name: 'night',
  people: ['U4', 'U2'],
  groups: [],
  quorum: 2,
  deadline: 20 * HOUR,
  remind: 3 * HOUR,
  escalate: { after: 12 * HOUR, to: OPS },
};
const SLOW: WeekRoute = {
  name: 'slow',
  people: ['U2', 'U3'],
  groups: [],
  quorum: 2,
  deadline: 2 * DAY,
  remind: 12 * HOUR,
};
const QUIET: WeekRoute = {
  name: 'quiet',
  people: ['U1'],
  groups: [],
  quorum: 1,
  deadline: 4 * HOUR,
};
const ROUTES = [OPS, NIGHT, SLOW, QUIET];
const DECIDERS = ['U1', 'U2', 'U3', 'U4'];
const CALLS = isWhole ? 30 : 15;

/** Pseudorandom numbers below 1, the same in each run (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Calls of five days, decisions on most of them, and short outages. All times are whole minutes, and no two are equal. */
function schedule(seed: number): { calls: readonly WeekCall[]; outages: readonly Outage[] } {
  const random = numbers(seed);
  const below = (n: number) => Math.floor(random() * n);
  const anyOf = <T>(all: readonly T[]): T => {
    const one = all[below(all.length)];
    assert.ok(one !== undefined);
    return one;
  };
  const outages = [1, 2, 4, 5].map((day) => {
    const from = day * DAY + below(20) * HOUR + 7_000;
    return { from, to: from + (10 + below(15)) * MINUTE };
  });
  const isUp = (at: number) => !outages.some(({ from, to }) => at >= from - 1 && at <= to + 1);
  const calls: WeekCall[] = [];
  while (calls.length < CALLS) {
    const at = below(5 * 24 * 60) * MINUTE + 1_000 * (calls.length % 5);
    const route = anyOf(ROUTES);
    const deeds = Array.from({ length: 1 + below(4) }, () => ({
      after: below(5 * 60) * MINUTE + 11_000 + below(9) * 1_000,
      by: anyOf(below(4) === 0 ? DECIDERS : route.people),
      what: below(4) === 0 ? ('ignore' as const) : ('approve' as const),
    }));
    const times = [at, ...deeds.map(({ after }) => at + after)];
    if (!times.every(isUp)) continue;
    deeds.sort((a, b) => a.after - b.after);
    const again = below(3) === 0 ? { again: (5 + below(600)) * MINUTE + 29_000 } : {};
    calls.push({ at, route, deeds, ...again });
  }
  return { calls, outages };
}

function toRoute({ escalate, remind, ...route }: WeekRoute): Route {
  return {
    ...REQUESTER_ROUTE,
    name: route.name,
    approvers: [
      ...route.people.map((user) => `user:${user}` as const),
      ...(route.groups as Route['approvers']),
    ],
    quorum: route.quorum,
    selfApproval: true,
    deadlineMs: route.deadline,
    ...(remind && { remindAfterMs: remind }),
    ...(escalate && { escalate: { afterMs: escalate.after, to: toRoute(escalate.to) } }),
  };
}

/** Runs a week on a desk. */
async function play(t: TestContext, kind: StoreKind, seed: number) {
  const { calls, outages } = schedule(seed);
  const opened = await storeOf(t, kind);
  const directory = createTestDirectory();
  directory.setGroup('usergroup:S1', ['U8'], { handle: 'ops' });
  const tool = createRecordedTool();
  const routes = new Map(ROUTES.map((route) => [route.name, toRoute(route)]));
  const desk = await buildDesk(t, {
    tools: [tool.definition],
    directory,
    gate: ({ args }) => {
      const route = routes.get((args as { note: string }).note);
      assert.ok(route);
      return { kind: 'ask', route };
    },
    ...(opened.openStore && { openStore: opened.openStore }),
  });
  opened.stop();
  desk.model.script(({ messages }) => {
    const asked = messages.map(({ content }) => /route (\w+)/.exec(String(content))?.[1]);
    const note = asked.findLast((name) => name !== undefined) ?? '';
    return messages.at(-1)?.role === 'user'
      ? sayCalls([{ name: 'act', args: JSON.stringify({ note }) }])
      : sayText('As you say.');
  });
  const start = desk.clock.now();
  let { worker } = desk;

  async function rest(): Promise<void> {
    worker.nudge();
    await worker.idle();
  }

  /** Runs every task at its due time. */
  async function advanceTo(at: number): Promise<void> {
    for (;;) {
      await rest();
      const dueAt = await desk.store.agenda.nextDueAt();
      if (dueAt === undefined || dueAt > at) break;
      await desk.clock.advance(dueAt - desk.clock.now());
    }
    await desk.clock.advance(at - desk.clock.now());
    await rest();
  }

  const threads: ThreadKey[] = calls.map((_call, i) =>
    threadKey({ team: 'T1', channel: `C${i}`, ts: `17000000${10 + i}.000100` }),
  );
  const newest = async (i: number): Promise<Call | undefined> =>
    (await desk.store.ledger.ofThread(threads[i] as ThreadKey)).at(-1);

  async function ask({ route }: WeekCall, i: number): Promise<void> {
    const thread = threads[i] as ThreadKey;
    const [team, channel, ts = ''] = thread.split('/');
    const text = `Please act on the route ${route.name}.`;
    const message = { id: `${team}/${channel}/${ts}`, thread, author: REQUESTER, ts, text };
    await desk.desk.receive({ ...message, receivedAt: desk.clock.now() });
  }

  const deeds: { at: number; act(): Promise<unknown> }[] = calls.flatMap((call, i) => [
    { at: call.at, act: () => ask(call, i) },
    ...call.deeds.map(({ after, by, what }) => ({
      at: call.at + after,
      act: async () => {
        const found = await newest(i);
        if (found) await desk.decide(found, { team: 'T1', user: by }, { kind: what });
      },
    })),
    ...clicksOf(call, i),
  ]);

  /** People ask again from the card that they see; the model of the week says when. */
  function clicksOf(call: WeekCall, i: number) {
    const again = expect(call, outages).heard.find(({ what }) => what === 'again');
    if (!again) return [];
    const act = async () => {
      const found = await newest(i);
      assert.equal(found?.status, 'expired');
      await desk.desk.askAgain({ callId: found.id, by: REQUESTER });
    };
    return [{ at: again.at, act }];
  }

  const stops = [
    ...outages.map(({ from, to }) => ({ at: from, to })),
    ...[0.3, 1.6, 3.1, 4.4, 6.2].map((day) => ({ at: day * DAY + 3_000, to: undefined })),
  ].map(({ at, to }) => ({
    at,
    act: async () => {
      worker = await desk.restart(async () => {
        if (to !== undefined) await desk.clock.advance(to - at);
      });
    },
  }));
  for (const { at, act } of [...deeds, ...stops].sort((a, b) => a.at - b.at)) {
    await advanceTo(start + at);
    await act();
  }
  for (let dueAt: number | undefined = start; dueAt !== undefined; ) {
    await advanceTo(dueAt);
    dueAt = await desk.store.agenda.nextDueAt();
  }
  return { desk, tool, calls, outages, threads, start };
}

const WHAT: Readonly<Record<string, Heard['what']>> = {
  reminder: 'reminder',
  escalation: 'escalation',
  again: 'again',
};

/** The messages of a thread, in the form of the model of the week. */
function messagesIn({ chat }: TestDesk, thread: ThreadKey, start: number): readonly Heard[] {
  // A text written over a reminder is not a new message.
  const said = chat.said.filter((say) => say.thread === thread && !say.replaces);
  return said.map((say) => toHeard(say, start));
}

function toHeard({ createdAt, id, kind, mentions }: OutboxMessage, start: number): Heard {
  const what = kind === 'answer' ? 'answer' : WHAT[id.split(':')[0] ?? ''];
  assert.ok(what, `${id} is not among what is said`);
  const people = mentions?.people.map(({ user }) => user) ?? [];
  return { at: createdAt - start, what, calls: [...people, ...(mentions?.groups ?? [])] };
}

for (const kind of inTurn(['SQLite', 'Redis'] as const)) {
  describe(`a week on ${kind}`, () => {
    it('has exactly the reminders, escalations, ends and answers that its routes specify, once each', async (t) => {
      const { calls, desk, outages, start, threads, tool } = await play(t, kind, 20_260_105);
      const kinds = new Set<string>();
      const ends: string[] = [];
      for (const [i, call] of calls.entries()) {
        const thread = threads[i] as ThreadKey;
        const expected = expect(call, outages);
        const about = `call ${i} on ${call.route.name}`;
        assert.deepEqual(messagesIn(desk, thread, start), expected.heard, about);
        const found = await desk.store.ledger.ofThread(thread);
        assert.deepEqual(
          found.map(({ status }) => status),
          expected.statuses,
          about,
        );
        for (const { id } of found) assert.equal(desk.chat.posts.get(id), 1, about);
        for (const { what } of expected.heard) kinds.add(what);
        ends.push(...expected.statuses);
      }
      const countOf = (end: string) => ends.filter((each) => each === end).length;
      assert.equal(tool.runs.length, countOf('succeeded'));
      // The week proves nothing if one kind never occurred.
      assert.deepEqual([...kinds].sort(), ['again', 'answer', 'escalation', 'reminder']);
      const counts = ['succeeded', 'ignored', 'expired'].map(countOf);
      assert.ok(Math.min(...counts) >= 3, counts.join());
      assert.equal(await desk.store.agenda.nextDueAt(), undefined);
    });
  });
}
