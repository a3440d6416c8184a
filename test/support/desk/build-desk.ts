/** The desk with everything that decides behind it: a real SQLite file, the real graph, a strict mock model; only Slack is a recorder. */
import { createHmac, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { createAgent } from '../../../src/agent/create-agent.ts';
import { createChatModel } from '../../../src/agent/model/create-chat-model.ts';
import { createAttachmentFolder } from '../../../src/agent/tools/files/attachment-folder.ts';
import { createWorkspaceBytes } from '../../../src/agent/tools/files/workspace-bytes.ts';
import { readJsonSchema } from '../../../src/agent/tools/schema/read-json-schema.ts';
import { createTaskTool } from '../../../src/agent/tools/task-tool.ts';
import { createUnstartedClaims } from '../../../src/desk/calls/execution/unstarted-claims.ts';
import { createStopSignals } from '../../../src/desk/control/stop-signals.ts';
import {
  createIntegrityAlarm,
  type IntegrityAlarm,
} from '../../../src/desk/decisions/integrity-alarm.ts';
import { createDesk, createWorker, type Desk, type Worker } from '../../../src/desk/desk.ts';
import { createExternalDesk, type ExternalDesk } from '../../../src/desk/external/external-desk.ts';
import { type CallWatch, createCallWatch } from '../../../src/desk/external/watch-calls.ts';
import { LATE_MESSAGE_MS, withOrderDelay } from '../../../src/desk/turns/messages/message-order.ts';
import type { OnDamaged } from '../../../src/domain/audit/damaged-record.ts';
import type { Call } from '../../../src/domain/calls/call.ts';
import type { DecisionCommand, DecisionOutcome } from '../../../src/domain/calls/decision.ts';
import { shortDigest } from '../../../src/domain/calls/digest.ts';
import type { Person } from '../../../src/domain/people/person.ts';
import { type Gate, REQUESTER_ROUTE, type Route } from '../../../src/domain/policy/route.ts';
import type { Clock } from '../../../src/domain/ports/clock.ts';
import type { AttachmentSource } from '../../../src/domain/ports/file-ports.ts';
import { type Attachment, messageId } from '../../../src/domain/threads/message.ts';
import { placeOf } from '../../../src/domain/threads/thread-key.ts';
import type { Toolbox } from '../../../src/domain/tools/tool.ts';
import { withSealedCalls } from '../../../src/stores/repositories/documents/sealed-ledger.ts';
import {
  createSqliteStore,
  type SqliteStore,
} from '../../../src/stores/sqlite/create-sqlite-store.ts';
import { REQUESTER, THREAD } from '../builders/a-call.ts';
import { createTestDirectory } from '../builders/a-directory.ts';
import { createRecordingChat, type RecordingChat } from '../builders/recording-chat.ts';
import { toToolbox } from '../builders/to-toolbox.ts';
import { createManualClock } from '../manual-clock.ts';
import { createMockModel, type MockModel } from '../servers/mock-model.ts';
import { TEST_SEAL } from '../test-secret-mark.ts';
import type { DeskOptions } from './desk-options.ts';

export interface TestDesk {
  readonly desk: Desk;
  readonly worker: Worker;
  /** Starts a healthy worker beside a stalled one. */
  takeOver(): Worker;
  /** Ends the worker like a stopped process, and starts another one on the same store; `meanwhile` runs in between. */
  restart(meanwhile?: () => Promise<void>): Promise<Worker>;
  readonly store: SqliteStore;
  readonly toolbox: Toolbox;
  /** The path of the SQLite file. */
  readonly dataDir: string;
  readonly integrity: IntegrityAlarm;
  readonly chat: RecordingChat;
  readonly model: MockModel;
  /** The partial answer that the agent has received so far. */
  heard(): string;
  readonly clock: ReturnType<typeof createManualClock>;
  /** The API of programs. */
  readonly outside: ExternalDesk;
  /** Waits until no work is due. */
  rest(): Promise<void>;
  /** Delivers a message to the default thread and waits until no work is due. */
  send(text: string, by?: Person, files?: readonly Attachment[]): Promise<void>;
  /** The files of the agent. */
  readonly workspaceDir: string;
  /** Calls of the default thread. */
  calls(): Promise<readonly Call[]>;
  /** Decides like the card of this call, and waits until no work is due. */
  decide(call: Call, by: Person, decision?: DecisionCommand['decision']): Promise<DecisionOutcome>;
}

/** How long a program may take to report the outcome of a call. */
export const REPORT_MS = 600_000;
/** How long the tools of a test desk may run. */
export const TOOL_TIMEOUT_MS = 60_000;

const NO_FILES: AttachmentSource = {
  fetch: async () => ({ kind: 'refused', why: 'this desk has no files.' }),
};

/** A gate that asks for every call on this route. */
export function askAll(route: Partial<Route> = {}): Gate {
  return () => ({ kind: 'ask', route: { ...REQUESTER_ROUTE, ...route } });
}

/** Builds a desk that is closed with the test. */
export async function buildDesk(t: TestContext, options: DeskOptions): Promise<TestDesk> {
  const dataDir = await mkdtemp(join(tmpdir(), 'countersign-desk-'));
  const workspaceDir = await mkdtemp(join(tmpdir(), 'countersign-files-'));
  const files = createWorkspaceBytes(workspaceDir);
  const clock = createManualClock(1_700_000_000_000);
  let worker: Worker | undefined;
  let watch: CallWatch | undefined;
  const onDamaged: OnDamaged = (error) => worker?.onDamaged(error);
  const onWake = () => {
    worker?.nudge();
    watch?.nudge();
  };
  // A test that opens another store does not use the SQLite file.
  const opened = options.openStore
    ? ((await options.openStore({ clock, onWake, onDamaged })) as SqliteStore)
    : createSqliteStore({ dataDir, clock, onWake, onDamaged });
  await opened.belongTo({ workspace: REQUESTER.team });
  const store = { ...opened, ledger: withSealedCalls(opened.ledger, TEST_SEAL) };
  const model = await createMockModel();
  const helpers = options.helpers ?? [];
  const task = createTaskTool(helpers);
  const made = [...(options.made ?? []), ...(task?.kind === 'tool' ? [task.tool] : [])];
  const toolbox = toToolbox(options.tools, made);
  const chat = createRecordingChat();
  const agent =
    (await options.agentOf?.(opened)) ??
    createAgent({
      model: createChatModel({
        model: 'openai/mock',
        baseUrl: options.modelUrl ?? model.url,
        timeoutMs: options.modelTimeoutMs ?? 10_000,
        maxRetries: options.modelRetries ?? 0,
      }),
      toolbox,
      helpers,
      history: store.history,
      checkpoints: store.checkpoints,
      clock,
      systemPrompt: 'You are a test.',
      contextTokens: options.contextTokens ?? 20_000,
      ...(options.seesImages && { readImage: files.read }),
      onDelta: (thread, text, restarts) => worker?.live.delta(thread, text, restarts),
      ...(options.admins && { adminUsers: options.admins }),
      ...(options.modelUrl && options.log?.warn && { log: { warn: options.log.warn } }),
    });
  const silent = () => {};
  const reached = options.callbacks && { callbacks: options.callbacks };
  const log = { debug: silent, info: silent, warn: silent, error: silent, ...options.log };
  const signals = createStopSignals();
  const claims = createUnstartedClaims();
  const directory = options.directory ?? createTestDirectory();
  const talk = options.talk ?? {};
  const integrity = createIntegrityAlarm({ error: silent });
  const gate = options.gateOf?.({ store, clock }) ?? options.gate ?? askAll();
  const newId = () => randomBytes(16).toString('base64url');
  const newWorker = (itsClock: Clock) =>
    createWorker({
      store,
      agent,
      chat: options.shownOn ?? chat,
      toolbox,
      helpers,
      gate,
      attachments: {
        source: options.source ?? NO_FILES,
        folder: createAttachmentFolder(files),
      },
      clock: itsClock,
      log,
      integrity,
      signals,
      claims,
      directory,
      senderPolicy: talk,
      showsUsage: options.showsUsage ?? false,
      ...(options.admins && { admins: options.admins, team: REQUESTER.team }),
      onDamaged,
      newId,
      toolTimeoutMs: TOOL_TIMEOUT_MS,
      ...(options.maxPendingPerPerson && { maxPendingPerPerson: options.maxPendingPerPerson }),
      ...(options.keeping && { retention: options.keeping }),
      ...reached,
    });
  const running = newWorker(clock);
  const stalled = newWorker({ now: clock.now, schedule: () => () => {} });
  worker = options.stalled ? stalled : running;
  const desk = createDesk({
    store,
    toolbox,
    clock,
    signals,
    claims,
    directory,
    senderPolicy: talk,
    integrity,
    log,
    onDamaged,
    gate,
    helpers,
  });
  watch = createCallWatch({ audit: store.audit, clock, log });
  const calls = watch;
  const outside = createExternalDesk({
    ...{ store, toolbox, helpers, clock, directory, integrity, log, gate, newId, ...reached },
    idOf: (text) => createHmac('sha256', 'test').update(text).digest('base64url').slice(0, 22),
    reportMs: REPORT_MS,
    readSchema: readJsonSchema,
    ...(options.maxPendingPerKey && { maxPendingPerKey: options.maxPendingPerKey }),
    watch: calls.watch,
  });
  worker.start();
  let healthy = running;
  const end = async (): Promise<void> => {
    await healthy.stop(0);
    await healthy.live.stop().then(() => healthy.status.settled());
  };
  t.after(async () => {
    calls.stop();
    await end();
    await store.close();
    await model.stop();
    for (const folder of [dataDir, workspaceDir]) await rm(folder, { recursive: true });
  });

  /** A store that wakes through its own messages may do so after its response. */
  async function rest(): Promise<void> {
    worker?.nudge();
    await worker?.idle();
  }

  let sent = 0;
  return {
    desk,
    outside,
    rest,
    worker,
    takeOver() {
      worker = running;
      running.start();
      return running;
    },
    async restart(meanwhile = async () => {}) {
      await end();
      await meanwhile();
      healthy = newWorker(clock);
      worker = healthy;
      healthy.start();
      return healthy;
    },
    store,
    toolbox,
    dataDir,
    integrity,
    chat,
    model,
    heard: () => agent.unfinished(THREAD),
    clock,
    workspaceDir,
    async send(text, by = REQUESTER, attached) {
      const { team, channel, root } = placeOf(THREAD);
      const ts = sent === 0 ? root : `${root.slice(0, -1)}${sent}`;
      sent += 1;
      const id = messageId({ team, channel, ts });
      const now = clock.now();
      const message = { id, thread: THREAD, author: by, ts, text, receivedAt: now };
      // No earlier message can follow any more: the order of messages has its own tests.
      const isOrdered = withOrderDelay(message).orderedAt === undefined;
      const receivedAt = isOrdered ? now : now - LATE_MESSAGE_MS;
      await desk.receive({ ...message, receivedAt, ...(attached && { files: attached }) });
      await rest();
    },
    calls: () => store.ledger.ofThread(THREAD),
    async decide(call, by, decision = { kind: 'approve' }) {
      const { id: callId, attempt } = call;
      const digest = shortDigest(call.digest);
      const outcome = await desk.decide({ callId, attempt, digest, by, decision });
      await rest();
      return outcome;
    },
  };
}
