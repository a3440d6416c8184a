/** The people of a run: they look at Slack, and do the next planned act for what they see. */
import type { DecisionCommand, SettleCommand } from '../../../src/domain/calls/decision.ts';
import type { Person } from '../../../src/domain/people/person.ts';
import type { DecisionKind } from '../../../src/domain/policy/route.ts';
import { type InboxMessage, messageId } from '../../../src/domain/threads/message.ts';
import { threadKey } from '../../../src/domain/threads/thread-key.ts';
import type { Command } from '../lean/protocol.ts';
import type { Press } from '../record.ts';
import { type OutsideWorld, pressOf, type ShownCard } from './outside-world.ts';
import type { RunPlan } from './plan-run.ts';

/** One act; it is done `times` times at once. */
export interface Act {
  readonly id: string;
  readonly command: Extract<Command, { op: 'receive' | 'decide' | 'settle' }>;
  readonly times: number;
}

export interface People {
  /** Undefined if nothing is left to do. */
  next(): Act | undefined;
  /** Records an answered act, which is not repeated. Unanswered acts are. */
  answered(act: Act): void;
}

const TEAM = 'T1';
const ROOT = '1700000000.000100';
const [REQUESTER, APPROVER, SECOND, OUTSIDER] = ['U1', 'U2', 'U3', 'U9'] as const;

/** Creates the people of a run; `now` is the time of the run. */
export function createPeople(plan: RunPlan, world: OutsideWorld, now: () => number): People {
  const done = new Set<string>();
  /** Who has approved an attempt, including the editor of one. */
  const voted = new Set<string>();

  function write(what: (typeof MESSAGES)[number], text: string, times = 1): Act | undefined {
    if (done.has(what)) return undefined;
    return { id: what, command: writeMessage(what, text, now()), times };
  }

  function decide(card: ShownCard, kind: DecisionKind, by: string, times = 1): Act | undefined {
    const press = pressOf(card, `call.${kind}`, by);
    const id = press && `${kind} ${keyOf(press)} ${by}`;
    if (!press || !id || done.has(id)) return undefined;
    const command: DecisionCommand = {
      ...tokenOf(press),
      by: personOf(by),
      decision: decisionOf(kind, card),
    };
    return { id, command: { op: 'decide', command }, times };
  }

  /** Presses that must change nothing. */
  function pressWithoutEffect(card: ShownCard): Act | undefined {
    const inVain = decide(card, 'approve', OUTSIDER);
    return inVain ?? (isForOthers(card) ? decide(card, 'approve', REQUESTER) : undefined);
  }

  function decideNext(card: ShownCard): Act | undefined {
    const press = pressOf(card, 'call.approve', APPROVER);
    if (!press) return undefined;
    const mark = markOf(card);
    const kind = press.attempt === 1 ? (plan.decisions[mark] ?? 'approve') : 'approve';
    const times = plan.pressesTwice ? 2 : 1;
    if (kind === 'reply' && plan.repliesByMessage) return write('reply', 'Do it another way.');
    const by = isForOthers(card) ? APPROVER : REQUESTER;
    if (kind !== 'approve') return decide(card, kind, by, times);
    const voters = isForOthers(card) ? [APPROVER, SECOND] : [REQUESTER];
    const next = voters.find((voter) => !voted.has(`${keyOf(press)} ${voter}`));
    return next && decide(card, 'approve', next, times);
  }

  function settleNext(card: ShownCard): Act | undefined {
    const by = isForOthers(card) ? APPROVER : REQUESTER;
    const finding = world.hasRun(card.callId) ? 'ran' : plan.finding;
    const press = pressOf(card, `call.settle-${finding}`, by);
    const id = press && `${finding} ${keyOf(press)} ${by}`;
    if (!press || !id || done.has(id)) return undefined;
    const command: SettleCommand = { ...tokenOf(press), by: personOf(by), finding };
    return { id, command: { op: 'settle', command }, times: plan.pressesTwice ? 2 : 1 };
  }

  function actOnCards(): Act | undefined {
    const cards = [...world.cards()].sort((a, b) => rank(a) - rank(b));
    for (const card of cards) {
      const act = pressWithoutEffect(card) ?? decideNext(card) ?? settleNext(card);
      if (act) return act;
    }
    return undefined;
  }

  function rank(card: ShownCard): number {
    return plan.first.includes(markOf(card)) ? 0 : 1;
  }

  return {
    next() {
      const first = write('first', plan.text, plan.repeatsMessages ? 2 : 1);
      if (first) return first;
      const isPending = world.cards().some((card) => pressOf(card, 'call.approve', APPROVER));
      const yes = plan.saysYes && isPending ? write('yes', 'yes') : undefined;
      const act = yes ?? actOnCards();
      return act ?? (plan.goesOn ? write('again', 'What now?') : undefined);
    },
    answered({ id, command }) {
      done.add(id);
      if (command.op === 'receive') return;
      const { callId, attempt, by } = command.command;
      const makes = isNewAttempt(command) ? attempt + 1 : attempt;
      if (!id.startsWith('approve') || by.user !== OUTSIDER) {
        voted.add(`${callId}.${makes} ${by.user}`);
      }
    },
  };
}

const MESSAGES = ['first', 'yes', 'reply', 'again'] as const;

/** Creates the message of the requester that starts the thread of a run. */
export function requestTurn(text: string, now: number): Extract<Command, { op: 'receive' }> {
  return writeMessage('first', text, now);
}

function writeMessage(
  what: (typeof MESSAGES)[number],
  text: string,
  now: number,
): Extract<Command, { op: 'receive' }> {
  const place = { team: TEAM, channel: 'C1' };
  const ts = `${ROOT.slice(0, -1)}${MESSAGES.indexOf(what)}`;
  const message: InboxMessage = {
    id: messageId({ ...place, ts }),
    thread: threadKey({ ...place, ts, threadTs: ROOT }),
    author: personOf(REQUESTER),
    ts,
    text,
    receivedAt: now,
  };
  return { op: 'receive', message };
}

function isNewAttempt(command: Exclude<Act['command'], { op: 'receive' }>): boolean {
  return command.op === 'decide'
    ? command.command.decision.kind === 'edit'
    : command.command.finding === 'rerun';
}

function decisionOf(kind: DecisionKind, card: ShownCard): DecisionCommand['decision'] {
  switch (kind) {
    case 'approve':
    case 'ignore':
      return { kind };
    case 'edit':
      return { kind, args: { mark: markOf(card), text: 'as edited' } };
    case 'reply':
      return { kind, text: 'Not like this.' };
  }
}

function personOf(user: string): Person {
  return { team: TEAM, user };
}

function keyOf({ callId, attempt }: Press): string {
  return `${callId}.${attempt}`;
}

function tokenOf({ callId, attempt, digest }: Press) {
  return { callId, attempt, digest };
}

function markOf(card: ShownCard): string {
  return (JSON.parse(card.args) as { mark: string }).mark;
}

function isForOthers(card: ShownCard): boolean {
  return card.tool === 'pay';
}
