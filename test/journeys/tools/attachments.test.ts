/** Files that people attach, and files that the agent sends, in the real app. */
import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Place } from '../../support/app/scene.ts';
import { type Stage, setStage } from '../../support/app/stage.ts';
import { type MockAnswer, sayCalls, sayText } from '../../support/servers/mock-model.ts';

interface SaidFile {
  readonly name: string;
  readonly content: string | Uint8Array;
  readonly mimetype: string;
}

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const textFile = (name: string, content: string): SaidFile => ({
  name,
  content,
  mimetype: 'text/plain',
});
const MB = 1024 * 1024;

describe('files in the real app', () => {
  let stage: Stage;
  before(async () => {
    stage = await setStage('socket', { MODEL_SEES_IMAGES: '1' });
  });
  after(() => stage.close());
  beforeEach(() => stage.workspace.faults.clear());

  function play(...answers: readonly MockAnswer[]): void {
    stage.model.script((_request, index) => {
      const answer = answers[index];
      if (!answer) throw new Error(`The model was asked ${index + 1} times.`);
      return answer;
    });
  }

  /** A direct message with files to the agent. */
  async function send(text: string, ...files: readonly SaidFile[]): Promise<Place> {
    const { id } = await stage.workspace.directMessage('requester');
    const { ts } = await stage.workspace.say('requester', id, text, { files });
    return { channel: id, root: ts };
  }

  function lastOfPerson(): unknown {
    const { messages } = stage.model.requests.at(-1) ?? { messages: [] };
    return messages.findLast(({ role }) => role === 'user')?.content;
  }

  const saved = (path: string) => join(stage.folder, 'workspace', path);

  it('a text file is in the inbox, named to the agent, and read by it', async () => {
    play(
      sayCalls([{ name: 'read_file', args: '{"path":"inbox/numbers.csv"}' }]),
      sayText('The sum is 3.'),
    );
    const place = await send('add these up', textFile('numbers.csv', '1\n2\n'));
    await stage.answer(place, 'The sum is 3.');
    assert.match(
      String(lastOfPerson()),
      /^add these up\n[\s\S]*\(text, 4 bytes\) is at inbox\/numbers\.csv$/,
    );
    const { messages } = stage.model.requests.at(-1) ?? { messages: [] };
    assert.equal(messages.at(-1)?.content, '1\n2\n');
    assert.equal(await stage.file('inbox/numbers.csv'), '1\n2\n');
  });

  it('a message with only a file is a message, also in a channel thread', async () => {
    play(sayText('I have it.'), sayText('That too.'));
    const place = await send('', textFile('only.txt', 'only this'));
    await stage.answer(place, 'I have it.');
    assert.match(String(lastOfPerson()), /^\(no text, only only\.txt\)\n[\s\S]*inbox\/only\.txt/);
    play(sayText('Hello.'), sayText('That too.'));
    const thread = await stage.ask('requester', 'hello');
    await stage.answer(thread, 'Hello.');
    const files = [textFile('more.txt', 'more')];
    await stage.workspace.say('requester', thread.channel, '', { threadTs: thread.root, files });
    await stage.answer(thread, 'That too.');
    assert.equal(await stage.file('inbox/more.txt'), 'more');
  });

  it('a mention with a file, which arrives as two events, is one turn with one file', async () => {
    play(sayText('One.'));
    const { id } = stage.workspace.channel('general');
    const files = [textFile('twice.txt', 'x')];
    const { ts } = await stage.workspace.say('requester', id, `\${bot} look`, { files });
    await stage.answer({ channel: id, root: ts }, 'One.');
    const names = await readdir(saved('inbox'));
    assert.deepEqual(
      names.filter((name) => name.startsWith('twice')),
      ['twice.txt'],
    );
  });

  it('an image is sent unchanged to a model with vision', async () => {
    play(sayText('A dot.'));
    const place = await send('what is it?', {
      name: 'dot.png',
      content: PNG,
      mimetype: 'image/png',
    });
    await stage.answer(place, 'A dot.');
    const [words, image] = lastOfPerson() as { type: string; text?: string; image_url?: object }[];
    assert.match(words?.text ?? '', /image\/png, \d+ bytes\) is at inbox\/dot\.png/);
    assert.deepEqual(image, {
      type: 'image_url',
      image_url: { url: `data:image/png;base64,${PNG.toString('base64')}` },
    });
    assert.deepEqual(stage.model.refusals, []);
  });

  it('a PDF is saved byte for byte and named', async () => {
    play(sayText('Saved.'));
    const content = Buffer.from('%PDF-1.7\n\xe2\xe3\xcf\xd3\n\0', 'latin1');
    const place = await send('keep it', { name: 'a b.pdf', content, mimetype: 'application/pdf' });
    await stage.answer(place, 'Saved.');
    assert.match(
      String(lastOfPerson()),
      /“a b\.pdf” \(not text, said to be application\/pdf, 15 bytes\) is at inbox\/a b\.pdf/,
    );
    assert.deepEqual(await readFile(saved('inbox/a b.pdf')), content);
  });

  it('a text that is too long is refused, and the person and the agent are told', async () => {
    play(sayText('Understood.'));
    const place = await send('read', textFile('long.txt', 'x'.repeat(MB + 1)));
    await stage.answer(place, 'I could not read the file “long.txt”: it is a text file of 1.1 MB');
    await stage.answer(place, 'Understood.');
    assert.match(String(lastOfPerson()), /“long\.txt” could not be read: it is a text file/);
    assert.equal(await stage.file('inbox/long.txt'), undefined);
  });

  it('without the scope, the sign-in page of Slack is not a file, and the answer says what to do', async () => {
    play(sayText('So be it.'));
    const body = '<!DOCTYPE html><title>Slack</title><a href="/signin">Sign in</a>';
    stage.workspace.faults.api('files-pri', { kind: 'status', status: 200, body });
    const place = await send('read', textFile('locked.txt', 'secret'));
    await stage.answer(place, 'has to install it again with the manifest (files:read)');
    await stage.answer(place, 'So be it.');
    assert.equal(await stage.file('inbox/locked.txt'), undefined);
  });

  it('a file that Slack cannot serve yet is fetched a little later', async () => {
    play(sayText('Here it is.'));
    stage.workspace.faults.api('files-pri', { kind: 'status', status: 503 });
    const place = await send('read', textFile('late.txt', 'late'));
    await stage.answer(place, 'Here it is.');
    assert.equal(await stage.file('inbox/late.txt'), 'late');
  });

  it('two files with one name both keep their bytes', async () => {
    play(sayText('Both.'));
    const place = await send('keep', textFile('same.txt', 'one'), textFile('same.txt', 'two'));
    await stage.answer(place, 'Both.');
    const paths = [...String(lastOfPerson()).matchAll(/ is at (inbox\/\S+)$/gm)].map(
      ([, path]) => path,
    );
    assert.equal(paths[0], 'inbox/same.txt');
    assert.match(paths[1] ?? '', /^inbox\/same-F[A-Z0-9]+\.txt$/);
    assert.deepEqual(await Promise.all(paths.map((path = '') => stage.file(path))), ['one', 'two']);
  });

  it('an inbox that leads out of the workspace accepts nothing', async () => {
    play(sayText('Not taken.'));
    const outside = join(stage.folder, 'outside');
    await mkdir(outside);
    await rename(saved('inbox'), saved('kept'));
    await symlink(outside, saved('inbox'));
    try {
      const place = await send('keep', textFile('trap.txt', 'x'));
      await stage.answer(place, 'it can’t be saved in the workspace: inbox is');
      await stage.answer(place, 'Not taken.');
      assert.deepEqual(await readdir(outside), []);
    } finally {
      await rename(saved('inbox'), saved('trap'));
      await rename(saved('kept'), saved('inbox'));
    }
  });

  describe('send_file', () => {
    const call = (args: object) => sayCalls([{ name: 'send_file', args: JSON.stringify(args) }]);
    const sent = (place: Place) =>
      stage
        .thread(place)
        .filter(({ user, files }) => user === stage.workspace.app.botUserId && files.length > 0);

    it('posts a file in the thread once its card is approved, and no mention in its text notifies anyone', async () => {
      await writeFile(saved('report.txt'), 'All is well.\n');
      play(
        call({ path: 'report.txt', comment: 'For <!channel> & https://evil.test' }),
        sayText('Sent.'),
      );
      const place = await stage.ask('requester', 'send me the report');
      const card = await stage.card(
        place,
        'report.txt',
        'Size: 13 bytes',
        'All is well.',
        'SHA-256:',
      );
      assert.deepEqual(sent(place), []);
      await stage.press('requester', card, 'call.approve');
      await stage.answer(place, 'Sent.');
      const [message] = sent(place);
      assert.deepEqual(
        message?.files.map(({ name, size }) => [name, size]),
        [['report.txt', 13]],
      );
      assert.equal(message?.threadTs, place.root);
      assert.equal(message?.text, 'For &lt;!channel&gt; &amp; https:\u2060//evil.test');
      assert.match(stage.app().output(), /"sha256":"[0-9a-f]{64}"/);
    });

    it('sends nothing if ignored', async () => {
      play(call({ path: 'report.txt' }));
      const place = await stage.ask('requester', 'send it again');
      const card = await stage.card(place, 'send it again', 'report.txt');
      await stage.press('requester', card, 'call.ignore');
      await stage.card(place, 'Ignored', 'report.txt');
      assert.deepEqual(sent(place), []);
    });

    it('does not send a file that changed after its card was shown', async () => {
      play(call({ path: 'report.txt' }));
      const place = await stage.ask('requester', 'once more');
      const card = await stage.card(place, 'once more', 'All is well.');
      await writeFile(saved('report.txt'), 'All is lost.\n');
      await stage.press('requester', card, 'call.approve');
      const anew = await stage.card(place, 'has changed since it was shown', 'All is lost.');
      assert.deepEqual(sent(place), []);
      await stage.press('requester', anew, 'call.ignore');
      await stage.card(place, 'Ignored', 'report.txt');
      assert.deepEqual(sent(place), []);
    });

    it('explains why Slack did not accept it', async () => {
      play(call({ path: 'report.txt' }), sayText('It failed.'));
      stage.workspace.faults.api('files.getUploadURLExternal', {
        kind: 'error',
        error: 'missing_scope',
      });
      const place = await stage.ask('requester', 'and again');
      const card = await stage.card(place, 'and again', 'All is lost.');
      await stage.press('requester', card, 'call.approve');
      await stage.answer(place, 'It failed.');
      const { messages } = stage.model.requests.at(-1) ?? { messages: [] };
      assert.match(String(messages.at(-1)?.content), /send_file failed: .*missing_scope/);
      assert.deepEqual(sent(place), []);
    });
  });
});
