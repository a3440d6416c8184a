/** Slack sends two events for a mention with a file. One message with the file is stored, in either order. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type SlackStage, setSlackStage } from '../support/slack-stage.ts';

describe('a mention with a file', () => {
  let stage: SlackStage;
  before(async () => {
    stage = await setSlackStage('http');
  });
  after(() => stage.close());

  function twinsOf(ts: string) {
    const { workspace } = stage;
    const channel = workspace.channel('general').id;
    const user = workspace.member('requester').id;
    const text = `<@${workspace.app.botUserId}> read this`;
    const files = [{ id: 'F1', name: 'a.txt', mimetype: 'text/plain', size: 1 }];
    const shared = { channel, user, text, ts, event_ts: ts };
    return {
      mention: { ...shared, type: 'app_mention' },
      message: {
        ...shared,
        type: 'message',
        subtype: 'file_share',
        channel_type: 'channel',
        files,
      },
    };
  }
  const filesOf = (ts: string) =>
    stage.desk.received.filter((each) => each.ts === ts).map(({ files = [] }) => files.length);

  it('has its file when the mention comes first, and is stored once', async () => {
    const { mention, message } = twinsOf('1700000001.000100');
    const acks = await Promise.all([
      stage.workspace.deliverEvent(mention),
      new Promise((resolve) => setImmediate(resolve)).then(() =>
        stage.workspace.deliverEvent(message),
      ),
    ]);
    assert.ok(acks.every(({ kind }) => kind === 'acknowledged'));
    assert.deepEqual(filesOf(mention.ts), [1]);
  });

  it('has its file when the mention comes last, without a wait', async () => {
    const { mention, message } = twinsOf('1700000002.000100');
    await stage.workspace.deliverEvent(message);
    await stage.workspace.deliverEvent(mention);
    assert.deepEqual(filesOf(mention.ts), [1]);
  });

  it('is accepted without the file if the second event never comes', async () => {
    const { mention } = twinsOf('1700000003.000100');
    const ack = await stage.workspace.deliverEvent(mention);
    assert.equal(ack.kind, 'acknowledged');
    assert.deepEqual(filesOf(mention.ts), [0]);
  });
});
