/** One of several replicas: the real desk, worker and graph on a store with its own connection; only Slack is a recorder, and the model is elsewhere. */
import { randomBytes } from 'node:crypto';
import { createAgent } from '../../../src/agent/create-agent.ts';
import { createChatModel } from '../../../src/agent/model/create-chat-model.ts';
import { defineTool, type ToolDefinition } from '../../../src/agent/tools/define-tool.ts';
import { createUnstartedClaims } from '../../../src/desk/calls/execution/unstarted-claims.ts';
import { createStopSignals } from '../../../src/desk/control/stop-signals.ts';
import { createIntegrityAlarm } from '../../../src/desk/decisions/integrity-alarm.ts';
import { createDesk, createWorker, type Desk, type Worker } from '../../../src/desk/desk.ts';
import type { Gate } from '../../../src/domain/policy/route.ts';
import type { Clock } from '../../../src/domain/ports/clock.ts';
import type { Log } from '../../../src/domain/ports/log.ts';
import type { Store } from '../../../src/domain/ports/store.ts';
import { type InboxMessage, messageId } from '../../../src/domain/threads/message.ts';
import { type ThreadKey, threadKey } from '../../../src/domain/threads/thread-key.ts';
import type { Tool } from '../../../src/domain/tools/tool.ts';
import { buildToolbox } from '../../../src/domain/tools/toolbox.ts';
import { createSystemClock } from '../../../src/process/system-clock.ts';
import { REQUESTER } from '../builders/a-call.ts';
import { createTestDirectory } from '../builders/a-directory.ts';
import { createRecordingChat, type RecordingChat } from '../builders/recording-chat.ts';

const silent = () => {};

export interface Replica {
  readonly desk: Desk;
  readonly worker: Worker;
  readonly store: Store;
  readonly chat: RecordingChat;
  /** A message of the requester that starts the thread. */
  ask(thread: ThreadKey, text: string): Promise<void>;
  stop(): Promise<void>;
}

/** Creates a replica whose worker is not started yet; `openStore` gets the callback for wake-ups. */
export async function createReplica(options: {
  readonly openStore: (onWake: () => void) => Promise<Store>;
  readonly modelUrl: string;
  readonly tools: readonly ToolDefinition[];
  readonly gate: Gate;
  readonly leaseMs?: number;
  readonly clock?: Clock;
  readonly log?: Partial<Log>;
}): Promise<Replica> {
  const { clock = createSystemClock(), gate, leaseMs } = options;
  const log = { debug: silent, info: silent, warn: silent, error: silent, ...options.log };
  let worker: Worker | undefined;
  const store = await options.openStore(() => worker?.nudge());
  const toolbox = toToolbox(options.tools);
  const chat = createRecordingChat();
  const signals = createStopSignals();
  const claims = createUnstartedClaims();
  const integrity = createIntegrityAlarm(log);
  const directory = createTestDirectory();
  const shared = {
    store,
    toolbox,
    clock,
    log,
    signals,
    claims,
    integrity,
    directory,
    senderPolicy: {},
  };
  const agent = createAgent({
    model: createChatModel({
      model: 'openai/mock',
      baseUrl: options.modelUrl,
      timeoutMs: 30_000,
      maxRetries: 0,
    }),
    toolbox,
    helpers: [],
    history: store.history,
    checkpoints: store.checkpoints,
    clock,
    systemPrompt: 'You are a test.',
    contextTokens: 20_000,
    onDelta: (thread, text) => worker?.live.delta(thread, text),
  });
  const made = createWorker({
    ...shared,
    agent,
    chat,
    helpers: [],
    gate,
    attachments: {
      source: { fetch: async () => ({ kind: 'refused', why: 'there are no files.' }) },
      folder: { save: async () => ({ kind: 'refused', why: 'there are no files.' }) },
    },
    newId: () => randomBytes(16).toString('base64url'),
    toolTimeoutMs: 60_000,
    ...(leaseMs !== undefined && { leaseMs }),
  });
  worker = made;
  return {
    desk: createDesk(shared),
    worker: made,
    store,
    chat,
    ask: async (thread, text) => void (await receive(thread, text)),
    async stop() {
      await made.stop(0);
      await made.live.stop();
      await made.status.settled();
      await store.close();
    },
  };

  async function receive(thread: ThreadKey, text: string): Promise<void> {
    const [team = '', channel = '', ts = ''] = thread.split('/');
    const message: InboxMessage = {
      id: messageId({ team, channel, ts }),
      thread,
      author: REQUESTER,
      ts,
      text,
      receivedAt: clock.now(),
    };
    await createDesk(shared).receive(message);
  }
}

/** The n-th thread of a test. */
export function threadOf(n: number): ThreadKey {
  return threadKey({ team: 'T1', channel: 'C1', ts: `17${String(n).padStart(8, '0')}.000100` });
}

function toToolbox(definitions: readonly ToolDefinition[]) {
  const tools = new Map<string, Tool>();
  for (const definition of definitions) {
    const defined = defineTool(definition);
    if (defined.kind !== 'tool') throw new Error(`${definition.name}: ${defined.reason}`);
    tools.set(defined.tool.name, defined.tool);
  }
  return buildToolbox(tools.values());
}
