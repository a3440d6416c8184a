/** Starts that must fail, with `npm start` as a user runs it. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { failToStart } from '../../../support/app/app-process.ts';
import { makeTempDir } from '../../../support/temp-dir.ts';

const BOT = { SLACK_BOT_TOKEN: 'xoxb-1-2-abc' };
const SOCKET = { ...BOT, SLACK_APP_TOKEN: 'xapp-1-A2-abc' };
const MODEL = { OPENAI_API_KEY: 'sk-key-of-a-model' };
const NOWHERE = { SLACK_API_URL: 'http://127.0.0.1:9/api/' };

const WRONG: readonly (readonly [string, Readonly<Record<string, string>>, RegExp])[] = [
  ['a bot token alone', { ...BOT, ...MODEL }, /SLACK_APP_TOKEN .*or SLACK_SIGNING_SECRET/],
  [
    'an empty signing secret',
    { ...BOT, ...MODEL, SLACK_SIGNING_SECRET: ' ' },
    /SLACK_SIGNING_SECRET/,
  ],
  ['an app token alone', { SLACK_APP_TOKEN: 'xapp-1' }, /SLACK_BOT_TOKEN is missing/],
  ['tokens without a model', SOCKET, /OPENAI_API_KEY.*OPENAI_BASE_URL/s],
  ['an unreachable Slack', { ...SOCKET, ...MODEL, ...NOWHERE }, /SLACK_API_URL/],
  ['an invalid port', { PORT: 'http' }, /PORT/],
];

describe('a start', () => {
  for (const [what, env, remedy] of WRONG) {
    it(`with ${what} fails with the cause and the fix${what.includes('secret') ? '' : ''}`, async () => {
      const { path, remove } = await makeTempDir();
      const folders = { DATA_DIR: join(path, 'data'), WORKSPACE_DIR: join(path, 'files') };
      const { code, output } = await failToStart({ PORT: '0', ...folders, ...env });
      await remove();
      assert.equal(code, 1);
      assert.match(output, remedy);
      assert.doesNotMatch(output, /sk-key-of-a-model|^\s+at /m);
    });
  }

  it('with an invalid tools module names the tool and the error', async () => {
    const { path, remove } = await makeTempDir();
    const tools = join(path, 'tools.mjs');
    await writeFile(tools, "export const tools = [{ name: 'half', description: 'Is half.' }];");
    const { code, output } = await failToStart({
      PORT: '0',
      DATA_DIR: join(path, 'data'),
      WORKSPACE_DIR: join(path, 'files'),
      TOOLS_MODULE: tools,
    });
    await remove();
    assert.equal(code, 1);
    assert.match(output, /half.*schema.*run/s);
  });
});
