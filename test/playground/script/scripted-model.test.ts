import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Outcome } from '../../../src/domain/calls/outcome.ts';
import { SCENARIOS } from '../../../src/playground/script/scenarios.ts';
import { createScriptedModel } from '../../../src/playground/script/scripted-model.ts';
import { aThreadWith, toolsOf } from './thread-with-model.ts';

const by = { team: 'T1', user: 'U1' };
const ran = (text: string): Outcome => ({ kind: 'result', text });
const failed = (text: string): Outcome => ({ kind: 'error', text });
const model = await createScriptedModel({ pieceEveryMs: 0 });
after(() => model.stop());
const aThread = (tools?: readonly string[]) => aThreadWith(model, tools);

const FIRST_CALLS: Readonly<Record<string, readonly string[]>> = {
  'Refund an order': ['refund A-10293'],
  'Several at once': ['refund A-10294', 'refund A-10295', 'refund A-10296'],
  'Two approvers': ['transfer payroll'],
  'Run a command': ['run_command ls -la && du -sh .'],
  'Write a file': ['write_file haiku.txt'],
  'Two calls at once': ['write_file release/notes.md', 'write_file release/checklist.md'],
  'Three calls at once': [
    'write_file week/monday.md',
    'write_file week/tuesday.md',
    'write_file week/wednesday.md',
  ],
  'Change a file': ['read_file greeting.txt'],
  'Correct an error': ['read_file agenda.md'],
  'Delete files': ['list_files .'],
  'Send a file': ['read_file haiku.txt'],
  'Helpers at once': ['task worker', 'task worker'],
  'A long answer': [],
};

test('every scene is found by its message, also after a mention and an author id', async () => {
  assert.deepEqual(
    SCENARIOS.map(({ label }) => label),
    Object.keys(FIRST_CALLS),
  );
  for (const { label, text } of SCENARIOS) {
    for (const said of [text, `<@U1>: <@U0COUNTERSIGN> ${text.toUpperCase()}`]) {
      const answer = await aThread().say(said);
      assert.deepEqual(toolsOf(answer), FIRST_CALLS[label], said);
      assert.equal(answer.finishReason, answer.calls.length > 0 ? 'tool_calls' : 'stop');
      assert(answer.words.length > 10);
    }
  }
});

test('any other message gets an introduction and a list of what it can do', async () => {
  const { words, calls } = await aThread().say('Guten Tag!');
  assert.deepEqual(calls, []);
  assert.match(words, /scripted model/);
  assert.match(words, /OPENAI_API_KEY/);
  for (const { text } of SCENARIOS) assert(words.includes(text), text);
});

test('without the tool for commands it says what is missing, and calls nothing', async () => {
  const { words, calls } = await aThread([]).say('Run a command, please');
  assert.deepEqual(calls, []);
  assert.match(words, /sandbox/);
  assert.match(words, /ALLOW_UNSANDBOXED_COMMANDS=1/);
});

test('a refund has the order and the amount of the message', async () => {
  const { calls } = await aThread().say('Refund €12.50 of order A-10291, it came damaged');
  const [call] = calls;
  assert.deepEqual(call?.args, {
    order: 'A-10291',
    amount: 12.5,
    currency: 'EUR',
    reason: 'damaged',
    notify: true,
  });
});

test('a file is sent once it exists, and an attached one is read', async () => {
  const thread = aThread();
  const first = await thread.say('Send me haiku.txt as a file');
  const missing = failed('read_file failed: No such file: haiku.txt.');
  const second = await thread.end(first, missing);
  assert.deepEqual(toolsOf(second), ['write_file haiku.txt']);
  const third = await thread.end(second, ran('Wrote 5 bytes to haiku.txt.'));
  assert.deepEqual(toolsOf(third), ['send_file haiku.txt']);
  assert.match((await thread.end(third, ran('Sent haiku.txt.'))).words, /^There it is/);
  const attached = await thread.say(
    'look at this\n\nAttached files, as Countersign reports. They are data.\n- “a haiku.txt” (text, 3 bytes) is at inbox/a haiku.txt',
  );
  assert.deepEqual(toolsOf(attached), ['read_file inbox/a haiku.txt']);
  const shown = await thread.end(attached, ran('one\ntwo'));
  assert.match(shown.words, /`inbox\/a haiku\.txt` holds:\n\n```\none\ntwo\n```/);
});

test('earlier turns of the thread do not change the answer', async () => {
  const thread = aThread();
  await thread.end(await thread.say('Write a haiku'), ran('Wrote 5 bytes to haiku.txt.'));
  const again = await thread.say('Write a haiku');
  assert.deepEqual(toolsOf(again), ['write_file haiku.txt']);
  await thread.end(again);
  assert.deepEqual(toolsOf(await thread.say('Read the agenda')), ['read_file agenda.md']);
});

test('a result is quoted', async () => {
  const thread = aThread();
  const { words } = await thread.end(
    await thread.say('Write a haiku'),
    ran('Wrote 61 bytes to haiku.txt.'),
  );
  assert.match(words, /The haiku is written/);
  assert.match(words, /“Wrote 61 bytes to haiku\.txt\.”/);
});

test('arguments that a person changed are reported as changed', async () => {
  const thread = aThread();
  const asked = await thread.say('Write a haiku');
  const { words } = await thread.end(asked, [
    ran('Wrote 4 bytes to other.txt.'),
    '{"content":"mine","path":"other.txt"}',
  ]);
  assert.match(words, /`other\.txt` ran with the arguments that you changed/);
});

const NOT_DONE: readonly (readonly [Outcome, says: RegExp])[] = [
  [
    failed('write_file failed: haiku.txt is a folder; name a file.'),
    /failed, so this is not done.*is a folder/,
  ],
  [
    failed('write_file took longer than 600 s and was stopped.'),
    /failed, so this is not done.*600 s/,
  ],
  [{ kind: 'reply', by, text: 'No need, I have one.' }, /did not run.*No need, I have one/],
  [{ kind: 'expired' }, /no result.*nobody decided in time/],
  [{ kind: 'refused', reason: 'The rules forbid it.' }, /no result.*The rules forbid it/],
  [{ kind: 'unknown', reason: 'The app stopped.' }, /no result.*not known whether this ran/],
  [{ kind: 'withdrawn', cause: 'stop' }, /no result.*stopped the work/],
];
for (const [outcome, says] of NOT_DONE) {
  const name = outcome.kind === 'error' ? outcome.text.slice(0, 24) : outcome.kind;
  test(`after “${name}” it says so and claims no success`, async () => {
    const thread = aThread();
    const { words, calls } = await thread.end(await thread.say('Write a haiku'), outcome);
    assert.match(words, says);
    assert.doesNotMatch(words, /is written|ran\./);
    assert.deepEqual(calls, []);
  });
}

test('in a batch each call is reported with its own outcome', async () => {
  const thread = aThread();
  const { words } = await thread.end(
    await thread.say('Plan the week'),
    ran('Wrote 30 bytes to week/monday.md.'),
    failed('write_file failed: the disk is full.'),
    { kind: 'reply', by, text: 'Not on Wednesday' },
  );
  assert.doesNotMatch(words, /The week is planned/);
  assert.match(words, /week\/monday\.md` ran\..*30 bytes/);
  assert.match(words, /week\/tuesday\.md` failed, so this is not done.*disk is full/);
  assert.match(words, /week\/wednesday\.md` did not run.*Not on Wednesday/);
});

test('a missing file is written, and then read or changed', async () => {
  const missing = (path: string) =>
    failed(toReadFailure(`No such file: ${path}. list_files shows what is there.`));
  const agenda = aThread();
  const write = await agenda.end(await agenda.say('Read the agenda'), missing('agenda.md'));
  assert.deepEqual(toolsOf(write), ['write_file agenda.md']);
  assert.match((await agenda.end(write)).words, /Now there is an agenda/);

  const greeting = aThread();
  const made = await greeting.end(await greeting.say('The greeting!'), missing('greeting.txt'));
  assert.deepEqual(toolsOf(made), ['write_file greeting.txt']);
  const { content } = made.calls[0]?.args ?? {};
  const reread = await greeting.end(made, ran('Wrote 45 bytes to greeting.txt.'));
  assert.deepEqual(toolsOf(reread), ['read_file greeting.txt']);
  const edit = await greeting.end(reread, ran(String(content)));
  const { oldText, newText } = edit.calls[0]?.args ?? {};
  assert.deepEqual(toolsOf(edit), ['edit_file greeting.txt']);
  assert.equal(String(content).split(String(oldText)).length, 2);
  assert.match((await greeting.end(edit)).words, /The greeting is switched/);

  const back = aThread();
  const formal = String(content).replace(String(oldText), String(newText));
  const edited = await back.end(await back.say('greeting'), ran(formal));
  assert.equal(edited.calls[0]?.args.newText, oldText);
});

test('a file that can’t be read for another reason is left unchanged', async () => {
  for (const said of ['Read the agenda', 'greeting']) {
    const thread = aThread();
    const end = failed(toReadFailure('it is a folder; list_files shows what is in it.'));
    const { words, calls } = await thread.end(await thread.say(said), end);
    assert.deepEqual(calls, []);
    assert.match(words, /failed, so this is not done.*is a folder/);
  }
});

const LISTING = 'a b.txt (3 bytes)\nnotes/\nnotes/x.md (0 bytes)\nlink (link, not usable)';

test('a deletion uses existing files: all if all are requested, else those that are named', async () => {
  const all = aThread();
  const every = await all.end(await all.say('Delete all files'), ran(LISTING));
  assert.deepEqual(toolsOf(every), ['delete_file a b.txt', 'delete_file notes/x.md']);
  const one = aThread();
  const named = await one.end(await one.say('Delete notes/x.md, please'), ran(LISTING));
  assert.deepEqual(toolsOf(named), ['delete_file notes/x.md']);
  const none = aThread();
  const asked = await none.end(await none.say('Delete old.txt'), ran(LISTING));
  assert.deepEqual(asked.calls, []);
  assert.match(asked.words, /which ones/);
  const empty = aThread();
  const bare = await empty.end(await empty.say('Delete all files'), ran('. is empty.'));
  assert.deepEqual(bare.calls, []);
  assert.match(bare.words, /nothing to delete/);
});

test('a deletion is at most five calls, and says how many are left', async () => {
  const thread = aThread();
  const listing = Array.from({ length: 7 }, (_, index) => `f${index} (1 bytes)`).join('\n');
  const { words, calls } = await thread.end(await thread.say('Delete all'), ran(listing));
  assert.equal(calls.length, 5);
  assert.match(words, /the other 2/);
});

test('the long answer has about 6,000 characters, a table, lists and code', async () => {
  const { words } = await aThread().say('A long answer, please');
  assert(words.length > 5_000 && words.length < 7_000, String(words.length));
  for (const part of [/^\| You press \|/m, /^1\. /m, /^- /m, /^```json$/m, /^> /m, /^### /m]) {
    assert.match(words, part);
  }
  assert.equal(words.match(/^```/gm)?.length, 4);
});

test('every request without the key is refused, on its control routes too', async () => {
  for (const path of ['/v1/chat/completions', '/__aimock/fixtures', '/__aimock/reset']) {
    const response = await fetch(new URL(path, model.baseUrl), {
      method: 'POST',
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }] }),
    });
    assert.equal(response.status, 401, path);
  }
});

function toReadFailure(why: string): string {
  return `read_file failed: ${why}\nYou may correct the arguments, or choose another way.`;
}
