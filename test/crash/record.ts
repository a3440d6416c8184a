/** The recorded data of a run, on disk: the only input of the checker. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditEntry } from '../../src/domain/audit/audit.ts';
import type { AuditFault } from '../../src/domain/audit/audit-check.ts';
import type { Call, CardPlace } from '../../src/domain/calls/call.ts';
import type { DecisionKind } from '../../src/domain/policy/route.ts';
import type { DeadLetter } from '../../src/domain/ports/agenda.ts';
import type { SettledTurn } from '../../src/domain/threads/message.ts';
import type { OutboxMessage } from '../../src/domain/threads/outbox-message.ts';

/** When something was seen: its number within the run, and the time of the run in ms. */
export interface Moment {
  readonly n: number;
  readonly at: number;
}

/** The response to a request: `unknown` if its process died first. */
export type Answer = 'ok' | 'fail' | 'unknown';

/** The button that a person pressed, with the value on the card. */
export interface Press {
  readonly callId: string;
  readonly attempt: number;
  readonly digest: string;
  readonly by: string;
}

/** An action of the harness and its response; `sentAt` is when it was sent, `said` the kind of the response, or the error. */
export type Deed =
  | {
      readonly op: 'message';
      readonly id: string;
      readonly thread: string;
      readonly text: string;
      readonly by: string;
      readonly sentAt: number;
      readonly answer: Answer;
      readonly said?: string;
    }
  | (Press & {
      readonly op: 'decide';
      readonly kind: DecisionKind;
      readonly sentAt: number;
      readonly answer: Answer;
      readonly said?: string;
    })
  | (Press & {
      readonly op: 'settle';
      readonly finding: 'ran' | 'rerun' | 'leave';
      readonly sentAt: number;
      readonly answer: Answer;
      readonly said?: string;
    })
  | { readonly op: 'start' }
  | { readonly op: 'kill'; readonly point: string }
  /** All is idle: nothing is due within a minute. */
  | { readonly op: 'healed'; readonly tookMs: number }
  | { readonly op: 'stuck'; readonly why: string };

export type HistoryEntry = Moment & Deed;

/** A button of a card, as a person sees it. */
export interface ShownButton {
  readonly action: string;
  readonly value: string;
}

/** What happened in the simulated Slack. */
export type SlackEvent =
  | {
      readonly op: 'card';
      readonly how: 'post' | 'update';
      readonly ts: string;
      readonly callId: string;
      readonly tool: string;
      readonly attempt: number;
      readonly digest: string;
      readonly args: string;
      /** All text of the card. */
      readonly text: string;
      readonly buttons: readonly ShownButton[];
    }
  | {
      readonly op: 'say';
      readonly ts: string;
      readonly sayId: string;
      readonly kind: OutboxMessage['kind'];
      readonly thread: string;
      readonly text: string;
    }
  | { readonly op: 'live'; readonly ts: string; readonly thread: string }
  | { readonly op: 'clear'; readonly ts: string };

export type SlackEntry = Moment & SlackEvent;

/** A line of the tool server: a request, and its effect. */
export interface EffectEntry extends Moment {
  readonly kind: 'start' | 'effect';
  /** The idempotency key of the request. */
  readonly key: string;
  readonly tool: string;
  /** Canonical JSON. */
  readonly args: string;
}

/** The content of the store. */
export interface StoreDump extends Moment {
  /** `restart`: after a kill, before the next worker starts; `end`: at the end of the run. */
  readonly when: 'restart' | 'end';
  readonly calls: readonly Call[];
  readonly places: Readonly<Record<string, CardPlace>>;
  readonly audit: readonly AuditEntry[];
  /** The result of a verification of the whole audit. */
  readonly auditFault?: AuditFault | undefined;
  /** Settled turns by thread, newest first. */
  readonly turns: Readonly<Record<string, readonly SettledTurn[]>>;
  /** Ids of messages whose turn is open, or that wait for theirs. */
  readonly open: readonly string[];
  readonly unsaid: readonly OutboxMessage[];
  readonly parked: readonly DeadLetter[];
}

/** All data of a run, each part in order. */
export interface RunRecord {
  readonly history: readonly HistoryEntry[];
  readonly slack: readonly SlackEntry[];
  readonly effects: readonly EffectEntry[];
  readonly dumps: readonly StoreDump[];
}

/** The files of a run, one JSON value per line. */
export const RECORD_FILES = {
  history: 'history.jsonl',
  slack: 'slack.jsonl',
  effects: 'effects.jsonl',
  dumps: 'dumps.jsonl',
} as const satisfies Readonly<Record<keyof RunRecord, string>>;

/** Reads the folder of a run. */
export function readRecord(dir: string): RunRecord {
  return {
    history: readLines<HistoryEntry>(join(dir, RECORD_FILES.history)),
    slack: readLines<SlackEntry>(join(dir, RECORD_FILES.slack)),
    effects: readLines<EffectEntry>(join(dir, RECORD_FILES.effects)),
    dumps: readLines<StoreDump>(join(dir, RECORD_FILES.dumps)),
  };
}

function readLines<T>(path: string): readonly T[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as T);
}
