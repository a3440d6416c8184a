import { ruleRecovery } from '../../../src/domain/rules/execution-rules.ts';
import { REQUESTER } from '../../support/builders/a-call.ts';
import type { RunRecord } from '../record.ts';
import {
  add,
  breakAudit,
  change,
  changeTurn,
  cut,
  drop,
  effect,
  press,
  repeatCard,
  repeatDecision,
  repeatTurn,
  repeatWords,
  setCall,
  setPlace,
} from './break-run.ts';
import type { Invariant } from './finding.ts';
import { type Draft, dumpOf, seal } from './healthy-run.ts';

/** A change of a healthy run, and the expected counter-example. */
export type Violation = readonly [
  Invariant,
  string,
  RegExp,
  (draft: Draft) => RunRecord | undefined,
];

const OTHER_ARGS = '{"mark":"main","text":"pay me"}';

/** Each invariant, broken in every possible way. */
export const VIOLATIONS: readonly Violation[] = [
  ['I1', 'an effect without a call', /no such call/, (draft) => effect(draft, { key: 'call_x.1' })],
  ['I1', 'an effect before the claim', /not claimed/, (draft) => effect(draft, { at: 1_500 })],
  [
    'I1',
    'a claim without an approval',
    /not approved before its claim/,
    (draft) => drop(draft, 'call.approve'),
  ],
  ['I1', 'one approval where two are needed', /1 of 2 people/, (draft) => drop(draft, 'call.vote')],
  [
    'I1',
    'an approval by the requester',
    /1 of 2 people/,
    (draft) => change(draft, 'call.vote', { actor: 'T1/U1' }),
  ],
  [
    'I1',
    'the same person twice',
    /1 of 2 people/,
    (draft) => change(draft, 'call.vote', { actor: 'T1/U3' }),
  ],
  [
    'I1',
    'a claim past the deadline',
    /past its deadline/,
    (draft) => change(draft, 'call.gate', { at: -1e9 }),
  ],
  [
    'I1',
    'an effect of another tool',
    /the call is of pay/,
    (draft) => effect(draft, { tool: 'tag' }),
  ],
  ['I2', 'two effects', /had 2 effects/, (draft) => effect(draft, {})],
  [
    'I2',
    'two starts of a call that may not run again',
    /started twice/,
    (draft) => effect(draft, { kind: 'start' }),
  ],
  ['I3', 'a lost message', /in the audit 0 times/, (draft) => drop(draft, 'message.receive')],
  ['I3', 'a message without a turn or a reply', /nothing became/, (draft) => cut(draft.turns, 0)],
  ['I3', 'a message that became two turns', /two turns/, repeatTurn],
  [
    'I3',
    'a call without its result',
    /has 0 answers/,
    (draft) => changeTurn(draft, ({ role }) => role !== 'tool'),
  ],
  [
    'I3',
    'a call that is not in the ledger',
    /not in the ledger/,
    (draft) => setCall(draft, { toolCallId: 'other' }),
  ],
  [
    'I4',
    'a decision that is not in the audit',
    /no such decision/,
    (draft) => change(draft, 'call.vote', { actor: 'T1/U4' }),
  ],
  ['I4', 'a decision that nobody made', /they did not/, (draft) => cut(draft.deeds, 1, 1)],
  ['I4', 'one decision with two responses', /no such decision/, repeatDecision],
  [
    'I4',
    'a refusal that is not in the audit',
    /no such refusal/,
    (draft) => press(draft, { team: 'T1', user: 'U9' }, 'not-allowed'),
  ],
  [
    'I4',
    'an unjustified response',
    /no press of the run deserves/,
    (draft) => press(draft, REQUESTER, 'not-found'),
  ],
  [
    'I5',
    'an edge that is not in the table',
    /no edge finish from running to ignored/,
    (draft) =>
      change(draft, 'call.finish', { detail: { from: 'running', to: 'ignored', attempt: 1 } }),
  ],
  ['I5', 'a skipped edge', /leaves from approved/, (draft) => drop(draft, 'call.approve')],
  [
    'I5',
    'an attempt number that grows without cause',
    /makes attempt 2/,
    (draft) =>
      change(draft, 'call.claim', { detail: { from: 'approved', to: 'running', attempt: 2 } }),
  ],
  [
    'I5',
    'a final status that changes',
    /was over/,
    (draft) => {
      const before = { ...draft.call, outcome: { kind: 'result', text: 'not paid' } } as const;
      return seal(draft, [dumpOf(draft, 'restart', [before])]);
    },
  ],
  [
    'I5',
    'a lost call',
    /and is gone/,
    (draft) => seal(draft, [dumpOf(draft, 'restart', [{ ...draft.call, id: 'call_y' }])]),
  ],
  [
    'I6',
    'arguments that differ from the card',
    /the card showed/,
    (draft) => effect(draft, { args: OTHER_ARGS }),
  ],
  [
    'I6',
    'a digest that does not match the stored call',
    /not its own/,
    (draft) => setCall(draft, { args: OTHER_ARGS }),
  ],
  [
    'I6',
    'a claim of another digest',
    /claim of .* has digest/,
    (draft) =>
      change(draft, 'call.claim', {
        detail: { from: 'approved', to: 'running', attempt: 1, digest: '0123456789' },
      }),
  ],
  ['I7', 'a second card', /has 2 cards/, repeatCard],
  ['I7', 'a stale card', /the card of .* says/, (draft) => cut(draft.slack, 1, 1)],
  ['I7', 'a call without a card', /has no card/, (draft) => cut(draft.slack, 0, 2)],
  [
    'I7',
    'a closed card with buttons',
    /has 1 buttons/,
    (draft) => {
      const last = draft.slack.findLast((entry) => entry.op === 'card');
      if (last?.op === 'card')
        draft.slack.push({ ...last, buttons: [{ action: 'a', value: 'v' }] });
      return undefined;
    },
  ],
  [
    'I7',
    'a card in another place than the stored one',
    /the store says 9\.9/,
    (draft) => setPlace(draft, '9.9'),
  ],
  ['I7', 'an answer that was posted twice', /was said 2 times/, repeatWords],
  ['I7', 'an answer that was not posted', /was not said/, (draft) => cut(draft.slack, 2, 1)],
  [
    'I7',
    'an unsent message',
    /was never said/,
    (draft) =>
      add(draft.unsaid, {
        id: 'left',
        thread: draft.call.thread,
        kind: 'notice',
        text: '',
        createdAt: 0,
      }),
  ],
  ['I9', 'an entry that was changed', /entry 2 is changed/, breakAudit],
  [
    'I9',
    'an audit that lost its end',
    /was there before/,
    (draft) => {
      const restart = dumpOf(draft, 'restart', []);
      draft.audit.pop();
      return seal(draft, [restart]);
    },
  ],
  ['I9', 'an edge without its entry', /is at revision/, (draft) => drop(draft, 'call.vote')],
  [
    'I10',
    'a slow recovery',
    /took 60001 ms/,
    (draft) => add(draft.deeds, { op: 'healed', tookMs: 60_001, at: 9_000 }),
  ],
  [
    'I10',
    'a run that is stuck',
    /is stuck: silence/,
    (draft) => add(draft.deeds, { op: 'stuck', why: 'silence', at: 9_000 }),
  ],
  ['I10', 'a message that still waits', /still waits/, (draft) => add(draft.open, 'T1/C1/9')],
  [
    'I10',
    'a call that is still open',
    /is still running/,
    (draft) => setCall(draft, { status: 'running' }),
  ],
  [
    'I10',
    'an outcome that the agent was not told',
    /was not told/,
    (draft) => setCall(draft, { delivered: false }),
  ],
  [
    'I10',
    'a dead letter',
    /was given up/,
    (draft) => add(draft.parked, { key: { task: 'pump', id: 'T1/C1/1' }, reason: 'no', at: 1 }),
  ],
  [
    'I10',
    'a turn that failed',
    /failed with nothing broken/,
    (draft) => change(draft, 'message.receive', { event: 'turn.failed' }),
  ],
  [
    'I10',
    'a request that failed',
    /message failed with nothing broken/,
    (draft) => {
      const [message] = draft.deeds;
      if (message?.op === 'message') draft.deeds.push({ ...message, answer: 'fail', said: 'no' });
      return undefined;
    },
  ],
  [
    'unknown',
    'a call that was killed during its run, and is not unknown',
    /killed 1 times amid a run, and became unknown 0 times/,
    (draft) => {
      const running = { ...draft.call, status: 'running', outcome: undefined } as never;
      return seal(draft, [dumpOf(draft, 'restart', [running])]);
    },
  ],
  [
    'unknown',
    'a call that is unknown though it was not killed',
    /killed 0 times amid a run, and became unknown 1 times/,
    (draft) => {
      const { outcome: _, ...call } = draft.call;
      const running = { ...call, status: 'running' } as const;
      const { cause, call: after } = ruleRecovery(running, 5_000, 9);
      draft.audit.push({
        at: 5_000,
        event: `call.${cause}`,
        subject: after.id,
        actor: 'countersign',
        detail: { from: 'running', to: after.status, attempt: 1 },
      });
      return undefined;
    },
  ],
];
