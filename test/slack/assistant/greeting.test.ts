import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Tool } from '../../../src/domain/tools/tool.ts';
import { buildGreeting, suggestPrompts } from '../../../src/slack/assistant/greeting.ts';
import { chatTitleOf } from '../../../src/slack/text/chat-title.ts';

const withTools = (...names: readonly string[]) => ({
  list: () => names.map((name) => ({ name }) as Tool),
});

describe('the greeting', () => {
  it('names the app, what the tools can do, and that nothing risky runs without approval', () => {
    const hello = buildGreeting(
      'UBOT',
      withTools('list_files', 'read_file', 'write_file', 'search_web'),
    );
    assert.match(hello, /<@UBOT>, an AI agent/);
    assert.match(
      hello,
      /I can look through the workspace’s files, read them, write files and search the web\./,
    );
    assert.match(hello, /Before I do anything risky, I post a card here/);
    assert.doesNotMatch(hello, /commands/);
    assert.match(
      buildGreeting('UBOT', withTools('write_file', 'send_file', 'task')),
      /I can write files, send files into the thread and give work to helpers\./,
    );
  });

  it('names the first few of the operator’s own tools, without active markup', () => {
    assert.match(buildGreeting('UBOT', withTools('refund')), /I can use `refund`\./);
    const many = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    assert.match(buildGreeting('UBOT', withTools(...many)), /`d`, `e` and 2 more\./);
    assert.doesNotMatch(buildGreeting('UBOT', withTools('<!channel>')), /<!channel>/);
  });

  it('promises nothing if there are no tools', () => {
    assert.doesNotMatch(buildGreeting('UBOT', withTools()), /I can/);
  });
});

describe('the suggested messages', () => {
  it('match the tools that are offered', () => {
    const titles = suggestPrompts(withTools('list_files', 'run_command')).map((each) => each.title);
    assert.deepEqual(titles, ['What can you do?', 'Look around', 'Run a command']);
  });

  it('number at least one, and at most what Slack accepts', () => {
    const all = ['list_files', 'write_file', 'run_command', 'search_web', 'fetch_url'];
    assert.equal(suggestPrompts(withTools(...all)).length, 4);
    assert.equal(suggestPrompts(withTools()).length, 1);
  });
});

describe('a title', () => {
  it('is the first line with content, without active markup', () => {
    assert.equal(chatTitleOf('\n  Tidy <!channel> & go\nplease'), 'Tidy &lt;!channel&gt; &amp; go');
    assert.equal(chatTitleOf('a\u202eb\tc'), 'a b c');
    assert.equal(chatTitleOf(' \n \u200b'), '');
  });

  it('is cut if it is long, without splitting a character', () => {
    assert.equal(chatTitleOf('x'.repeat(80)), 'x'.repeat(80));
    assert.equal(chatTitleOf('👍'.repeat(81)), `${'👍'.repeat(79)}…`);
  });

  it('is one short line for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        const title = chatTitleOf(text);
        assert.ok(!/[<>\n\p{Cc}]/u.test(title));
        assert.ok(Array.from(title).length <= 80 * '&amp;'.length);
      }),
    );
  });
});
