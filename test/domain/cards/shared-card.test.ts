import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { CALL_STATUSES, type Call, type CardPlace } from '../../../src/domain/calls/call.ts';
import {
  type CardCalls,
  findCardPosition,
  groupIntoCards,
  mayShareCard,
} from '../../../src/domain/cards/shared-card.ts';
import { REQUESTER_ROUTE } from '../../../src/domain/policy/route.ts';
import { aCall } from '../../support/builders/a-call.ts';

const ROUTES = [
  REQUESTER_ROUTE,
  { ...REQUESTER_ROUTE, quorum: 2 },
  { ...REQUESTER_ROUTE, name: 'ops', channel: 'C9' },
  { ...REQUESTER_ROUTE, name: 'ops', channel: 'C8' },
  undefined,
];

const someCall = fc.record({
  position: fc.integer({ min: 0, max: 44 }),
  status: fc.constantFrom(...CALL_STATUSES),
  route: fc.constantFrom(...ROUTES),
  messageId: fc.constantFrom('ai_1', 'ai_2'),
  pendingSince: fc.integer({ min: 1, max: 4 }),
  outside: fc.constantFrom(
    undefined,
    { by: 'graph' as const, name: 'g' },
    { by: 'key' as const, name: 'k' },
    { by: 'graph' as const, name: 'g', decisions: ['reply' as const] },
  ),
});

/** Calls of one thread, at most one for each position of a message. */
const someCalls: fc.Arbitrary<readonly Call[]> = fc
  .uniqueArray(someCall, {
    selector: (each) => `${each.messageId}/${each.position}`,
    maxLength: 60,
  })
  .map((all) =>
    all.map(({ outside, route, ...each }, at) => {
      const { route: _default, ...call } = aCall({ id: `call_${at}`, siblings: 45, ...each });
      return { ...call, ...(route && { route }), ...(outside && { outside }) };
    }),
  );

const idsOf = (card: CardCalls) => card.map(({ id }) => id);

describe('grouping calls into cards', () => {
  it('shows each call that people were asked about once, and nothing else', () => {
    fc.assert(
      fc.property(someCalls, (calls) => {
        const shown = groupIntoCards(calls).flatMap(idsOf).sort();
        const asked = calls.filter(({ route }) => route).map(({ id }) => id);
        assert.deepEqual(shown, asked.sort());
      }),
    );
  });

  it('mixes no messages, routes, channels or quorums, puts at most 20 calls on a card, and keeps their order', () => {
    fc.assert(
      fc.property(someCalls, (calls) => {
        for (const card of groupIntoCards(calls)) {
          assert.ok(card.length <= 20);
          assert.equal(card.length === 1 || card.every(mayShareCard), true);
          const routes = card.map(({ messageId, route }) => {
            return `${messageId} ${route?.name} ${route?.channel} ${route?.quorum}`;
          });
          assert.equal(new Set(routes).size, 1);
          const positions = card.map(({ position }) => position);
          assert.deepEqual(
            positions,
            [...positions].sort((a, b) => a - b),
          );
        }
      }),
    );
  });

  it('does not depend on the order in which calls are read, or on decisions about other calls', () => {
    fc.assert(
      fc.property(someCalls, fc.constantFrom(...CALL_STATUSES), (calls, status) => {
        const cards = groupIntoCards(calls).map(idsOf);
        assert.deepEqual(
          groupIntoCards([...calls].reverse())
            .flatMap(idsOf)
            .sort(),
          cards.flat().sort(),
        );
        assert.deepEqual(
          groupIntoCards(calls.map((call) => ({ ...call, status }))).map(idsOf),
          cards,
        );
      }),
    );
  });

  it('puts 12 calls of one message on one card, and 21 on two', () => {
    const batch = (size: number) =>
      Array.from({ length: size }, (_, position) =>
        aCall({ id: `call_${position}`, position, siblings: size }),
      );
    assert.deepEqual(
      groupIntoCards(batch(12)).map((card) => card.length),
      [12],
    );
    assert.deepEqual(
      groupIntoCards(batch(21)).map((card) => card.length),
      [20, 1],
    );
  });
});

describe('the message of a card', () => {
  const P: CardPlace = { channel: 'C1', ts: '1' };
  const three = [0, 1, 2].map((position) =>
    aCall({ id: `call_${position}`, position, siblings: 3, pendingSince: 1_000 }),
  );
  const all = new Map(three.map(({ id }) => [id, P]));

  function spots(calls: readonly Call[], places: ReadonlyMap<string, CardPlace>) {
    const cards = groupIntoCards(calls);
    return cards.map((card) => ({ ids: idsOf(card), ...findCardPosition(card, cards, places) }));
  }

  it('belongs to one card only, whatever places are stored', () => {
    const somePlace = fc.constantFrom<CardPlace | undefined>(
      undefined,
      P,
      { ...P, ts: '2' },
      { channel: 'C9', ts: '3' },
    );
    fc.assert(
      fc.property(someCalls, fc.array(somePlace, { minLength: 60, maxLength: 60 }), (calls, at) => {
        const places = new Map(calls.flatMap(({ id }, i) => (at[i] ? [[id, at[i]] as const] : [])));
        const taken = spots(calls, places).flatMap(({ place, left }) => [
          ...(place ? [place] : []),
          ...left,
        ]);
        const names = taken.map(({ channel, ts }) => `${channel}/${ts}`);
        assert.equal(new Set(names).size, names.length);
        const known = new Set(
          [...places]
            .filter(([id]) => calls.some((call) => call.id === id && call.route))
            .map(([, { channel, ts }]) => `${channel}/${ts}`),
        );
        assert.equal(names.length, known.size, 'a message of pending calls was forgotten');
      }),
    );
  });

  it('stays with the remaining calls when one moves to another route in the same channel', () => {
    const route = { ...REQUESTER_ROUTE, name: 'finance' };
    const [first = aCall(), ...stay] = three;
    const moved = { ...first, route, pendingSince: 2_000 };
    const [leaver, keeper] = spots([moved, ...stay], all);
    assert.deepEqual(leaver?.place, undefined);
    assert.deepEqual(leaver?.left, []);
    assert.deepEqual(
      leaver?.keepers.map(({ id }) => id),
      ['call_1'],
    );
    assert.deepEqual(keeper?.place, P);
  });

  it('is left behind only if all of its calls move', () => {
    const route = { ...REQUESTER_ROUTE, name: 'ops', channel: 'C9' };
    const moved = three.map((call) => ({ ...call, route, pendingSince: 2_000 }));
    const [card] = spots(moved, all);
    assert.deepEqual([card?.place, card?.left], [undefined, [P]]);
    const [stays, goes] = spots([...three.slice(0, 2), ...moved.slice(2)], all);
    assert.deepEqual([stays?.place, stays?.left], [P, []]);
    assert.deepEqual([goes?.place, goes?.left], [undefined, []]);
  });

  it('stays where it is once its calls are decided', () => {
    const route = { ...REQUESTER_ROUTE, name: 'ops', channel: 'C9' };
    const over = three.map((call) => ({ ...call, route, status: 'succeeded' as const }));
    assert.deepEqual(spots(over, all)[0]?.place, P);
  });
});
