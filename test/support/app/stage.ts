/** A stage for journeys: the simulated workspace, a strict mock model and the app in its own process. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createWorkspace,
  type WorkspaceOptions,
} from '../../../src/playground/workspace/create-workspace.ts';
import type { Workspace } from '../../../src/playground/workspace/workspace-port.ts';
import { createSystemClock } from '../../../src/process/system-clock.ts';
import { createMockModel, type MockModel } from '../servers/mock-model.ts';
import { type AppProcess, startApp } from './app-process.ts';
import { createScene, type Scene } from './scene.ts';

export type Delivery = 'http' | 'socket';

export interface Stage extends Scene {
  readonly workspace: Workspace;
  readonly model: MockModel;
  /** The folder with the `data` and `workspace` of the app, removed with the stage. */
  readonly folder: string;
  readonly app: () => AppProcess;
  /** Text of a file in the workspace of the agent; undefined if there is none. */
  file(path: string): Promise<string | undefined>;
  /** Ends the app, gently or like a crash, and starts it again on the same data. */
  restart(how: 'stop' | 'kill'): Promise<void>;
  /** Starts the app again after it was ended through `app()`. */
  startAgain(): Promise<void>;
  close(): Promise<void>;
}

/** Sets up a stage; the caller closes it. `entry` starts the app in another way. */
export async function setStage(
  delivery: Delivery,
  env: Readonly<Record<string, string>> = {},
  entry?: string,
  seed: Pick<WorkspaceOptions, 'members' | 'channels' | 'enterprise' | 'form'> = {},
): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-'));
  const workspace = await createWorkspace({ clock: createSystemClock(), ...seed });
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
    const settings = {
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
    };
    const started = await startApp(settings, entry);
    workspace.deliverTo(
      delivery === 'http'
        ? { kind: 'http', url: `${started.url}/slack/events` }
        : { kind: 'socket' },
    );
    if (delivery === 'socket') await workspace.connected();
    return started;
  }

  return {
    ...createScene(workspace, () => app.output().slice(-4_000)),
    workspace,
    model,
    folder,
    app: () => app,
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
    async startAgain() {
      app = await start();
    },
    async close() {
      await app.stop();
      await closeAround();
    },
  };
}
