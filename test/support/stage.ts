/** A stage for journeys: the simulated workspace, a strict mock model and the app in its own process. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWorkspace } from '../../src/playground/workspace/create-workspace.ts';
import type {
  Ack,
  Workspace,
  WorkspaceMessage,
} from '../../src/playground/workspace/workspace-port.ts';
import { createSystemClock } from '../../src/system-clock.ts';
import { type AppProcess, startApp } from './app-process.ts';
import { createMockModel, type MockModel } from './mock-model.ts';

export type Delivery = 'http' | 'socket';

/** A thread of the workspace. */
export interface Place {
  readonly channel: string;
  readonly root: string;
}

export interface Stage {
  readonly workspace: Workspace;
  readonly model: MockModel;
  readonly app: () => AppProcess;
  /** A message to the agent that begins a thread in a channel. */
  ask(member: string, text: string, channel?: string): Promise<Place>;
  /** A message in a thread, without a mention. */
  write(member: string, place: Place, text: string): Promise<WorkspaceMessage>;
  /** The cards of a thread now, oldest first. */
  cards(place: Place): readonly WorkspaceMessage[];
  /** Waits until a card of the thread says all of this. */
  card(place: Place, ...parts: readonly string[]): Promise<WorkspaceMessage>;
  press(member: string, card: WorkspaceMessage, actionId: string): Promise<Ack>;
  /** Waits for a message of the app in the thread that says this. */
  answer(place: Place, text: string): Promise<WorkspaceMessage>;
  /** Waits for a message that only this person sees. */
  privately(member: string, text: string): Promise<WorkspaceMessage>;
  /** Text of a file of the agent's workspace; undefined when there is none. */
  file(path: string): Promise<string | undefined>;
  /** Ends the app, gently or as a crash, and starts it again on the same data. */
  restart(how: 'stop' | 'kill'): Promise<void>;
  close(): Promise<void>;
}

/** Sets up a stage; the caller closes it. */
export async function setStage(
  delivery: Delivery,
  env: Readonly<Record<string, string>> = {},
): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-'));
  const workspace = await createWorkspace({ clock: createSystemClock() });
  const model = await createMockModel();
  const files = join(folder, 'workspace');
  let app = await start().catch(async (error: unknown) => {
    await closeAround();
    throw error;
  });

  async function closeAround(): Promise<void> {
    await model.stop();
    await workspace.stop();
    await rm(folder, { recursive: true });
  }

  async function start(): Promise<AppProcess> {
    const started = await startApp({
      SLACK_BOT_TOKEN: workspace.botToken,
      ...(delivery === 'socket'
        ? { SLACK_APP_TOKEN: workspace.appToken }
        : { SLACK_SIGNING_SECRET: workspace.signingSecret }),
      SLACK_API_URL: workspace.apiUrl,
      PORT: '0',
      HOST: '127.0.0.1',
      DATA_DIR: join(folder, 'data'),
      WORKSPACE_DIR: files,
      OPENAI_BASE_URL: model.url,
      LOG_LEVEL: 'debug',
      ...env,
    });
    workspace.deliverTo(
      delivery === 'http'
        ? { kind: 'http', url: `${started.url}/slack/events` }
        : { kind: 'socket' },
    );
    if (delivery === 'socket') await workspace.connected();
    return started;
  }

  function thread(place: Place): readonly WorkspaceMessage[] {
    return workspace
      .see('requester')
      .messages.filter(
        (message) =>
          message.channel === place.channel && (message.threadTs ?? message.ts) === place.root,
      );
  }

  async function find(
    what: string,
    look: () => WorkspaceMessage | undefined,
  ): Promise<WorkspaceMessage> {
    const describe = () => `${what}\n${seen()}\n--- app\n${app.output().slice(-4_000)}`;
    return await workspace.waitFor(look, { timeoutMs: 20_000, describe });
  }

  function seen(): string {
    const { messages } = workspace.see('requester');
    return messages.map((message) => `${message.ts} ${allText(message)}`).join('\n---\n');
  }

  const cards = (place: Place) =>
    thread(place).filter(({ metadata }) => metadata?.event_type === 'countersign_card');

  return {
    workspace,
    model,
    app: () => app,
    cards,
    async ask(member, text, channel = 'general') {
      const { id } = workspace.channel(channel);
      const { ts } = await workspace.say(member, id, `\${bot} ${text}`);
      return { channel: id, root: ts };
    },
    write: (member, { channel, root }, text) =>
      workspace.say(member, channel, text, { threadTs: root }),
    card: (place, ...parts) =>
      find(`a card with ${parts.join(', ')}`, () =>
        cards(place).find((card) => parts.every((part) => allText(card).includes(part))),
      ),
    press: (member, card, actionId) =>
      workspace.click(member, { channel: card.channel, ts: card.ts, actionId }),
    answer: (place, text) =>
      find(`an answer with ${text}`, () =>
        thread(place).find(
          (message) => message.user === workspace.app.botUserId && allText(message).includes(text),
        ),
      ),
    privately: (member, text) =>
      find(`a private message to ${member} with ${text}`, () => {
        const { me, messages } = workspace.see(member);
        return messages.find(
          (message) =>
            allText(message).includes(text) &&
            (message.visibleTo === me.id || isDirect(workspace, member, message)),
        );
      }),
    async file(path) {
      try {
        return await readFile(join(files, path), 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    async restart(how) {
      await (how === 'kill' ? app.kill() : app.stop());
      app = await start();
    },
    async close() {
      await app.stop();
      await closeAround();
    },
  };
}

function isDirect(workspace: Workspace, member: string, message: WorkspaceMessage): boolean {
  const { channels } = workspace.see(member);
  return channels.some(({ id, kind }) => id === message.channel && kind === 'im');
}

/** All text of a message that a person can read, block by block. */
export function allText(message: Pick<WorkspaceMessage, 'text' | 'blocks'>): string {
  return message.blocks.length === 0 ? message.text : readable(message.blocks).join('\n');
}

function readable(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(readable);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === 'text' && typeof inner === 'string') return [inner];
    return key === 'value' ? [] : readable(inner);
  });
}
