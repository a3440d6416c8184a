/**
 * What must be, as a pure model: threads, messages and calls as the design tells of them, without a
 * store, a graph, workers or leases. It shares no rule with `src/`.
 */
import type { CallStatus } from '../../../src/domain/call.ts';
import type { DecisionOutcome } from '../../../src/domain/decision.ts';
import type { ToolMode } from './lab-tools.ts';
import { type LabToolName, planOf } from './plans.ts';

export const REQUESTERS = ['U1', 'U2'] as const;
export const GUEST = 'U8';

export interface ExpectedCall {
  /** Message of the agent and id within it: the same on every store. */
  readonly key: string;
  readonly thread: number;
  readonly turn: string;
  readonly tool: LabToolName;
  readonly requester: string;
  readonly batch: number;
  attempt: number;
  status: CallStatus;
  /** Whether people are asked: calls that ran unasked are so once nobody knows whether they ran. */
  isAsked: boolean;
  note: string;
  votes: string[];
  outcome: string | undefined;
  isTampered: boolean;
  /** As the store has it, for the order in which calls expire. */
  deadlineAt: number | undefined;
  /** Since when a run goes on; undefined for one whose process is dead. */
  runsSince: number | undefined;
}

export interface ExpectedMessage {
  readonly id: string;
  readonly thread: number;
  readonly author: string;
  readonly text: string;
  state: 'waiting' | 'current' | 'turn' | 'reply' | 'answered';
  isStopped: boolean;
  /** Whether the agent has answered with a last word. */
  hasAnswer: boolean;
}

export type ClickKind = 'approve' | 'edit' | 'reply' | 'ignore';
export type Finding = 'ran' | 'rerun' | 'leave';
type Answer = DecisionOutcome['kind'];

const IDEMPOTENT: ReadonlySet<LabToolName> = new Set(['send', 'look']);
const ENDED: ReadonlySet<CallStatus> = new Set([
  'succeeded',
  'failed',
  'replied',
  'ignored',
  'expired',
  'withdrawn',
  'refused',
]);
const HOUR_MS = 3_600_000;
const TOOL_MS = 60_000;

/** How many times each attempt may have taken effect. */
export interface Bounds {
  min: number;
  max: number;
}

/** Answers whether the design lets somebody decide a call, and whether their approval counts. */
export function mayDecide(call: Pick<ExpectedCall, 'tool' | 'requester'>, user: string): boolean {
  switch (call.tool) {
    case 'guard':
      return user === call.requester || user === 'U2';
    case 'pair':
      return user === 'U2' || user === 'U3';
    default:
      return user === call.requester;
  }
}

/** Answers whether somebody's approval of a call counts. */
export function mayApprove(call: Pick<ExpectedCall, 'tool' | 'requester'>, user: string): boolean {
  if (call.tool === 'guard' && user === call.requester) return false;
  return mayDecide(call, user);
}

/** How many approvals a call of this tool needs. */
export function quorumOf(tool: string): number {
  if (tool === 'look') return 0;
  return tool === 'pair' ? 2 : 1;
}

export class Expectation {
  readonly calls: ExpectedCall[] = [];
  readonly messages: ExpectedMessage[] = [];
  readonly effects = new Map<string, Bounds>();
  now: number;
  isPaused = false;
  mode: ToolMode = 'well';
  /** Runs that were cut off by the end of their process and have not been found yet. */
  private readonly interrupted = new Set<string>();
  private readonly threads = new Map<number, { asked: number; phase: 'model' | 'calls' }>();

  constructor(now: number) {
    this.now = now;
  }

  receive(id: string, thread: number, author: string, text: string): void {
    if (this.messages.some((message) => message.id === id)) return;
    const state = 'waiting';
    this.messages.push({ id, thread, author, text, state, isStopped: false, hasAnswer: false });
  }

  /** Answers a click on the attempt that `isCurrent` tells of. */
  click(call: ExpectedCall, kind: ClickKind, by: string, isCurrent: boolean, note: string): Answer {
    if (by === GUEST) return 'not-allowed';
    if (call.status !== 'pending') return 'already-decided';
    if (!isCurrent) return 'stale';
    if (call.isTampered) return this.breakIntegrity(call);
    const isAllowed = kind === 'approve' ? mayApprove(call, by) : mayDecide(call, by);
    if (!isAllowed) return 'not-allowed';
    if (this.isPaused && (kind === 'approve' || kind === 'edit')) return 'not-allowed';
    return this.decide(call, kind, by, note);
  }

  private decide(call: ExpectedCall, kind: ClickKind, by: string, note: string): Answer {
    switch (kind) {
      case 'approve':
        if (call.votes.includes(by)) return 'already-voted';
        return this.vote(call, by);
      case 'edit':
        call.attempt += 1;
        call.note = note;
        call.votes = [];
        return mayApprove(call, by) ? this.vote(call, by) : 'recorded';
      case 'reply':
        this.end(call, 'replied', 'reply');
        return 'decided';
      case 'ignore':
        this.end(call, 'ignored', 'ignored');
        return 'decided';
    }
  }

  private vote(call: ExpectedCall, by: string): Answer {
    call.votes.push(by);
    if (call.votes.length < quorumOf(call.tool)) return 'recorded';
    call.status = 'approved';
    return 'decided';
  }

  /** Answers what a person says of a call of which nobody knows whether it ran. */
  find(call: ExpectedCall, finding: Finding, by: string, isCurrent: boolean): Answer {
    if (by === GUEST) return 'not-allowed';
    if (finding === 'rerun' && call.status === 'unknown' && this.isPaused) return 'not-allowed';
    if (call.status !== 'unknown') return 'already-decided';
    if (!isCurrent) return 'stale';
    // What ran unasked falls to its requester.
    const isAllowed = call.tool === 'look' ? by === call.requester : mayApprove(call, by);
    if (!isAllowed) return 'not-allowed';
    if (finding !== 'rerun') {
      const ran = finding === 'ran';
      this.end(call, ran ? 'succeeded' : 'failed', ran ? 'result' : 'error');
      return 'decided';
    }
    if (call.isTampered) return this.breakIntegrity(call);
    call.attempt += 1;
    call.votes = [];
    call.outcome = undefined;
    call.status = 'pending';
    call.deadlineAt = this.now + HOUR_MS;
    return this.vote(call, by);
  }

  private breakIntegrity(call: ExpectedCall): Answer {
    this.end(call, 'failed', 'error');
    return 'already-decided';
  }

  stop(
    message: ExpectedMessage,
    by: string,
  ): 'stopped' | 'already-stopped' | 'nothing' | 'not-allowed' {
    const isCurrent = message.state === 'current';
    if (by === GUEST) return 'not-allowed';
    if (!isCurrent) return 'nothing';
    if (message.isStopped) return 'already-stopped';
    message.isStopped = true;
    return 'stopped';
  }

  /** Lets what is held go; runs that nobody works on are not held. */
  release(ends: 'well' | 'badly'): void {
    for (const call of this.calls) {
      if (call.status === 'running' && call.runsSince !== undefined) this.finish(call, ends);
    }
  }

  /** Processes have ended while these attempts ran. */
  interrupt(attempts: Iterable<string>): void {
    for (const attempt of attempts) this.interrupted.add(attempt);
  }

  resume(): void {
    this.isPaused = false;
    for (const call of this.calls) {
      if (call.status === 'running' && call.runsSince === undefined) this.runAgain(call);
    }
  }

  /** Moves the time on, with what falls due in order. */
  advance(ms: number): void {
    const until = this.now + ms;
    for (;;) {
      const next = Math.min(...this.calls.map((call) => this.nextEvent(call)));
      if (next > until) break;
      this.now = Math.max(this.now, next);
      for (const call of this.calls) if (this.nextEvent(call) <= this.now) this.fallDue(call);
      this.settle();
    }
    this.now = until;
  }

  /** Finds what fell due while nobody looked. */
  overdue(): void {
    this.findAllInterrupted();
    for (const call of this.calls) if (this.nextEvent(call) <= this.now) this.fallDue(call);
  }

  private nextEvent(call: ExpectedCall): number {
    if (call.status === 'running' && call.runsSince !== undefined) return call.runsSince + TOOL_MS;
    const waits = call.status === 'pending' || call.status === 'approved';
    const isUntold = call.status === 'unknown' && call.outcome === undefined;
    return waits || isUntold ? (call.deadlineAt ?? Infinity) : Infinity;
  }

  private fallDue(call: ExpectedCall): void {
    if (call.status === 'running') this.end(call, 'failed', 'error');
    else if (call.status === 'unknown') call.outcome = 'unknown';
    else this.end(call, 'expired', 'expired');
  }

  /** Carries everything on as far as it goes without people. */
  settle(): void {
    this.findAllInterrupted();
    let before: string;
    do {
      before = JSON.stringify([this.calls, this.messages]);
      for (const thread of new Set(this.messages.map((message) => message.thread))) {
        this.carryOn(thread);
      }
    } while (before !== JSON.stringify([this.calls, this.messages]));
    this.interrupted.clear();
  }

  private findAllInterrupted(): void {
    for (const call of this.calls) if (call.status === 'running') this.findInterrupted(call);
  }

  private findInterrupted(call: ExpectedCall): void {
    if (!this.interrupted.delete(attemptOf(call))) return;
    if (IDEMPOTENT.has(call.tool)) this.runAgain(call);
    else this.loseTrack(call);
  }

  private runAgain(call: ExpectedCall): void {
    if (this.turnOf(call)?.isStopped) this.end(call, 'failed', 'error');
    else if (this.isPaused) call.runsSince = undefined;
    else this.begin(call);
  }

  private loseTrack(call: ExpectedCall): void {
    call.status = 'unknown';
    call.isAsked = true;
    call.runsSince = undefined;
    call.deadlineAt = this.now + HOUR_MS;
  }

  private turnOf(call: ExpectedCall): ExpectedMessage | undefined {
    return this.messages.find(({ id }) => id === call.turn);
  }

  private carryOn(thread: number): void {
    this.heedWords(thread);
    const message = this.currentOf(thread) ?? this.beginNext(thread);
    if (!message) return;
    this.runApproved(message);
    if (message.isStopped) this.breakOff(message);
    else this.goOn(message);
  }

  private currentOf(thread: number): ExpectedMessage | undefined {
    return this.messages.find((each) => each.thread === thread && each.state === 'current');
  }

  private waitingOf(thread: number): readonly ExpectedMessage[] {
    return this.messages.filter((each) => each.thread === thread && each.state === 'waiting');
  }

  private heedWords(thread: number): void {
    for (const word of this.waitingOf(thread)) {
      if (word.text !== 'stop') continue;
      word.state = 'answered';
      const target = this.currentOf(thread);
      if (target && word.author !== GUEST) target.isStopped = true;
    }
  }

  private beginNext(thread: number): ExpectedMessage | undefined {
    for (const message of this.waitingOf(thread)) {
      if (message.author === GUEST) {
        message.state = 'answered';
        continue;
      }
      message.state = 'current';
      this.threads.set(thread, { asked: 0, phase: 'model' });
      return message;
    }
    return undefined;
  }

  private breakOff(message: ExpectedMessage): void {
    for (const call of this.calls.filter(({ turn }) => turn === message.id)) {
      if (call.status === 'pending' || call.status === 'approved') {
        this.end(call, 'withdrawn', 'withdrawn');
      } else if (call.status === 'unknown') call.outcome ??= 'unknown';
      // The run is cut off by its signal.
      else if (call.status === 'running' && call.runsSince !== undefined) {
        this.end(call, 'failed', 'error');
      }
    }
    const open = this.calls.some((call) => call.turn === message.id && !call.outcome);
    if (!open) message.state = 'turn';
  }

  private goOn(message: ExpectedMessage): void {
    const thread = this.threads.get(message.thread);
    if (!thread) throw new Error('A turn goes on in a thread that never began one.');
    if (thread.phase === 'model') {
      if (!this.isPaused) this.askModel(message, thread);
      return;
    }
    const calls = this.batchOf(message, thread.asked - 1);
    if (calls.some(({ status }) => status === 'ignored')) {
      for (const call of calls) {
        if (call.status === 'pending') this.end(call, 'withdrawn', 'withdrawn');
      }
    }
    const open = calls.filter(({ outcome }) => outcome === undefined);
    if (open.length > 0) return this.hear(message.thread, open);
    const ends = calls.some(({ outcome }) => outcome === 'ignored' || outcome === 'withdrawn');
    if (ends) message.state = 'turn';
    else if (!this.isPaused) thread.phase = 'model';
    if (!ends && !this.isPaused) this.askModel(message, thread);
  }

  private batchOf(message: ExpectedMessage, batch: number): readonly ExpectedCall[] {
    return this.calls.filter((call) => call.turn === message.id && call.batch === batch);
  }

  private askModel(message: ExpectedMessage, thread: { asked: number; phase: string }): void {
    const batch = thread.asked;
    const tools = planOf(message.text)[batch] ?? [];
    thread.asked += 1;
    if (tools.length === 0) {
      message.state = 'turn';
      message.hasAnswer = true;
      return;
    }
    thread.phase = 'calls';
    for (const [index, tool] of tools.entries()) {
      this.calls.push({
        key: `${message.id}#ai${batch}/c${index}`,
        thread: message.thread,
        turn: message.id,
        tool,
        requester: message.author,
        batch,
        attempt: 1,
        status: tool === 'look' ? 'approved' : 'pending',
        isAsked: tool !== 'look',
        note: `${batch}.${index}`,
        votes: [],
        outcome: undefined,
        isTampered: false,
        deadlineAt: tool === 'look' ? undefined : this.now + HOUR_MS,
        runsSince: undefined,
      });
    }
  }

  private runApproved(message: ExpectedMessage): void {
    if (this.isPaused || message.isStopped) return;
    for (const call of this.calls) {
      if (call.turn === message.id && call.status === 'approved') this.run(call);
    }
  }

  private run(call: ExpectedCall): void {
    if (call.isTampered) {
      this.end(call, 'failed', 'error');
      return;
    }
    if (!this.interrupted.delete(attemptOf(call))) return this.begin(call);
    this.bound(call, { min: 0, max: 1 });
    if (IDEMPOTENT.has(call.tool)) this.begin(call);
    else this.loseTrack(call);
  }

  private begin(call: ExpectedCall): void {
    this.bound(call, { min: 1, max: 1 });
    call.status = 'running';
    call.runsSince = this.now;
    if (this.mode !== 'hold') this.finish(call, this.mode);
  }

  private bound(call: ExpectedCall, by: Bounds): void {
    const key = attemptOf(call);
    const known = this.effects.get(key) ?? { min: 0, max: 0 };
    this.effects.set(key, { min: Math.max(known.min, by.min), max: known.max + by.max });
  }

  private finish(call: ExpectedCall, ends: 'well' | 'badly'): void {
    if (ends === 'well') this.end(call, 'succeeded', 'result');
    else this.end(call, 'failed', 'error');
  }

  /** What waiting messages do while calls wait, by their authors. */
  private hear(thread: number, open: readonly ExpectedCall[]): void {
    for (const message of this.waitingOf(thread)) {
      if (message.author === GUEST) message.state = 'answered';
      else if (open.every(({ status }) => status === 'pending')) {
        if (this.hearOne(message, open)) return;
      }
    }
  }

  private hearOne(message: ExpectedMessage, open: readonly ExpectedCall[]): boolean {
    if (message.text === 'ok') {
      message.state = 'answered';
      return false;
    }
    const decidable = open.filter((call) => mayDecide(call, message.author));
    for (const call of decidable) {
      if (call.isTampered) this.breakIntegrity(call);
      else {
        this.end(call, 'replied', 'reply');
        message.state = 'reply';
      }
    }
    if (decidable.length > 0) return true;
    const own = open.filter(({ requester }) => requester === message.author);
    for (const call of own) this.end(call, 'withdrawn', 'withdrawn');
    return own.length > 0;
  }

  private end(call: ExpectedCall, status: CallStatus, outcome: string): void {
    call.status = status;
    call.outcome = outcome;
    call.runsSince = undefined;
  }
}

/** Names an attempt of a call. */
export function attemptOf({
  key,
  attempt,
}: {
  readonly key: string;
  readonly attempt: number;
}): string {
  return `${key}#${attempt}`;
}

/** Answers whether a status is an end. */
export function isEnded(status: CallStatus): boolean {
  return ENDED.has(status);
}
