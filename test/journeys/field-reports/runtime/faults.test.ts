/** Faults of Slack, of the model and of the disk. */
import assert from 'node:assert/strict';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { ApiFault } from '../../../../src/playground/workspace/workspace-port.ts';
import { allText } from '../../../support/app/scene.ts';
import {
  cutAfter,
  finishWith,
  type MockAnswer,
  sayCalls,
  sayStatus,
  sayText,
} from '../../../support/servers/mock-model.ts';
import { until } from '../../../support/until.ts';
import { call, type FieldStage, sayCall, setFieldStage } from '../field-stage.ts';

/** Where the rejected card is reported. */
const TS = "json_extract(document, '$.refused.ts')";
const IS_REFUSED = `key LIKE 'place/%' AND ${TS} IS NOT NULL`;

describe('faults', () => {
  let stage: FieldStage;
  before(async () => {
    stage = await setFieldStage('socket');
  });
  after(() => stage.close());
  beforeEach(() => stage.workspace.faults.clear());

  const playNote = (text: string) => stage.play(sayCall('note', { text }), sayText('It is noted.'));

  /** Lets a minute pass since Slack first rejected the card. */
  async function refusedForAMinute(): Promise<void> {
    const since = () =>
      stage.sql<{ ts: string }>(`SELECT ${TS} AS ts FROM records WHERE ${IS_REFUSED}`);
    await until(() => since().length === 1);
    stage.sql(
      `UPDATE records SET document = json_set(document, '$.refused.ts', '1') WHERE ${IS_REFUSED}`,
    );
  }

  for (const [error, hint] of [
    ['channel_not_found', '/invite'],
    ['not_in_channel', '/invite'],
    ['is_archived', 'Unarchive it'],
    ['restricted_action', 'An admin can allow it'],
    ['an_error_nobody_knows', 'an_error_nobody_knows'],
    ['invalid_blocks', 'invalid_blocks'],
  ] as const) {
    it(`a card refused by Slack with ${error} is reported to its requester once, runs nothing, and is posted once that is fixed`, async () => {
      const before = (await stage.runs()).length;
      stage.workspace.faults.api('chat.postMessage', { kind: 'error', error }, 1_000);
      playNote(error);
      const place = await stage.ask('requester', `note ${error}`);
      await refusedForAMinute();
      const told = await stage.privately('requester', hint);
      assert.match(allText(told), /Nothing was run/);
      assert.equal(stage.cards(place).length, 0);
      stage.workspace.faults.clear();
      const card = await stage.card(place, error, 'Waiting for a decision');
      assert.equal((await stage.runs()).length, before);
      const tellings = stage.workspace
        .see('requester')
        .messages.filter((message) => allText(message) === allText(told));
      assert.equal(tellings.length, 1);
      await stage.press('requester', card, 'call.approve');
      await stage.answer(place, 'It is noted.');
      assert.equal((await stage.runs()).length, before + 1);
    });
  }

  it('a thread in a channel without the app is reported by direct message, and continues once the app is invited', async () => {
    const channel = stage.workspace.channel('finance').id;
    const { ts } = await stage.workspace.say('requester', channel, `\${bot} note the books`);
    playNote('the books');
    const { id: user, teamId: team } = stage.workspace.member('requester');
    const text = `<@${stage.workspace.app.botUserId}> note the books`;
    const ack = await stage.workspace.deliverEvent({
      ...{ type: 'app_mention', user, team, text, ts, channel, event_ts: ts },
    });
    assert.equal(ack.kind, 'acknowledged');
    await refusedForAMinute();
    const told = await stage.privately('requester', `<#${channel}>`);
    assert.match(allText(told), /\/invite/);
    assert.ok(told.channel.startsWith('D'));
    const place = { channel, root: ts };
    assert.equal(stage.cards(place).length, 0);
    await stage.workspace.join('countersign', 'finance');
    const card = await stage.card(place, 'the books', 'Waiting for a decision');
    await stage.press('requester', card, 'call.approve');
    await stage.answer(place, 'It is noted.');
  });

  const faults: readonly (readonly [string, ApiFault])[] = [
    ['is rate-limited', { kind: 'rate-limited', retryAfterS: 1 }],
    ['answers 500', { kind: 'status', status: 500 }],
    ['answers 503 with a page', { kind: 'status', status: 503, body: '<html>' }],
    ['answers internal_error', { kind: 'error', error: 'internal_error' }],
    ['takes the post and loses the answer', { kind: 'lost' }],
  ];
  for (const [what, fault] of faults) {
    it(`the thread has one card and one answer when Slack ${what}`, async () => {
      stage.workspace.faults.api('chat.postMessage', fault);
      playNote(what);
      const place = await stage.ask('requester', 'note it');
      const card = await stage.card(place, what, 'Waiting for a decision');
      stage.workspace.faults.api('chat.update', fault);
      await stage.press('requester', card, 'call.approve');
      await stage.card(place, what, 'Done');
      await stage.answer(place, 'It is noted.');
      stage.play(sayText('I say it again.'));
      stage.workspace.faults.api('chat.postMessage', fault);
      await stage.write('requester', place, 'once more');
      await stage.answer(place, 'I say it again.');
      await stage.settled(60_000);
      const own = stage.thread(place).filter(({ botId }) => botId !== undefined);
      assert.equal(stage.cards(place).length, 1);
      assert.equal(own.length, 3, own.map(allText).join('\n'));
    });
  }

  for (const how of ['refresh', 'drop'] as const) {
    it(`a ${how} of the connection between a click and its result loses nothing, and the next click arrives`, async () => {
      stage.play(
        sayCalls(['one', 'two'].map((n) => call('hold', { note: `${how}-${n}` }))),
        sayText('Both were held.'),
      );
      const place = await stage.ask('requester', 'hold both');
      const [one, two] = [`${how}-one`, `${how}-two`];
      const first = await stage.line(place, one, 'Waiting for a decision');
      await stage.pressLine('requester', first, 'call.approve');
      await stage.line(place, one, 'Running');
      stage.workspace.faults.disconnectSockets(how);
      await stage.release(one);
      await stage.line(place, one, 'Done');
      await stage.workspace.connected();
      const second = await stage.line(place, two, 'Waiting for a decision');
      await stage.pressLine('requester', second, 'call.approve');
      await stage.release(two);
      await stage.answer(place, 'Both were held.');
    });
  }

  const failures: readonly (readonly [string, MockAnswer, string])[] = [
    ['too many requests', sayStatus(429, {}, { 'retry-after': '60' }), 'too many requests'],
    ['no credit', sayStatus(429, { code: 'insufficient_quota' }), 'no credit left'],
    ['a server error', sayStatus(400), 'did not accept the request'],
    ['a wrong key', sayStatus(401), 'OPENAI_API_KEY'],
    [
      'a stream that is cut amid the arguments of a call',
      cutAfter(sayCalls([{ name: 'delete_file', args: '{"path":"/srv/tm' }], 'I delete it.')),
      'broke off before it was complete, and no action was taken from it',
    ],
    [
      'a stream without an end amid the arguments of a call',
      finishWith(sayCalls([{ name: 'delete_file', args: '{"path":"keep' }]), null),
      'broke off before it was complete, and no action was taken from it',
    ],
    [
      'the length limit in a call',
      finishWith(sayCall('delete_file', { path: 'keep.txt' }), 'length'),
      'no action was taken from it',
    ],
    ['an empty answer', sayText(), 'empty answer'],
  ];
  for (const [what, answer, sentence] of failures) {
    it(`${what} ends in one clear message and no card, and the thread continues`, async () => {
      stage.play(answer);
      const place = await stage.ask('requester', 'go on');
      await stage.answer(place, sentence);
      await stage.settled();
      const notices = stage.thread(place).filter((each) => allText(each).includes(sentence));
      assert.equal(notices.length, 1);
      assert.equal(stage.cards(place).length, 0);
      stage.play(sayText('Here I am again.'));
      await stage.write('requester', place, 'and now?');
      await stage.answer(place, 'Here I am again.');
    });
  }

  it('a provider that answers again after two errors is not noticed', async () => {
    stage.play(sayStatus(500), sayStatus(503), sayText('Third time lucky.'));
    const place = await stage.ask('requester', 'be patient');
    await stage.answer(place, 'Third time lucky.');
    assert.equal(stage.thread(place).length, 2);
  });

  it('malformed arguments, unknown tools and repeated ids go back to the model, and the valid call to people', async () => {
    const before = (await stage.runs()).length;
    stage.play(
      sayCalls([
        { id: 'same', name: 'note', args: '{"text":' },
        { id: 'same', name: 'note', args: '{"text":1}' },
        { id: 'same', name: 'note', args: '{"text":"a","text":"b"}' },
        { id: 'same', name: 'no_such_tool', args: '{}' },
        { id: 'same', name: 'note', args: '{"text":"right"}' },
      ]),
      sayText('One was right.'),
    );
    const place = await stage.ask('requester', 'make mistakes');
    const card = await stage.card(place, 'right', 'Waiting for a decision');
    await stage.settled();
    assert.equal(stage.cards(place).length, 1);
    await stage.press('requester', card, 'call.approve');
    await stage.answer(place, 'One was right.');
    const [cut, wrong, twice, unknown, right] = stage.toolMessages();
    assert.match(cut ?? '', /not valid JSON/);
    assert.match(wrong ?? '', /do not fit its schema/);
    assert.match(twice ?? '', /not valid JSON/);
    assert.match(unknown ?? '', /there is no tool/);
    assert.match(right ?? '', /note is done/);
    assert.equal((await stage.runs()).length, before + 1);
  });

  it('nothing outside the workspace is read, written, changed, deleted or shown on a card', async () => {
    const outside = join(stage.folder, 'outside');
    const workspace = join(stage.folder, 'workspace');
    await mkdir(outside);
    const secret = join(outside, 'secret.txt');
    await writeFile(secret, 'the secret outside');
    await symlink(outside, join(workspace, 'link'));
    await symlink(secret, join(workspace, 'alias.txt'));
    // The arguments alone show that these paths are invalid, so they get no card; a link is found when the call runs.
    const paths = {
      '../outside/secret.txt': 'refused',
      [secret]: 'refused',
      'link/secret.txt': 'met',
      'alias.txt': 'met',
    };
    for (const [path, how] of Object.entries(paths)) {
      stage.play(
        sayCalls([
          call('read_file', { path }),
          call('write_file', { path, content: 'overwritten' }),
          call('edit_file', { path, oldText: 'secret', newText: 'public' }),
          call('delete_file', { path }),
          call('list_files', { path }),
        ]),
        sayText('I could not.'),
      );
      const place = await stage.ask('requester', 'break out');
      for (const name of how === 'met' ? ['Write', 'Edit', 'Delete'] : []) {
        const line = await stage.line(place, `${name} ${path}`, 'Waiting for a decision');
        assert.doesNotMatch(allText(line.card), /the secret outside/);
        await stage.pressLine('requester', line, 'call.approve');
        await stage.line(place, `${name} ${path}`, 'Failed');
      }
      await stage.answer(place, 'I could not.');
      assert.doesNotMatch(JSON.stringify(stage.model.requests.at(-1)), /the secret outside/);
      const answers = stage.toolMessages();
      assert.equal(answers.length, 5);
      for (const answer of answers) assert.match(answer, / failed: |do not fit its schema/);
      if (how === 'refused') assert.equal(stage.cards(place).length, 0);
      assert.equal(await readFile(secret, 'utf8'), 'the secret outside');
    }
  });

  it('every request to the model was in a valid order', () => {
    assert.deepEqual(stage.model.refusals, []);
  });
});
