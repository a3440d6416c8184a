/** Sequences in which the model once found a bug of the desk, on both stores. */
import { after, before, describe, it } from 'node:test';
import { type LabBackend, sqliteBackend, startRedisBackend } from './lab/lab-backend.ts';
import type { Fault } from './lab/lab-process.ts';
import { act, drain, HOUR_AND_MORE_MS } from './model/actions.ts';
import type { Action } from './model/asks.ts';
import { checkInvariants } from './model/invariants.ts';
import { openSide } from './model/side.ts';

const FIRST = 'T1/C1/1700000000.000100#ai0/c0';
const SECOND = 'T1/C1/1700000000.000100#ai0/c1';

const say = (text: string, by = 'U1'): Action => ({ kind: 'say', thread: 0, by, text });
const approve = (call: string): Action => ({
  kind: 'click',
  call,
  click: 'approve',
  by: 'U1',
  shown: 'newest',
});
const hour: Action = { kind: 'pass', ms: HOUR_AND_MORE_MS };
const thaw: Action = { kind: 'thaw' };

function fault(what: Fault['what'], side: Fault['side'], nth: number, point: string): Fault {
  return { what, side, nth, point };
}

type Step = readonly [Action, Fault?];

const FOUND: Readonly<Record<string, readonly Step[]>> = {
  'a deadline that was put off is looked at again': [
    [say('both')],
    [approve(SECOND), fault('kill', 'before', 1, 'tool.run')],
    [hour],
  ],
  'a worker that stood still leaves no older card behind': [
    [say('pay')],
    [approve(FIRST), fault('freeze', 'before', 1, 'chat.drawCard')],
    [thaw],
  ],
  'a worker that stood still between its claim and the tool does not run it': [
    [say('pay')],
    [approve(FIRST), fault('freeze', 'after', 1, 'ledger.write')],
    [{ kind: 'find', call: FIRST, finding: 'leave', by: 'U1', shown: 'newest' }],
    [thaw],
  ],
  'a worker that stood still says nothing that another one has said': [
    [say('talk'), fault('freeze', 'after', 4, 'agenda.claim')],
    [thaw],
  ],
  'a worker that stood still begins no growing message of a turn that has ended': [
    [say('mixed'), fault('freeze', 'before', 1, 'ledger.write')],
    [hour],
    [thaw],
  ],
  'a message is no answer to a call that is stopped at it: it begins a turn of its own': [
    [say('pay')],
    [{ kind: 'tamper', call: FIRST, to: 'pending' }],
    [say('talk')],
  ],
  'a message that answers two calls answers both, though the process dies in between': [
    [say('two')],
    [say('talk'), fault('kill', 'after', 1, 'ledger.write')],
  ],
  'a claim that was answered too late is made again': [
    [say('mixed'), fault('hang', 'before', 2, 'agenda.claim')],
  ],
  'the end of a run is written, though the store fails at it': [
    [say('pay')],
    [approve(FIRST), fault('fail', 'before', 3, 'ledger.write')],
  ],
};

async function play(backend: LabBackend, steps: readonly Step[]): Promise<void> {
  const side = await openSide(backend);
  try {
    for (const [action, befalls] of steps) {
      await act(side, action, { twice: false, fault: befalls });
    }
    await drain(side);
    await checkInvariants(side);
  } finally {
    await side.world.close();
  }
}

describe('on SQLite and on Redis', () => {
  let redis: Awaited<ReturnType<typeof startRedisBackend>>;
  before(async () => {
    redis = await startRedisBackend();
  });
  after(() => redis.stop());

  for (const [title, steps] of Object.entries(FOUND)) {
    it(title, async () => {
      for (const backend of [sqliteBackend, redis.backend]) await play(backend, steps);
    });
  }
});
