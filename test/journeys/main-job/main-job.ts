/** The main use case of the app, over both transports. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { NPM_START } from '../../support/app/app-process.ts';
import { type Delivery, type Stage, setStage } from '../../support/app/stage.ts';
import { type MockAnswer, sayCalls, sayText } from '../../support/servers/mock-model.ts';
import { startCluster } from '../../support/store/redis-cluster.ts';
import { type RedisServer, startRedis } from '../../support/store/redis-server.ts';
import { until } from '../../support/until.ts';

const SEARCH_TOOL = fileURLToPath(new URL('../../fixtures/tools/search-tool.ts', import.meta.url));

/** Registers the journeys for one transport and one store. */
export function mainJobJourneys(
  delivery: Delivery,
  store: 'SQLite' | 'Redis' | 'a Redis cluster' = 'SQLite',
): void {
  describe(`the main job over ${delivery}, on ${store}`, () => {
    let stage: Stage;
    let folder: string;
    let redis: Pick<RedisServer, 'url' | 'stop'> | undefined;
    const searched = async () => await readFile(join(folder, 'searched'), 'utf8').catch(() => '');

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'countersign-journal-'));
      if (store === 'Redis') redis = await startRedis();
      if (store === 'a Redis cluster') redis = await startCluster();
      const env = {
        ...(redis && { REDIS_URL: redis.url }),
        TOOLS_MODULE: SEARCH_TOOL,
        SEARCH_JOURNAL: join(folder, 'searched'),
      };
      stage = await setStage(delivery, env, NPM_START);
    });
    after(async () => {
      await stage.close();
      await redis?.stop();
      await rm(folder, { recursive: true });
    });

    function play(...answers: readonly MockAnswer[]): void {
      stage.model.script((_request, index) => {
        const answer = answers[index];
        if (!answer) throw new Error(`The model was asked ${index + 1} times.`);
        return answer;
      });
    }

    function toolMessages(): readonly string[] {
      const { messages } = stage.model.requests.at(-1) ?? { messages: [] };
      return messages.flatMap(({ role, content }) => (role === 'tool' ? [String(content)] : []));
    }

    it('a mention becomes a card, Approve writes the file, and the agent answers', async () => {
      play(write('a.txt', 'hello'), sayText('Written.'));
      const place = await stage.ask('requester', 'please write a.txt');
      const card = await stage.card(place, 'please write a.txt', 'a.txt', 'hello');
      assert.equal(await stage.file('a.txt'), undefined);
      await stage.press('requester', card, 'call.approve');
      await stage.answer(place, 'Written.');
      assert.equal(await stage.file('a.txt'), 'hello');
      const done = await stage.card(place, 'a.txt', 'Done', 'approved by <@U0REQUESTER>');
      assert.equal(done.ts, card.ts);
      assert.ok(!JSON.stringify(done.blocks).includes('call.approve'));
    });

    it('Edit refuses an invalid value on its field, accepts a valid one, and that one runs', async () => {
      play(search('cats'), sayText('Here you are.'));
      const before = await searched();
      const place = await stage.ask('requester', 'search for cats');
      const card = await stage.card(place, 'cats');
      await stage.press('requester', card, 'call.edit');
      await formOf('requester');
      await stage.workspace.submit('requester', { query: 'x' });
      const errors = Object.values(stage.workspace.see('requester').views.at(-1)?.errors ?? {});
      assert.equal(errors.length, 1);
      await stage.workspace.submit('requester', { query: 'dogs' });
      await stage.answer(place, 'Here you are.');
      assert.equal(await searched(), `${before}dogs\n`);
      assert.match(toolMessages().at(-1) ?? '', /changed the arguments.*dogs/s);
      await stage.card(place, 'dogs', 'edited');
      assert.equal(stage.workspace.see('requester').views.length, 0);
    });

    it('Reply gives the model an answer instead of the search', async () => {
      play(search('2+2'), sayText('So it is 4.'));
      const before = await searched();
      const place = await stage.ask('requester', 'what is 2+2?');
      const card = await stage.card(place, '2+2');
      await stage.press('requester', card, 'call.reply');
      await formOf('requester');
      await stage.workspace.submit('requester', { text: "it's 4, no need to search" });
      await stage.answer(place, 'So it is 4.');
      assert.match(toolMessages().at(-1) ?? '', /it's 4, no need to search/);
      assert.equal(await searched(), before);
      await stage.card(place, '2+2', 'Replied');
    });

    it('Ignore runs nothing and ends the turn, and the next message works', async () => {
      play(sayCalls([call('delete_file', { path: 'keep.txt' })]));
      const place = await stage.ask('requester', 'delete everything');
      const card = await stage.card(place, 'keep.txt');
      const asked = stage.model.requests.length;
      await stage.press('requester', card, 'call.ignore');
      await stage.card(place, 'Ignored');
      play(sayText('Fine, I left it.'));
      await stage.write('requester', place, 'what now?');
      await stage.answer(place, 'Fine, I left it.');
      assert.equal(stage.model.requests.length, asked + 1);
    });

    it('a search approved unchanged runs once, however often Approve is pressed', async () => {
      play(search('birds'), sayText('Found birds.'));
      const before = await searched();
      const place = await stage.ask('requester', 'search for birds');
      const card = await stage.card(place, 'birds');
      const both = [1, 2].map(() => stage.press('requester', card, 'call.approve'));
      await Promise.allSettled(both);
      await stage.answer(place, 'Found birds.');
      assert.equal(await searched(), `${before}birds\n`);
    });

    it('three calls of one message are decided in the order 2, 1, 3, and each runs at once', async () => {
      play(
        sayCalls([1, 2, 3].map((n) => call('write_file', { path: `n${n}.txt`, content: `${n}` }))),
        sayText('All three are done.'),
      );
      const place = await stage.ask('requester', 'write three files');
      let left = 3;
      for (const n of [2, 1, 3]) {
        assert.equal(await stage.file(`n${n}.txt`), undefined);
        const isLeft = left === 1 ? 'Waiting for a decision' : `Approve All ${left}`;
        await stage.card(place, isLeft);
        const line = await stage.line(place, `n${n}.txt`, 'Waiting for a decision');
        await stage.pressLine('requester', line, 'call.approve');
        left -= 1;
        await until(async () => (await stage.file(`n${n}.txt`)) === `${n}`);
      }
      await stage.answer(place, 'All three are done.');
      assert.equal(toolMessages().length, 3);
    });

    it('an outsider’s click is refused privately, and the card does not change', async () => {
      play(write('mine.txt', 'x'), sayText('Done with mine.'));
      const place = await stage.ask('requester', 'write mine.txt');
      const card = await stage.card(place, 'mine.txt');
      for (const action of ['call.approve', 'call.ignore']) {
        await stage.press('outsider', card, action);
        await stage.privately('outsider', 'Only');
      }
      assert.deepEqual(stage.cards(place).at(-1)?.blocks, card.blocks);
      assert.equal(await stage.file('mine.txt'), undefined);
      await stage.press('requester', card, 'call.approve');
      await stage.answer(place, 'Done with mine.');
    });

    it('a tool that fails with “no such file” leads to its creation, with an approval for each step', async () => {
      play(
        sayCalls([call('edit_file', { path: 'new.txt', oldText: 'a', newText: 'b' })]),
        write('new.txt', 'b'),
        sayText('I created it.'),
      );
      const place = await stage.ask('requester', 'change a to b in new.txt');
      const first = await stage.card(place, 'Edit new.txt', 'Waiting for a decision');
      await stage.press('requester', first, 'call.approve');
      const second = await stage.card(place, 'Write new.txt', 'Waiting for a decision');
      assert.match(toolMessages().at(-1) ?? '', /no such file/i);
      assert.equal(await stage.file('new.txt'), undefined);
      await stage.press('requester', second, 'call.approve');
      await stage.answer(place, 'I created it.');
      assert.equal(await stage.file('new.txt'), 'b');
    });

    it('a pending card survives kill -9 and works after the next start', async () => {
      play(write('survivor.txt', 'alive'));
      const place = await stage.ask('requester', 'write survivor.txt');
      const card = await stage.card(place, 'survivor.txt');
      await stage.restart('kill');
      play(sayText('It survived.'));
      await stage.press('requester', card, 'call.approve');
      await stage.answer(place, 'It survived.');
      assert.equal(await stage.file('survivor.txt'), 'alive');
      assert.equal(stage.cards(place).length, 1);
    });

    it('every request to the model was in a valid order', () => {
      assert.deepEqual(stage.model.refusals, []);
    });

    async function formOf(member: string): Promise<void> {
      await stage.workspace.waitFor(() => {
        const top = stage.workspace.see(member).views.at(-1)?.view;
        return top?.type === 'modal' && top.submit ? top : undefined;
      });
    }
  });
}

function call(name: string, args: Readonly<Record<string, unknown>>) {
  return { name, args: JSON.stringify(args) };
}

function write(path: string, content: string): MockAnswer {
  return sayCalls([call('write_file', { path, content })]);
}

function search(query: string): MockAnswer {
  return sayCalls([call('search', { query })]);
}
