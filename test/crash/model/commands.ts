/** Commands of fast-check: each runs one action on the real desks of both stores and on their models. */
import fc from 'fast-check';
import type { Fault } from '../lab/lab-process.ts';
import { act, type Circumstances, HOUR_AND_MORE_MS } from './actions.ts';
import type { Action } from './asks.ts';
import type { Expectation } from './expectation.ts';
import type { ExpectedCall } from './expected-call.ts';
import { PLAN_NAMES } from './plans.ts';
import type { Side } from './side.ts';

/** What commands use to find a target. */
export type LabModel = Readonly<Pick<Expectation, 'calls' | 'messages' | 'isPaused' | 'mode'>>;

export type LabCommand = fc.AsyncCommand<LabModel, readonly Side[]>;

/** Finds the target of an action in the model; undefined if there is none. */
type Aim = (model: LabModel) => Action | undefined;

const PEOPLE = ['U1', 'U1', 'U1', 'U2', 'U2', 'U3', 'U8', 'U9'] as const;
const anyone = fc.constantFrom(...PEOPLE);
const thread = fc.constantFrom(0, 0, 0, 1);
const shown = fc.constantFrom('newest', 'newest', 'newest', 'first');
const aCall = fc.nat({ max: 30 });

const STORE_POINTS = [
  'ledger.get',
  'ledger.write',
  'ledger.write',
  'ledger.propose',
  'ledger.markDelivered',
  'saver.put',
  'saver.put',
  'ledger.placeCard',
  'inbox.receive',
  'inbox.begin',
  'inbox.end',
  'history.append',
  'outbox.add',
  'outbox.markSent',
  'agenda.claim',
  'agenda.finish',
  'chat.drawCard',
  'chat.postOutboxMessage',
] as const;

const aFault: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({
    point: fc.constantFrom(...STORE_POINTS),
    nth: fc.integer({ min: 1, max: 4 }),
    side: fc.constantFrom('before', 'after'),
    what: fc.constantFrom('kill', 'kill', 'freeze', 'fail', 'hang'),
  }),
  fc.record({
    point: fc.constant('tool.run'),
    nth: fc.integer({ min: 1, max: 2 }),
    side: fc.constantFrom('before', 'after'),
    what: fc.constantFrom('kill', 'freeze'),
  }),
);

const circumstances: fc.Arbitrary<Circumstances> = fc.record({
  twice: fc.boolean(),
  fault: fc.oneof(
    { weight: 2, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: aFault },
  ),
});

const text = fc.constantFrom(...PLAN_NAMES, ...PLAN_NAMES, 'ok', 'stop');

const aims: readonly { readonly weight: number; readonly arbitrary: fc.Arbitrary<Aim> }[] = [
  {
    weight: 5,
    arbitrary: fc
      .record({ thread, by: anyone, text })
      .map((said) => () => ({ kind: 'say', ...said }) as const),
  },
  {
    weight: 10,
    arbitrary: fc
      .record({
        at: aCall,
        click: fc.constantFrom('approve', 'approve', 'approve', 'edit', 'reply', 'ignore'),
        by: anyone,
        shown,
      })
      .map(
        ({ at, ...rest }) =>
          (model) =>
            pickCall(
              model,
              at,
              ({ status }) => status === 'pending',
              (call) => ({
                kind: 'click',
                call,
                ...rest,
              }),
            ),
      ),
  },
  {
    weight: 3,
    arbitrary: fc
      .record({ at: aCall, finding: fc.constantFrom('ran', 'rerun', 'leave'), by: anyone, shown })
      .map(
        ({ at, ...rest }) =>
          (model) =>
            // Other calls have no such buttons, but a card may be old.
            pickCall(
              model,
              at,
              ({ status }) => status === 'unknown',
              (call) => ({
                kind: 'find',
                call,
                ...rest,
              }),
            ),
      ),
  },
  {
    weight: 1,
    arbitrary: fc.record({ thread, by: anyone }).map(
      ({ by, thread: its }) =>
        (model) =>
          hasCurrent(model, its) ? { kind: 'stop', thread: its, by } : undefined,
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constant((model) => (model.isPaused ? undefined : { kind: 'pause' })),
  },
  {
    weight: 2,
    arbitrary: fc.constant((model) => (model.isPaused ? { kind: 'resume' } : undefined)),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom('well', 'well', 'badly', 'hold', 'hold')
      .map((mode) => (model) => (model.mode === mode ? undefined : { kind: 'mode', mode })),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom('well', 'badly')
      .map((ends) => (model) => (isRunning(model) ? { kind: 'release', ends } : undefined)),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(31_000, 31_000, HOUR_AND_MORE_MS)
      .map((ms) => (model) => (model.calls.length > 0 ? { kind: 'pass', ms } : undefined)),
  },
  {
    weight: 2,
    arbitrary: fc.constant((model) => (model.messages.length > 0 ? { kind: 'crash' } : undefined)),
  },
  {
    weight: 1,
    arbitrary: fc
      .record({ thread, by: anyone })
      .map(
        (said) => (model) =>
          model.messages.length > 0 ? { kind: 'sleep', ms: HOUR_AND_MORE_MS, ...said } : undefined,
      ),
  },
  { weight: 1, arbitrary: fc.constant(() => ({ kind: 'thaw' }) as const) },
  {
    weight: 2,
    arbitrary: fc.constant((model) => (model.calls.length > 0 ? { kind: 'lose' } : undefined)),
  },
  {
    weight: 1,
    arbitrary: fc
      .record({ at: aCall, to: fc.constantFrom('pending', 'approved') })
      .map(({ at, to }) => (model) => {
        const calls = model.calls.filter(({ status }) => status === 'pending');
        const call = calls[at % calls.length];
        return call && { kind: 'tamper', call: call.key, to };
      }),
  },
];

/** Commands that apply somewhere in a sequence. */
export function labCommands(): fc.Arbitrary<LabCommand>[] {
  return aims.flatMap(({ weight, arbitrary }) =>
    Array.from({ length: weight }, () => fc.tuple(arbitrary, circumstances).map(toCommand)),
  );
}

/** Usually a matching call; sometimes another one, since its card may still be there. */
function pickCall(
  model: LabModel,
  at: number,
  fits: (call: ExpectedCall) => boolean,
  action: (key: string) => Action,
): Action | undefined {
  const all = model.calls.filter(({ isAsked }) => isAsked);
  const fitting = all.filter(fits);
  const calls = at % 6 === 0 || fitting.length === 0 ? all : fitting;
  const call = calls[at % calls.length];
  return call && action(call.key);
}

function hasCurrent(model: LabModel, its: number): boolean {
  return model.messages.some((each) => each.thread === its && each.state === 'current');
}

function isRunning(model: LabModel): boolean {
  return model.calls.some(({ status }) => status === 'running');
}

function toCommand([aim, around]: readonly [Aim, Circumstances]): LabCommand {
  let done: Action | undefined;
  return {
    check: (model) => aim(model) !== undefined,
    async run(model, sides) {
      const action = aim(model);
      done = action;
      if (!action) return;
      await Promise.all(sides.map((side) => act(side, action, around)));
    },
    toString: () => {
      const { fault, twice } = around;
      const beside = fault ? ` | ${fault.what} ${fault.side} ${fault.nth}. ${fault.point}` : '';
      return `${JSON.stringify(done ?? 'not done')}${twice ? ' twice' : ''}${beside}`;
    },
  };
}
