/** Field reports caused by the store, for each store; on Redis two processes share it. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type AppProcess, startApp } from '../../../support/app/app-process.ts';
import { allText, says } from '../../../support/app/scene.ts';
import { sayText } from '../../../support/servers/mock-model.ts';
import {
  DAMAGES,
  damage,
  piecesOfRedis,
  piecesOfSqlite,
} from '../../../support/store/damage-checkpoints.ts';
import { type RedisServer, startRedis } from '../../../support/store/redis-server.ts';
import { buttonsOf, type FieldStage, sayCall, setFieldStage } from '../field-stage.ts';

const TOOLS = fileURLToPath(new URL('../../../fixtures/tools/field-tools.ts', import.meta.url));

/** Registers the journeys for one store. */
export function storeJourneys(store: 'SQLite' | 'Redis'): void {
  describe(`field reports on ${store}`, () => {
    let stage: FieldStage;
    let redis: RedisServer | undefined;
    let other: AppProcess | undefined;
    before(async () => {
      if (store === 'Redis') redis = await startRedis();
      stage = await setFieldStage('http', { ...(redis && { REDIS_URL: redis.url }) });
      if (redis) other = await startOther(redis.url);
    });
    after(async () => {
      await other?.stop();
      await stage.close();
      await redis?.stop();
    });

    /** Logs its runs in the same file as the first one. */
    async function startOther(url: string): Promise<AppProcess> {
      return await startApp({
        SLACK_BOT_TOKEN: stage.workspace.botToken,
        SLACK_SIGNING_SECRET: stage.workspace.signingSecret,
        SLACK_API_URL: stage.workspace.apiUrl,
        PORT: '0',
        HOST: '127.0.0.1',
        DATA_DIR: join(stage.folder, 'data'),
        WORKSPACE_DIR: join(stage.folder, 'workspace'),
        OPENAI_BASE_URL: stage.model.url,
        REDIS_URL: url,
        TOOLS_MODULE: TOOLS,
        RUN_JOURNAL: stage.runJournal,
      });
    }

    /** From now on Slack sends to the first process, or to the second one if there are two. */
    function toProcess(which: 'first' | 'second'): void {
      const app = which === 'second' && other ? other : stage.app();
      stage.workspace.deliverTo({ kind: 'http', url: `${app.url}/slack/events` });
    }

    it('two quick messages in a thread run one after the other, and neither is lost', async () => {
      stage.play(sayText('Begun.'));
      const place = await stage.ask('requester', 'begin');
      await stage.answer(place, 'Begun.');
      const asked = stage.asked();
      stage.play(sayText('A is archived.'), sayText('B is archived.'));
      toProcess('first');
      // Acknowledged means stored: which of two concurrent messages is first is undefined.
      await stage.write('requester', place, 'archive A');
      toProcess('second');
      await stage.write('requester', place, 'no wait, archive B');
      await stage.answer(place, 'A is archived.');
      await stage.answer(place, 'B is archived.');
      assert.equal(stage.asked(), asked + 2);
      const texts = stage.model.requests
        .at(-1)
        ?.messages.map(({ content }) => JSON.stringify(content));
      const at = (text: string) => texts?.findIndex((each) => each.includes(text)) ?? -1;
      const order = [at('archive A'), at('A is archived.'), at('no wait, archive B')];
      assert.ok(
        order.every((each, i) => each > (order[i - 1] ?? 0)),
        JSON.stringify(order),
      );
      assert.deepEqual(stage.model.refusals, []);
    });

    it('a click on an old card decides nothing about the pending one', async () => {
      stage.play(
        sayCall('note', { text: `old ${store}` }),
        sayCall('pay', { amount: 1, reference: `new ${store}` }),
        sayText('Paid.'),
      );
      const place = await stage.ask('requester', 'note, then pay');
      const old = await stage.card(place, `old ${store}`, 'Waiting for a decision');
      await stage.press('requester', old, 'call.approve');
      const waiting = await stage.card(place, `new ${store}`, 'Waiting for a decision');
      // Like a press of a phone that was offline.
      const ack = await stage.workspace.deliverInteraction(clickOn(old));
      assert.equal(ack.kind, 'acknowledged');
      await stage.privately('requester', 'already');
      const again = stage.cards(place).find(({ ts }) => ts === waiting.ts);
      assert.ok(again && says(again, 'Waiting for a decision'));
      assert.equal((await stage.runs()).filter(({ tool }) => tool === 'pay').length, 0);
      await stage.press('requester', waiting, 'call.ignore');
      await stage.card(place, 'Pay: 1', 'Ignored');
    });

    function clickOn(card: Awaited<ReturnType<FieldStage['card']>>): Record<string, unknown> {
      const value = /"value":"(call_[^"]+)"/.exec(JSON.stringify(card))?.[1];
      const { id, teamId } = stage.workspace.member('requester');
      return {
        type: 'block_actions',
        api_app_id: stage.workspace.app.id,
        team: { id: teamId },
        user: { id, team_id: teamId },
        channel: { id: card.channel },
        container: {
          type: 'message',
          message_ts: card.ts,
          channel_id: card.channel,
          thread_ts: card.threadTs,
        },
        message: { ts: card.ts, bot_id: stage.workspace.app.botId, thread_ts: card.threadTs },
        actions: [
          { type: 'button', action_id: 'call.approve', block_id: 'b', value, action_ts: '1.1' },
        ],
        trigger_id: '1.1',
      };
    }

    it('one of a simultaneous approval and ignore decides, and the tool runs accordingly', async () => {
      for (let n = 0; n < 3; n += 1) {
        const text = `race ${n} ${store}`;
        stage.play(sayCall('note', { text }), sayText('So be it.'));
        const place = await stage.ask('requester', 'note it');
        const card = await stage.card(place, text, 'Waiting for a decision');
        toProcess('first');
        const approve = stage.press('requester', card, 'call.approve');
        toProcess('second');
        const ignore = stage.press('requester', card, 'call.ignore');
        const acks = await Promise.all([approve, ignore]);
        assert.deepEqual(
          acks.map(({ kind }) => kind),
          ['acknowledged', 'acknowledged'],
        );
        const end = await stage.workspace.waitFor(
          () => stage.cards(place).find((each) => says(each, 'Done') || says(each, 'Ignored')),
          { timeoutMs: 20_000 },
        );
        assert.deepEqual(buttonsOf(end), ['call.open']);
        // Ignoring ends the turn; otherwise the model answers last.
        if (says(end, 'Done')) await stage.answer(place, 'So be it.');
        const ran = (await stage.runs()).filter(({ args }) => JSON.stringify(args).includes(text));
        assert.equal(ran.length, says(end, 'Done') ? 1 : 0);
        await stage.privately('requester', 'already');
      }
    });

    it('an approval whose checkpoints were all lost runs once, and the model gets the result and is not asked the same again', async () => {
      const text = `lost ${store}`;
      stage.play(sayCall('note', { text }), sayText('It is noted.'));
      const place = await stage.ask('requester', 'note it');
      const card = await stage.card(place, text, 'Waiting for a decision');
      const asked = stage.asked();
      const pieces = redis
        ? await piecesOfRedis(redis.url, 'countersign')
        : piecesOfSqlite(join(stage.folder, 'data'));
      await damage(pieces.read, DAMAGES['all of it is lost']);
      await pieces.close();
      await stage.press('requester', card, 'call.approve');
      await stage.answer(place, 'It is noted.');
      assert.equal(stage.asked(), asked + 1);
      assert.equal(stage.toolMessages().length, 1);
      const runs = (await stage.runs()).filter(({ args }) => JSON.stringify(args).includes(text));
      assert.equal(runs.length, 1);
      assert.equal(stage.cards(place).filter((each) => allText(each).includes(text)).length, 1);
      assert.deepEqual(stage.model.refusals, []);
    });

    it('a card closes however its call ends, and a deleted card blocks nothing', async () => {
      const text = `ends ${store}`;
      stage.play(sayCall('note', { text }), sayText('Something else then.'));
      const place = await stage.ask('requester', 'note it');
      const card = await stage.card(place, text, 'Waiting for a decision');
      const old = clickOn(card);
      toProcess('second');
      await stage.write('requester', place, 'stop');
      const settled = await stage.card(place, text, 'Withdrawn');
      assert.deepEqual(buttonsOf(settled), ['call.open']);
      assert.equal((await stage.workspace.deliverInteraction(old)).kind, 'acknowledged');

      const deleted = `deleted ${store}`;
      stage.play(sayCall('note', { text: deleted }), sayText('Decided.'));
      const second = await stage.ask('requester', 'note that');
      const gone = await stage.card(second, deleted, 'Waiting for a decision');
      const click = clickOn(gone);
      await stage.workspace.remove('requester', gone.channel, gone.ts).catch(() => {
        stage.workspace.faults.api('chat.update', { kind: 'error', error: 'message_not_found' });
      });
      assert.equal((await stage.workspace.deliverInteraction(click)).kind, 'acknowledged');
      await stage.answer(second, 'Decided.');
      const runs = (await stage.runs()).filter(({ args }) =>
        JSON.stringify(args).includes(deleted),
      );
      assert.equal(runs.length, 1);
      assert.ok(!(await stage.runs()).some(({ args }) => JSON.stringify(args).includes(text)));
    });
  });
}
