/** The playground in the process of the test, used over HTTP as by its page. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { readConfig } from '../../src/config/config.ts';
import type {
  SuggestionResult,
  WorkspaceFile,
} from '../../src/playground/page/state/page-start.ts';
import { startPlayground } from '../../src/playground/start-playground.ts';
import type {
  WorkspaceMessage,
  WorkspaceView,
} from '../../src/playground/workspace/workspace-port.ts';
import { createLog } from '../../src/process/log.ts';
import { createSystemClock } from '../../src/process/system-clock.ts';
import { makeTempDir } from '../support/temp-dir.ts';

const GENERAL = 'C0GENERAL';
const TIMEOUT_MS = 30_000;

/** The playground in folders of its own, used over HTTP as by its page. */
export async function aPlayground(t: TestContext, folder?: string) {
  const { path, remove } = folder
    ? { path: folder, remove: async () => undefined }
    : await makeTempDir();
  const stops: (() => Promise<void>)[] = [];
  t.after(async () => {
    for (const stop of stops) await stop();
    await remove();
  });
  const config = readConfig(
    { PORT: '0', DATA_DIR: join(path, 'data'), WORKSPACE_DIR: join(path, 'files') },
    { exists: () => false },
  );
  assert(config.mode === 'playground');
  const logged: string[] = [];
  const log = createLog({
    level: 'warn',
    destination: { write: (line) => void logged.push(line) },
  });

  async function start(onPage?: (url: string) => void) {
    assert(config.mode === 'playground');
    const app = await startPlayground(config, { clock: createSystemClock(), log }, onPage);
    stops.push(app.stop);
    return { stop: app.stop, ...aPage(app.url) };
  }
  return { start, logged, dataDir: config.dataDir };
}

function aPage(url: string) {
  const get = async (path: string) => await fetch(`${url}${path}`);
  async function post<Answer>(name: string, body: object, status = 200): Promise<Answer> {
    const response = await fetch(`${url}/ui/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ as: 'requester', ...body }),
    });
    assert.equal(response.status, status, await response.clone().text());
    return (await response.json()) as Answer;
  }
  async function see(as = 'requester'): Promise<WorkspaceView> {
    const response = await get(`/ui/sight?as=${as}`);
    return (await response.json()) as WorkspaceView;
  }
  return {
    get,
    say: (text: string) => post('say', { channel: GENERAL, text: `\${bot} ${text}` }),
    see,
    post,
    tryOut: (label: string) => post<SuggestionResult>('try', { channel: GENERAL, label }),
    press: ({ channel, ts }: WorkspaceMessage, actionId: string, as = 'requester') =>
      post('click', { as, channel, ts, actionId }),
    async files(): Promise<readonly WorkspaceFile[]> {
      const response = await get('/ui/files');
      return (await response.json()) as readonly WorkspaceFile[];
    },
    /** Waits for messages of the app. */
    async seen(shape: RegExp, count = 1, as?: string): Promise<readonly WorkspaceMessage[]> {
      const end = performance.now() + TIMEOUT_MS;
      for (;;) {
        const { messages } = await see(as);
        const found = messages.filter(
          ({ user, text, blocks }) =>
            user === 'U0COUNTERSIGN' && shape.test(`${text} ${JSON.stringify(blocks)}`),
        );
        if (found.length >= count) return found;
        const last = JSON.stringify(messages.slice(-3));
        assert.ok(performance.now() < end, `No ${count} messages with ${shape}; last: ${last}`);
      }
    },
  };
}
