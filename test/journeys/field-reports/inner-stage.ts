/** The whole app in this process: on a manual clock, with an approval gate of the test. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import type { App } from '../../../src/app/app-deps.ts';
import { createApp } from '../../../src/app/create-app.ts';
import { readConfig } from '../../../src/config/config.ts';
import {
  defaultGate,
  type Gate,
  REQUESTER_ROUTE,
  type Route,
} from '../../../src/domain/policy/route.ts';
import {
  createWorkspace,
  type WorkspaceOptions,
} from '../../../src/playground/workspace/create-workspace.ts';
import type { Workspace } from '../../../src/playground/workspace/workspace-port.ts';
import { createLog } from '../../../src/process/log.ts';
import { createScene, type Scene } from '../../support/app/scene.ts';
import type { Delivery } from '../../support/app/stage.ts';
import { createManualClock, type ManualClock } from '../../support/manual-clock.ts';
import { createMockModel, type MockModel } from '../../support/servers/mock-model.ts';
import { addRecordViews } from '../../support/store/record-views.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

const TOOLS = fileURLToPath(new URL('../../fixtures/tools/field-tools.ts', import.meta.url));

export interface InnerStage extends Scene {
  readonly workspace: Workspace;
  readonly model: MockModel;
  readonly clock: ManualClock;
  readonly app: () => App;
  /** Sets the gate for calls proposed or claimed from now on. */
  setGate(gate: Gate): void;
  /** Reads or writes the database of the app directly. */
  sql<Row>(statement: string, ...values: readonly unknown[]): readonly Row[];
  /** Where the tools log their runs. */
  readonly runJournal: string;
  /** Starts the stopped app again on the same data. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Sets up a stage whose clock starts at the system time; one at a time per process, as its tools share one journal. `env` is set in addition. */
export async function setInnerStage(
  delivery: Delivery,
  env: Readonly<Record<string, string>> = {},
  seed: Pick<WorkspaceOptions, 'members' | 'channels' | 'enterprise'> = {},
): Promise<InnerStage> {
  const { path, remove } = await makeTempDir();
  // Bolt checks signatures with the system clock.
  const clock = createManualClock(Date.now());
  const workspace = await createWorkspace({ clock, ...seed });
  const model = await createMockModel();
  const runJournal = join(path, 'runs');
  process.env.RUN_JOURNAL = runJournal;
  const logged: string[] = [];
  const log = createLog({
    level: 'warn',
    destination: { write: (line) => void logged.push(line) },
  });
  let gate: Gate = defaultGate;
  let app = await open();

  async function open(): Promise<App> {
    const config = readConfig({
      SLACK_BOT_TOKEN: workspace.botToken,
      ...(delivery === 'socket'
        ? { SLACK_APP_TOKEN: workspace.appToken }
        : { SLACK_SIGNING_SECRET: workspace.signingSecret }),
      SLACK_API_URL: workspace.apiUrl,
      PORT: '0',
      HOST: '127.0.0.1',
      DATA_DIR: join(path, 'data'),
      WORKSPACE_DIR: join(path, 'files'),
      OPENAI_BASE_URL: model.url,
      TOOLS_MODULE: TOOLS,
      ...env,
    });
    assert.equal(config.mode, 'slack');
    const overrides = { gate: (facts: Parameters<Gate>[0]) => gate(facts) };
    const opened = await createApp(config, { clock, log, overrides });
    const url = `${opened.url}/slack/events`;
    workspace.deliverTo(delivery === 'http' ? { kind: 'http', url } : { kind: 'socket' });
    if (delivery === 'socket') await workspace.connected();
    return opened;
  }

  return {
    ...createScene(workspace, () => logged.join('').slice(-4_000)),
    workspace,
    model,
    clock,
    runJournal,
    app: () => app,
    setGate(next) {
      gate = next;
    },
    sql<Row>(statement: string, ...values: readonly unknown[]): readonly Row[] {
      const database = new Database(join(path, 'data', 'countersign.db'));
      addRecordViews(database);
      try {
        const prepared = database.prepare<unknown[], Row>(statement);
        if (prepared.reader) return prepared.all(...values);
        assert.equal(prepared.run(...values).changes, 1);
        return [];
      } finally {
        database.close();
      }
    },
    async start() {
      app = await open();
    },
    async close() {
      await app.stop();
      await model.stop();
      await workspace.stop();
      await remove();
    },
  };
}

/** Makes a gate that asks these members, by name. */
export function askMembers(
  { workspace }: Pick<InnerStage, 'workspace'>,
  names: readonly string[],
  route: Partial<Route> = {},
): Gate {
  const approvers = names.map((name) => `user:${workspace.member(name).id}` as const);
  return () => ({ kind: 'ask', route: { ...REQUESTER_ROUTE, approvers, ...route } });
}
