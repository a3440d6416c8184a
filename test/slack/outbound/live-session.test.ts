/** Live messages in a session, where Slack shows its own stop button. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { ChatError } from '../../../src/domain/ports/chat.ts';
import type { ApiFault } from '../../../src/playground/workspace/workspace-port.ts';
import {
  hasStop,
  type LiveBench,
  type LiveLab,
  markdownOf,
  setLiveLab,
} from '../support/live-lab.ts';

describe('a live message in a session', () => {
  let lab: LiveLab;
  before(async () => {
    lab = await setLiveLab();
  });
  after(() => lab.workspace.stop());
  beforeEach(() => lab.workspace.faults.clear());

  const fail = (method: string, fault: ApiFault) => lab.workspace.faults.api(method, fault, 1);

  async function inSession(): Promise<LiveBench> {
    const bench = await lab.inChannel();
    await bench.sessions.setStatus(bench.thread, { session: 'processing', words: '' });
    return bench;
  }
  const sessionOf = ({ thread }: LiveBench) =>
    lab.workspace
      .see('requester')
      .sessions.find(({ threadTs }) => threadTs === thread.split('/')[2]);
  const stopAs = (member: string, { thread }: LiveBench) =>
    lab.workspace.stopSession(member, thread.split('/')[1] ?? '', thread.split('/')[2] ?? '');

  it('has no stop button of ours, as a stream and as a message', async () => {
    const bench = await inSession();
    await bench.draw('Hello');
    assert.ok(bench.messages()[0]?.streaming && !hasStop(bench.messages()[0]));
    const other = await inSession();
    fail('chat.startStream', { kind: 'error', error: 'channel_type_not_supported' });
    await other.draw('Hello');
    assert.ok(other.messages()[0] && !other.messages()[0]?.streaming);
    assert.ok(!hasStop(other.messages()[0]));
  });

  it('leaves the session in the wanted status when its stream ends', async () => {
    const bench = await inSession();
    await bench.draw('Hello');
    await bench.sessions.setStatus(bench.thread, { session: 'suspended', words: '' });
    await bench.say('Hello you');
    assert.equal(sessionOf(bench)?.status, 'suspended');
    assert.equal(bench.messages().length, 1);
  });

  it('is found again without a button after a lost response', async () => {
    for (const method of ['chat.startStream', 'chat.postMessage']) {
      const bench = await inSession();
      if (method === 'chat.postMessage')
        fail('chat.startStream', { kind: 'error', error: 'channel_type_not_supported' });
      fail(method, { kind: 'lost' });
      await bench.draw('Hello');
      await bench.draw('Hello you');
      await bench.say('Hello you all');
      assert.equal(bench.messages().length, 1);
      assert.equal(markdownOf(bench.messages()[0]), 'Hello you all');
    }
  });

  it('continues in a new message if a person without the right to stop the turn stopped the stream', async () => {
    const bench = await inSession();
    await bench.draw('Hello ');
    const first = bench.messages()[0]?.ts;
    await stopAs('outsider', bench);
    await assert.rejects(
      bench.live.draw({ text: 'Hello you', tasks: [] }),
      (error) => error instanceof ChatError && (error.retryAfterMs ?? 0) >= 5_000,
    );
    assert.equal(bench.messages()[0]?.ts, first);
    await bench.draw('Hello you');
    const [second, ...others] = bench.messages();
    assert.deepEqual(others, []);
    assert.notEqual(second?.ts, first);
    assert.equal(markdownOf(second), 'Hello you');
    await bench.say('Hello you all');
    assert.equal(markdownOf(bench.messages()[0]), 'Hello you all');
  });

  it('is replaced by the notice of a turn that a person stopped', async () => {
    const bench = await inSession();
    await bench.draw('Hello ');
    const first = bench.messages()[0]?.ts;
    await stopAs('requester', bench);
    await bench.say('Hello');
    assert.deepEqual(
      bench.messages().map(({ ts }) => ts),
      [first],
    );
  });
});
