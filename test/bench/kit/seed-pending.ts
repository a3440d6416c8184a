import { callEffectsOf } from '../../../src/desk/calls/call-effects.ts';
import type { Call, CardPlace } from '../../../src/domain/calls/call.ts';
import { stepFrom } from '../../../src/domain/calls/transitions.ts';
import type { Person } from '../../../src/domain/people/person.ts';
import { REQUESTER_ROUTE, type Route } from '../../../src/domain/policy/route.ts';
import { advanceTurnKey, expireKey } from '../../../src/domain/ports/agenda.ts';
import type { Clock } from '../../../src/domain/ports/clock.ts';
import type { Store } from '../../../src/domain/ports/store.ts';
import { messageId } from '../../../src/domain/threads/message.ts';
import { threadKey } from '../../../src/domain/threads/thread-key.ts';
import { aCall } from '../../support/builders/a-call.ts';
import { claimOne } from '../../support/builders/claim-one.ts';

const LEASE_MS = 600_000;

/** The place of the card of a seeded call. */
export const SEEDED_CARD: CardPlace = { channel: 'C1', ts: '1700000000.000001' };

/** Stores pending calls with drawn cards, as a desk would: each in a thread whose turn waits for it. */
export async function seedPending(options: {
  readonly store: Store;
  readonly clock: Clock;
  readonly count: number;
  readonly requester: Person;
  readonly route?: Route;
  /** (Default: a place in no workspace.) */
  readonly card?: CardPlace;
}): Promise<readonly Call[]> {
  const { store, clock, requester, route = REQUESTER_ROUTE, card = SEEDED_CARD } = options;
  const calls: Call[] = [];
  for (let i = 0; i < options.count; i += 1) {
    const ts = `${1_500_000_000 + i}.000100`;
    const place = { team: requester.team, channel: card.channel, ts };
    const thread = threadKey(place);
    const turn = messageId(place);
    const now = clock.now();
    const text = 'Please write the note of today.';
    const message = { id: turn, thread, author: requester, ts, text, receivedAt: now };
    await store.inbox.receive(message, { wakes: [{ key: advanceTurnKey(thread), dueAt: 0 }] });
    const lease = await claimOne(store.agenda, now, LEASE_MS);
    if (lease?.key.id !== thread) throw new Error('The store has other work than the seeding.');
    const fence = { thread, token: lease.fence };
    await store.inbox.begin(turn, {}, fence);
    const id = `call_${String(i).padStart(22, '0')}`;
    const {
      route: _route,
      deadlineAt: _deadlineAt,
      ...head
    } = aCall({ id, thread, turn, requester });
    const proposed: Call = {
      ...head,
      revision: 1,
      status: 'proposed',
      createdAt: now,
      updatedAt: now,
    };
    await store.ledger.propose(proposed, {}, fence);
    const deadlineAt = now + route.deadlineMs;
    const step = stepFrom(proposed, 'gate', now, { status: 'pending', route, deadlineAt });
    const { audit } = callEffectsOf(proposed, [step], undefined);
    const wakes = [{ key: expireKey(step.call), dueAt: deadlineAt }];
    await store.ledger.write(proposed, [step], { audit, wakes });
    await store.ledger.placeCard(id, card);
    await store.agenda.finish(lease);
    calls.push(step.call);
  }
  return calls;
}
