/** Ways to break the record of a healthy run. */
import assert from 'node:assert/strict';
import type { Call } from '../../../src/domain/calls/call.ts';
import type { Person } from '../../../src/domain/people/person.ts';
import type { RunRecord } from '../record.ts';
import { type Draft, decide, drawCard, seal } from './healthy-run.ts';

/** Changes the stored call. */
export function setCall(draft: Draft, patch: Partial<Call>): undefined {
  draft.call = { ...draft.call, ...patch };
}

/** Changes the stored place of the card. */
export function setPlace(draft: Draft, ts: string): undefined {
  draft.place = { channel: 'C1', ts };
}

/** Adds to a part of the record. */
export function add<T>(to: T[], what: T): undefined {
  to.push(what);
}

/** Removes from a part of the record. */
export function cut(from: unknown[], start: number, count = from.length): undefined {
  from.splice(start, count);
}

/** Adds a press by a person, with its response. */
export function press(draft: Draft, by: Person, said: string): undefined {
  decide(draft, by, 3_600, said);
}

/** Posts the card again. */
export function repeatCard(draft: Draft): undefined {
  drawCard(draft, 'post', 3_600);
}

/** Adds an effect like the existing one. */
export function effect(draft: Draft, patch: Partial<Draft['effects'][number]>): undefined {
  const last = draft.effects.at(-1);
  assert.ok(last);
  draft.effects.push({ ...last, ...patch });
}

/** Removes the audit entries of an event. */
export function drop(draft: Draft, event: string): undefined {
  const rest = draft.audit.filter((entry) => entry.event !== event);
  assert.notEqual(rest.length, draft.audit.length);
  draft.audit.splice(0, draft.audit.length, ...rest);
}

/** Changes the audit entry of an event. */
export function change(
  draft: Draft,
  event: string,
  patch: Partial<Draft['audit'][number]>,
): undefined {
  const index = draft.audit.findIndex((entry) => entry.event === event);
  const entry = draft.audit[index];
  assert.ok(entry);
  draft.audit[index] = { ...entry, ...patch };
}

/** Removes messages of the turn. */
export function changeTurn(
  draft: Draft,
  keeps: (message: Draft['turns'][number]['messages'][number]) => boolean,
): undefined {
  const [turn] = draft.turns.splice(0);
  assert.ok(turn);
  draft.turns.push({ ...turn, messages: turn.messages.filter(keeps) });
}

/** Settles the turn twice. */
export function repeatTurn(draft: Draft): undefined {
  draft.turns.push(...draft.turns);
}

/** Answers the last decision twice. */
export function repeatDecision(draft: Draft): undefined {
  const last = draft.deeds.findLast(({ op }) => op === 'decide');
  assert.ok(last);
  draft.deeds.push(last);
}

/** Posts all messages twice. */
export function repeatWords(draft: Draft): undefined {
  draft.slack.push(...draft.slack.filter(({ op }) => op === 'say'));
}

/** An audit entry was changed without the app, and the verification found it. */
export function breakAudit(draft: Draft): RunRecord {
  const record = seal(draft);
  const [end] = record.dumps;
  assert.ok(end);
  return { ...record, dumps: [{ ...end, auditFault: { kind: 'changed', seq: 2 } }] };
}
