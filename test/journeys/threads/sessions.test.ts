/** The sessions of the agent as people see them in Slack: the Messages tab, the status of a thread, and the stop button. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { allText, type Place } from '../../support/app/scene.ts';
import type { MockAnswer } from '../../support/servers/mock-model.ts';
import { sayText, toChunk } from '../../support/servers/mock-model.ts';
import { type FieldStage, sayCall, setFieldStage } from '../field-reports/field-stage.ts';

describe('sessions', () => {
  let stage: FieldStage;
  before(async () => {
    stage = await setFieldStage('http');
  });
  after(() => stage.close());

  const welcomes = (member: string) =>
    stage.workspace
      .see(member)
      .messages.filter(({ blocks }) =>
        JSON.stringify(blocks).includes('Before I do anything risky, I post a card'),
      );
  const waitForWelcomes = (member: string, times: number) =>
    stage.workspace.waitFor(() => (welcomes(member).length === times ? true : undefined));
  const sessionOf = ({ root }: Place) =>
    stage.workspace.see('requester').sessions.find(({ threadTs }) => threadTs === root);
  const waitForStatus = (place: Place, status: string) =>
    stage.workspace.waitFor(() => (sessionOf(place)?.status === status ? true : undefined), {
      describe: () => `${JSON.stringify(sessionOf(place))}, not ${status}`,
    });
  const byApp = (place: Place) =>
    stage.thread(place).filter(({ user }) => user === stage.workspace.app.botUserId);

  /** Sends one word, and the rest once it is released. */
  function pausedAnswer(word: string, rest: string): { answer: MockAnswer; goOn(): void } {
    let goOn = () => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    async function* chunks() {
      yield toChunk({ role: 'assistant', content: word }, null);
      await held;
      yield toChunk({ content: rest }, null);
      yield toChunk({}, 'stop');
    }
    return { answer: { kind: 'chunks', chunks: chunks() }, goOn: () => goOn() };
  }

  it('welcome each person once in the Messages tab, across restarts', async () => {
    const { workspace } = stage;
    await workspace.openMessages('requester');
    await waitForWelcomes('requester', 1);
    await stage.restart('kill');
    await workspace.openMessages('requester');
    await workspace.openMessages('approver');
    await waitForWelcomes('approver', 1);
    assert.equal(welcomes('requester').length, 1);
    const [hello] = welcomes('requester');
    assert.equal(hello?.threadTs, undefined);
  });

  it('show that a thread works, waits for people, works again and is ready, and name it after its first message', async () => {
    stage.play(sayCall('hold', { note: 'session' }), sayText('It is noted.'));
    const place = await stage.ask('requester', 'Note this\nand nothing else');
    const card = await stage.card(place, 'session', 'Approve');
    await waitForStatus(place, 'suspended');
    assert.equal(sessionOf(place)?.title, 'Note this');
    await stage.press('requester', card, 'call.approve');
    await waitForStatus(place, 'processing');
    await stage.release('session');
    await stage.answer(place, 'It is noted.');
    await waitForStatus(place, 'active');
    const asked = stage.apiCalls('agents.sessions.setStatus').map(({ request }) => {
      const { status, thread_ts: ts } = request as Record<string, string>;
      return ts === place.root ? [status] : [];
    });
    const flow = asked.flat().filter((status, i, all) => status !== all[i - 1]);
    assert.deepEqual(flow, ['processing', 'suspended', 'processing', 'active']);
    assert.deepEqual(stage.apiCalls('assistant.threads.setStatus'), []);
    assert.deepEqual(stage.apiCalls('assistant.threads.setTitle'), []);
  });

  it('end with the stop button of Slack, and keep the partial answer with a note that it was stopped', async () => {
    const { answer, goOn } = pausedAnswer('Once upon a time ', 'there was more.');
    stage.play(answer, sayText('At your service.'));
    const place = await stage.ask('requester', 'tell me a story');
    const growing = await stage.answer(place, 'Once upon a time');
    assert.ok(growing.streaming);
    await stage.workspace.stopSession('requester', place.channel, place.root);
    await stage.answer(place, `<@${stage.workspace.member('requester').id}> stopped this.`);
    await waitForStatus(place, 'active');
    await stage.settled();
    goOn();
    const said = byApp(place).filter((each) => allText(each).includes('Once upon a time'));
    assert.equal(said.length, 1);
    assert.match(allText(said[0] ?? growing), /Stopped here\./);
    await stage.write('requester', place, 'are you there?');
    await stage.answer(place, 'At your service.');
    await waitForStatus(place, 'active');
  });

  it('refuse a stop by other people with a message, and continue the answer in a new message', async () => {
    const { answer, goOn } = pausedAnswer('It begins ', 'and it ends.');
    stage.play(answer);
    const place = await stage.ask('requester', 'tell me another');
    const growing = await stage.answer(place, 'It begins');
    await stage.workspace.stopSession('guest', place.channel, place.root);
    const { ts } = await stage.privately('guest', 'guest');
    assert.ok(ts !== growing.ts);
    assert.equal(sessionOf(place)?.status, 'processing');
    goOn();
    const whole = await stage.answer(place, 'It begins and it ends.');
    await waitForStatus(place, 'active');
    assert.ok(!byApp(place).some((each) => allText(each).includes('stopped this')));
    assert.deepEqual(
      byApp(place)
        .filter((each) => allText(each).includes('It begins'))
        .map((each) => each.ts),
      [whole.ts],
    );
  });

  it('ignore a late stop for the turn that started after it', async () => {
    stage.play(sayText('The first.'), sayCall('note', { text: 'a later one' }));
    const place = await stage.ask('requester', 'one');
    await stage.answer(place, 'The first.');
    await waitForStatus(place, 'active');
    const pressed = String(Date.now() / 1_000);
    await stage.write('requester', place, 'two');
    const card = await stage.card(place, 'a later one', 'Approve');
    await stage.workspace.deliverEvent({
      type: 'agent_session_stopped',
      channel: place.channel,
      user: stage.workspace.member('requester').id,
      thread_ts: place.root,
      streaming_message_ts: [],
      event_ts: pressed,
    });
    await stage.privately('requester', 'Nothing to stop');
    stage.play(sayText('Noted.'));
    await stage.press('requester', card, 'call.approve');
    await stage.answer(place, 'Noted.');
  });
});
