/** The desk as `app.ts` builds it, without Slack: a real store, the real graph, the real worker, the system clock. */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { createAgent } from '../../../src/agent/create-agent.ts';
import { createToolbox } from '../../../src/agent/tools/create-toolbox.ts';
import type { ToolDefinition } from '../../../src/agent/tools/define-tool.ts';
import { createAttachmentFolder } from '../../../src/agent/tools/files/attachment-folder.ts';
import { createWorkspaceBytes } from '../../../src/agent/tools/files/workspace-bytes.ts';
import { createUnstartedClaims } from '../../../src/desk/calls/execution/unstarted-claims.ts';
import { createStopSignals } from '../../../src/desk/control/stop-signals.ts';
import { createIntegrityAlarm } from '../../../src/desk/decisions/integrity-alarm.ts';
import { createDesk, createWorker, type Desk, type Worker } from '../../../src/desk/desk.ts';
import { LATE_MESSAGE_MS } from '../../../src/desk/turns/messages/message-order.ts';
import type { Call } from '../../../src/domain/calls/call.ts';
import type { DecisionOutcome } from '../../../src/domain/calls/decision.ts';
import { shortDigest } from '../../../src/domain/calls/digest.ts';
import type { Person } from '../../../src/domain/people/person.ts';
import { type Gate, REQUESTER_ROUTE, type Route } from '../../../src/domain/policy/route.ts';
import type { Clock } from '../../../src/domain/ports/clock.ts';
import type { Directory } from '../../../src/domain/ports/directory.ts';
import type { Store } from '../../../src/domain/ports/store.ts';
import type { InboxMessage } from '../../../src/domain/threads/message.ts';
import { messageId } from '../../../src/domain/threads/message.ts';
import type { OutboxMessage } from '../../../src/domain/threads/outbox-message.ts';
import { threadKey } from '../../../src/domain/threads/thread-key.ts';
import type { Toolbox } from '../../../src/domain/tools/tool.ts';
import { createBenchChat } from './bench-chat.ts';
import { CALL_ONCE, createBenchModel, type Script, TOOL_NAME } from './bench-model.ts';
import { openBenchStore, QUIET_LOG, type StoreKind } from './bench-store.ts';

const PERSON: Person = { team: 'T1', user: 'U1' };
const DIRECTORY: Directory = {
  profileOf: async () => ({ standing: 'member', isAdmin: false }),
  groupOf: async () => ({ members: new Set() }),
};

export interface BenchDesk {
  readonly desk: Desk;
  readonly worker: Worker;
  readonly store: Store;
  readonly toolbox: Toolbox;
  readonly clock: Clock;
  /** Where its SQLite file is. */
  readonly dataDir: string;
  /** Sends a message in a thread and waits for the card of its call. */
  ask(thread: BenchThread, text: string): Promise<Call>;
  /** Sends a message in a thread and waits for the answer, and until no work is left. */
  talk(thread: BenchThread, text: string): Promise<void>;
  approve(call: Call): Promise<DecisionOutcome>;
  /** Resolves at the next answer in the thread. */
  answer(): Promise<OutboxMessage>;
  /** Resolves at the next start of the tool. */
  toolStart(): Promise<void>;
  /** One message, one call, one approval, one answer, in its own thread. */
  cycle(): Promise<void>;
  close(): Promise<void>;
}

/** A thread of a bench; one message after another. */
export interface BenchThread {
  readonly root: number;
  messages: number;
}

/** Waits for the next event of a kind. */
function createEvent<T>() {
  let waiting: ((value: T) => void)[] = [];
  return {
    next: () => new Promise<T>((resolve) => waiting.push(resolve)),
    happen(value: T) {
      const all = waiting;
      waiting = [];
      for (const resolve of all) resolve(value);
    },
  };
}

/** Opens a desk with its own store. */
export async function openBenchDesk(options: {
  readonly kind: StoreKind;
  readonly redisUrl: string;
  readonly prefix: string;
  readonly script?: Script;
  /** Where the cards go. (Default: to the requester.) */
  readonly route?: Route;
  /** What is done to the store before any worker starts. */
  readonly before?: (store: Store, clock: Clock) => Promise<void>;
}): Promise<BenchDesk> {
  let worker: Worker | undefined;
  const opened = await openBenchStore({ ...options, onWake: () => worker?.nudge() });
  const { store, clock, folder } = opened;
  const cards = createEvent<Call>();
  const answers = createEvent<OutboxMessage>();
  const starts = createEvent<void>();
  const tool: ToolDefinition = {
    name: TOOL_NAME,
    description: 'Writes a note.',
    schema: z.object({ path: z.string(), content: z.string() }),
    run: () => {
      starts.happen();
      return 'Written.';
    },
  };
  const files = createWorkspaceBytes(folder);
  const { toolbox } = createToolbox({ workspaceDir: folder, extra: [tool] });
  const agent = createAgent({
    model: createBenchModel(options.script ?? CALL_ONCE),
    toolbox,
    helpers: [],
    history: store.history,
    checkpoints: store.checkpoints,
    clock,
    systemPrompt: 'You are a helpful assistant.',
    contextTokens: 20_000,
    log: QUIET_LOG,
    onDelta: (thread, text) => worker?.live.delta(thread, text),
  });
  const signals = createStopSignals();
  const claims = createUnstartedClaims();
  const integrity = createIntegrityAlarm(QUIET_LOG);
  const shared = {
    store,
    toolbox,
    clock,
    signals,
    claims,
    directory: DIRECTORY,
    senderPolicy: {},
    integrity,
  };
  const gate: Gate = () => ({ kind: 'ask', route: options.route ?? REQUESTER_ROUTE });
  const desk = createDesk({ ...shared, gate, helpers: [], log: QUIET_LOG });
  const working = createWorker({
    ...shared,
    agent,
    chat: createBenchChat({
      onCard: (call) => call.status === 'pending' && cards.happen(call),
      onSay: (say) => say.kind === 'answer' && answers.happen(say),
    }),
    helpers: [],
    gate,
    attachments: {
      source: { fetch: async () => ({ kind: 'refused', why: 'there are no files.' }) },
      folder: createAttachmentFolder(files),
    },
    log: QUIET_LOG,
    newId: () => randomBytes(16).toString('base64url'),
    toolTimeoutMs: 60_000,
  });
  await options.before?.(store, clock);
  worker = working;
  working.start();
  let threads = 0;

  async function send(thread: BenchThread, text: string): Promise<void> {
    const place = { team: PERSON.team, channel: 'C1' };
    const ts = `${1_700_000_000 + thread.root}.${String(thread.messages).padStart(6, '0')}`;
    const root = `${1_700_000_000 + thread.root}.000000`;
    thread.messages += 1;
    const message: InboxMessage = {
      id: messageId({ ...place, ts }),
      thread: threadKey({ ...place, ts: root }),
      author: PERSON,
      ts,
      text,
      // The delay for messages that arrive out of order is not measured.
      receivedAt: clock.now() - (ts === root ? 0 : LATE_MESSAGE_MS),
    };
    await desk.receive(message);
  }

  async function ask(thread: BenchThread, text: string): Promise<Call> {
    const card = cards.next();
    await send(thread, text);
    return await card;
  }

  function approve({ id: callId, attempt, digest }: Call): Promise<DecisionOutcome> {
    const decision = { kind: 'approve' } as const;
    return desk.decide({ callId, attempt, digest: shortDigest(digest), by: PERSON, decision });
  }

  return {
    desk,
    worker: working,
    store,
    toolbox,
    clock,
    dataDir: folder,
    ask,
    approve,
    answer: answers.next,
    toolStart: starts.next,
    async talk(thread, text) {
      const answer = answers.next();
      await send(thread, text);
      await answer;
      await working.idle();
    },
    async cycle() {
      threads += 1;
      const call = await ask({ root: threads, messages: 0 }, 'Please write the note of today.');
      const answer = answers.next();
      await approve(call);
      await answer;
      await working.idle();
    },
    async close() {
      await working.stop(1_000);
      await working.live.stop();
      await working.status.settled();
      await opened.close();
    },
  };
}
