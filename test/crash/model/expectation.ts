/**
 * The expected state, as a pure model: threads, messages and calls as the design defines them, without a
 * store, a graph, workers or leases. It shares no rule with `src/`.
 */

import type { ToolMode } from '../lab/lab-tools.ts';
import {
  attemptOf,
  type Bounds,
  type ExpectedCall,
  type ExpectedMessage,
  endCall,
  GUEST,
  HOUR_MS,
  IDEMPOTENT,
  nextEventOf,
} from './expected-call.ts';
import { hear } from './expected-words.ts';
import { planOf } from './plans.ts';

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

  /** Releases held runs; runs without a worker are not held. */
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

  /** Advances the time, with everything due in order. */
  advance(ms: number): void {
    const until = this.now + ms;
    for (;;) {
      const next = Math.min(...this.calls.map((call) => nextEventOf(call)));
      if (next > until) break;
      this.now = Math.max(this.now, next);
      for (const call of this.calls) if (nextEventOf(call) <= this.now) this.fallDue(call);
      this.settle();
    }
    this.now = until;
  }

  /** Finds what fell due while no worker ran. */
  overdue(): void {
    this.findAllInterrupted();
    for (const call of this.calls) if (nextEventOf(call) <= this.now) this.fallDue(call);
  }

  private fallDue(call: ExpectedCall): void {
    if (call.status === 'running') endCall(call, 'failed', 'error');
    else if (call.status === 'unknown') call.outcome = 'unknown';
    else endCall(call, 'expired', 'expired');
  }

  /** Advances everything as far as possible without people. */
  settle(): void {
    this.findAllInterrupted();
    let before: string;
    do {
      before = JSON.stringify([this.calls, this.messages]);
      for (const thread of new Set(this.messages.map((message) => message.thread))) {
        this.carryOn(thread);
      }
      this.runLate();
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
    if (this.turnOf(call)?.isStopped) endCall(call, 'failed', 'error');
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
        endCall(call, 'withdrawn', 'withdrawn');
      } else if (call.status === 'unknown') call.outcome ??= 'unknown';
      // The run is cut off by its signal.
      else if (call.status === 'running' && call.runsSince !== undefined) {
        endCall(call, 'failed', 'error');
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
        if (call.status === 'pending') endCall(call, 'withdrawn', 'withdrawn');
      }
    }
    const open = calls.filter(({ outcome }) => outcome === undefined);
    if (open.length > 0) {
      hear(this.waitingOf(message.thread), open);
      return;
    }
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

  /** Runs calls that a person approved to run again after the end of their turn. */
  private runLate(): void {
    if (this.isPaused) return;
    for (const call of this.calls) {
      if (call.status === 'approved' && this.turnOf(call)?.state !== 'current') this.run(call);
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
      endCall(call, 'failed', 'error');
      return;
    }
    const isCutOff = this.interrupted.delete(attemptOf(call));
    if (isCutOff) this.bound(call, { min: 0, max: 1 });
    if (!isCutOff || IDEMPOTENT.has(call.tool)) this.begin(call);
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
    if (ends === 'well') endCall(call, 'succeeded', 'result');
    else endCall(call, 'failed', 'error');
  }
}
