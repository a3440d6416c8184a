/** What a run leaves behind, on disk: all that the checker knows of it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditEntry } from '../../src/domain/audit/audit.ts';
import type { AuditFault } from '../../src/domain/audit/audit-check.ts';
import type { Call, CardPlace } from '../../src/domain/calls/call.ts';
import type { DecisionKind } from '../../src/domain/policy/route.ts';
import type { DeadLetter } from '../../src/domain/ports/agenda.ts';
import type { SettledTurn } from '../../src/domain/threads/message.ts';
import type { OutboxMessage } from '../../src/domain/threads/outbox-message.ts';

/** When something was seen: its number among all that was seen in the run, and the run's time in ms. */
export interface Moment {
  readonly n: number;
  readonly at: number;
}

/** What a request was answered: `unknown` when its process died first. */
export type Answer = 'ok' | 'fail' | 'unknown';

/** The button that a person pressed: what the card carried. */
export interface Press {
  readonly callId: string;
  readonly attempt: number;
  readonly digest: string;
  readonly by: string;
}

/** What the harness did, and what it was answered; `sentAt` is when it asked, `said` the kind of what came, or the error. */
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
  /** All is quiet: nothing is due within a minute. */
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

/** A line of the tool server: what it was asked to do, and what it did. */
export interface EffectEntry extends Moment {
  readonly kind: 'start' | 'effect';
  /** The idempotency key that came with the request. */
  readonly key: string;
  readonly tool: string;
  /** Canonical JSON. */
  readonly args: string;
}

/** The store as it stood. */
export interface StoreDump extends Moment {
  /** `restart`: after a kill, before the next worker begins; `end`: when all was over. */
  readonly when: 'restart' | 'end';
  readonly calls: readonly Call[];
  readonly places: Readonly<Record<string, CardPlace>>;
  readonly audit: readonly AuditEntry[];
  /** What a look at the whole audit found. */
  readonly auditFault?: AuditFault | undefined;
  /** Settled turns by thread, newest first. */
  readonly turns: Readonly<Record<string, readonly SettledTurn[]>>;
  /** Ids of messages whose turn goes on, or that wait for theirs. */
  readonly open: readonly string[];
  readonly unsaid: readonly OutboxMessage[];
  readonly parked: readonly DeadLetter[];
}

/** Everything that is known of a run, each part in its order. */
export interface RunRecord {
  readonly history: readonly HistoryEntry[];
  readonly slack: readonly SlackEntry[];
  readonly effects: readonly EffectEntry[];
  readonly dumps: readonly StoreDump[];
}

/** The files of a run, one JSON value a line. */
export const RECORD_FILES = {
  history: 'history.jsonl',
  slack: 'slack.jsonl',
  effects: 'effects.jsonl',
  dumps: 'dumps.jsonl',
} as const satisfies Readonly<Record<keyof RunRecord, string>>;

/** Reads what a run left in its folder. */
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
