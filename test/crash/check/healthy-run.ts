/** A healthy run, written by hand: one call, requested, approved by two people, run, returned and shown. */

import { callEffectsOf } from '../../../src/desk/calls/call-effects.ts';
import type { AuditDraft, AuditEntry } from '../../../src/domain/audit/audit.ts';
import type { Call, CardPlace } from '../../../src/domain/calls/call.ts';
import { shortDigest } from '../../../src/domain/calls/digest.ts';
import type { Step } from '../../../src/domain/calls/transitions.ts';
import type { Person } from '../../../src/domain/people/person.ts';
import { NO_GROUPS } from '../../../src/domain/rules/decision-permission.ts';
import { ruleDecision } from '../../../src/domain/rules/decision-rules.ts';
import {
  type KnownApprovers,
  recordRunEnd,
  ruleClaim,
  ruleGateAnswer,
} from '../../../src/domain/rules/execution-rules.ts';
import type { SettledTurn } from '../../../src/domain/threads/message.ts';
import type { OutboxMessage } from '../../../src/domain/threads/outbox-message.ts';
import { STATUS_LABELS } from '../../../src/slack/text/status-labels.ts';
import { APPROVER, aCall, REQUESTER, SECOND_APPROVER } from '../../support/builders/a-call.ts';
import { runGate } from '../lean/policy.ts';
import type {
  Deed,
  EffectEntry,
  HistoryEntry,
  RunRecord,
  SlackEntry,
  SlackEvent,
  StoreDump,
} from '../record.ts';

/** A record that can still be changed; the audit is chained when the record is sealed. */
export interface Draft {
  readonly deeds: (Deed & { at: number })[];
  readonly slack: (SlackEvent & { at: number })[];
  readonly effects: {
    kind: EffectEntry['kind'];
    key: string;
    tool: string;
    args: string;
    at: number;
  }[];
  readonly audit: AuditDraft[];
  call: Call;
  readonly turns: SettledTurn[];
  readonly open: string[];
  readonly unsaid: OutboxMessage[];
  place: CardPlace;
  readonly parked: StoreDump['parked'][number][];
}

const VOTERS: KnownApprovers = {
  memberships: new Map([APPROVER, SECOND_APPROVER].map(({ user }) => [user, 'member'])),
  groups: NO_GROUPS,
};
const ARGS = '{"mark":"main","text":"pay them"}';

/** Writes the run. */
export function healthyRun(): Draft {
  const proposed = aCall({
    tool: 'pay',
    args: ARGS,
    proposedArgs: ARGS,
    status: 'proposed',
    revision: 1,
    delivered: true,
  });
  const { route: _r, deadlineAt: _d, ...bare } = proposed;
  const { id, turn, thread } = bare;
  const draft: Draft = {
    deeds: [
      {
        op: 'message',
        id: turn,
        thread,
        text: 'pay',
        by: 'T1/U1',
        sentAt: 900,
        answer: 'ok',
        said: 'new',
        at: 950,
      },
    ],
    slack: [],
    effects: [],
    audit: [
      { at: 940, event: 'message.receive', subject: turn, actor: 'T1/U1', detail: { thread } },
      {
        at: 1_000,
        event: 'call.propose',
        subject: id,
        actor: 'countersign',
        detail: { tool: 'pay' },
      },
    ],
    call: bare,
    turns: [],
    open: [],
    unsaid: [],
    place: { channel: 'C1', ts: '1.1' },
    parked: [],
  };

  take(draft, ruleGateAnswer(bare, runGate(factsOf()) as never, 1_000));
  drawCard(draft, 'post', 1_010);
  decide(draft, APPROVER, 2_000, 'recorded');
  decide(draft, SECOND_APPROVER, 3_000, 'decided');
  const gate = runGate(factsOf());
  const parsed = { ok: true, value: {}, canonical: ARGS } as const;
  take(draft, ruleClaim(draft.call, { now: 3_100, fence: 7, gate, parsed, voters: VOTERS }));
  const run = { key: `${id}.1`, tool: 'pay', args: ARGS };
  draft.effects.push({ kind: 'start', ...run, at: 3_200 }, { kind: 'effect', ...run, at: 3_201 });
  take(draft, recordRunEnd(draft.call, { kind: 'result', text: 'paid' }, 3_300));
  drawCard(draft, 'update', 3_310);
  draft.turns.push(turnOf(draft.call));
  draft.slack.push({
    op: 'say',
    ts: '1.2',
    sayId: `${turn}#ai_2`,
    kind: 'answer',
    thread,
    text: 'Paid.',
    at: 3_400,
  });
  draft.deeds.push({ op: 'healed', tookMs: 20, at: 3_500 });
  return draft;

  function factsOf() {
    const thread = aCall().thread;
    return {
      tool: 'pay',
      args: {},
      risk: 'medium',
      requester: REQUESTER,
      channel: 'C1',
      thread,
    } as const;
  }
}

/** Adds a step of the call, with its audit entry. */
function take(draft: Draft, step: Step, by?: Person): void {
  draft.audit.push(...callEffectsOf(draft.call, [step], by).audit);
  draft.call = step.call;
}

/** Draws the card of the current call. */
export function drawCard(draft: Draft, how: 'post' | 'update', at: number): void {
  const { id: callId, tool, attempt, digest, args, status } = draft.call;
  const buttons = status === 'pending' || status === 'unknown' ? [{ action: 'a', value: 'v' }] : [];
  const card = { callId, tool, attempt, digest: shortDigest(digest), args, buttons };
  const { ts } = draft.place;
  draft.slack.push({ op: 'card', how, ts, ...card, text: STATUS_LABELS[status], at });
}

/** Adds an approval by a person, with the response. */
export function decide(draft: Draft, by: Person, at: number, said: string): void {
  const { id: callId, attempt, digest } = draft.call;
  const press = { callId, attempt, digest: shortDigest(digest) };
  const command = { ...press, by, decision: { kind: 'approve' } } as const;
  const ruling = ruleDecision(
    draft.call,
    command,
    at,
    { kind: 'allowed', approves: true },
    undefined,
  );
  if (ruling.kind === 'steps') for (const step of ruling.steps) take(draft, step, by);
  const name = `${by.team}/${by.user}`;
  draft.deeds.push({
    op: 'decide',
    ...press,
    by: name,
    kind: 'approve',
    sentAt: at,
    answer: 'ok',
    said,
    at,
  });
}

function turnOf({ turn: id, messageId, toolCallId: callId, requester: author }: Call): SettledTurn {
  const call = { id: callId, tool: 'pay', args: ARGS };
  return {
    id,
    settledAt: 3_350,
    messages: [
      { role: 'user', id, text: 'pay', author, at: 900 },
      { role: 'assistant', id: messageId, text: '', calls: [call] },
      {
        role: 'tool',
        id: `${messageId}/${callId}`,
        callId,
        tool: 'pay',
        text: 'paid',
        status: 'ok',
      },
      { role: 'assistant', id: 'ai_2', text: 'Paid.', calls: [] },
    ],
  };
}

/** Makes the record of a draft: one dump at the end, after the given dumps of restarts. */
export function seal(draft: Draft, restarts: readonly StoreDump[] = []): RunRecord {
  const { call, place, open, unsaid, parked } = draft;
  const number = <T extends { at: number }>(entry: T, index: number) => ({
    n: index + 1,
    ...entry,
  });
  const end = dumpOf(draft, 'end', [call]);
  return {
    history: draft.deeds.map(number) as HistoryEntry[],
    slack: draft.slack.map(number) as SlackEntry[],
    effects: draft.effects.map(number),
    dumps: [...restarts, { ...end, places: { [call.id]: place }, open, unsaid, parked }],
  };
}

/** Dumps the current store of a draft. */
export function dumpOf(draft: Draft, when: StoreDump['when'], calls: readonly Call[]): StoreDump {
  const turns = { [draft.call.thread]: [...draft.turns] };
  const rest = { places: {}, open: [], unsaid: [], parked: [] };
  return { n: 1, at: 4_000, when, calls, audit: chain(draft.audit), turns, ...rest };
}

function chain(drafts: readonly AuditDraft[]): readonly AuditEntry[] {
  return drafts.map((draft, index) => ({ ...draft, seq: index + 1, mark: `mark${index + 1}` }));
}
