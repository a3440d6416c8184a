/** Models of other providers, as operators configure them: one that works, and one that is refused. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { failToStart } from '../../support/app/app-process.ts';
import { setStage } from '../../support/app/stage.ts';
import { type AnthropicAnswer, createMockAnthropic } from '../../support/servers/mock-anthropic.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

it('Claude writes a file when its card is approved, after arguments with duplicate keys were sent back', async (t) => {
  const write = (args: string, at: number): AnthropicAnswer => ({
    words: 'I write it.',
    calls: [{ id: `toolu_${at}`, name: 'write_file', args }],
  });
  const anthropic = await createMockAnthropic((_request, index) => {
    if (index === 0) return write('{"path":"a.txt","path":"b.txt","content":"hi"}', 0);
    return index === 1 ? write('{"path":"a.txt","content":"hi"}', 1) : { words: 'Written.' };
  });
  t.after(() => anthropic.stop());
  const stage = await setStage('socket', {
    MODEL: 'anthropic/claude-mock',
    ANTHROPIC_API_KEY: 'sk-ant-test',
    ANTHROPIC_BASE_URL: anthropic.url,
  });
  t.after(() => stage.close());
  const place = await stage.ask('requester', 'please write a.txt');
  const card = await stage.card(place, 'a.txt', 'hi');
  assert.equal(await stage.file('a.txt'), undefined);
  await stage.press('requester', card, 'call.approve');
  await stage.answer(place, 'Written.');
  assert.equal(await stage.file('a.txt'), 'hi');
  assert.equal(await stage.file('b.txt'), undefined);
  assert.deepEqual(anthropic.refusals, []);
  assert.equal(stage.model.requests.length, 0);
  assert.doesNotMatch(stage.app().output(), /sk-ant-test/);
});

it('a provider whose arguments cannot be read as written stops the start, with the alternative', async (t) => {
  const { path, remove } = await makeTempDir();
  t.after(remove);
  const { code, output } = await failToStart({
    PORT: '0',
    DATA_DIR: join(path, 'data'),
    WORKSPACE_DIR: join(path, 'files'),
    MODEL: 'google-genai/gemini',
  });
  assert.equal(code, 1);
  assert.match(output, /only as parsed values.*OPENAI_BASE_URL=https:/);
  assert.doesNotMatch(output, /^\s+at /m);
});
