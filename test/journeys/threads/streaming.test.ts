/** Streamed answers in the real app: complete and in order at the end, whatever Slack rejects. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type {
  JournalEntry,
  WorkspaceMessage,
} from '../../../src/playground/workspace/workspace-port.ts';
import { allText, type Place } from '../../support/app/scene.ts';
import { type MockAnswer, toChunk } from '../../support/servers/mock-model.ts';
import { buttonsOf, call, type FieldStage, setFieldStage } from '../field-reports/field-stage.ts';

const WRITES = [
  'chat.startStream',
  'chat.appendStream',
  'chat.stopStream',
  'chat.postMessage',
  'chat.update',
];

/** 600 unique words: 9,000 characters with their spaces. */
const WORDS = Array.from({ length: 600 }, (_, i) => `word-${String(i).padStart(4, '0')}-xxxx`);
const DELTAS = WORDS.map((word, i) => (i === 599 ? `${word}.` : `${word} `));
const TEXT = DELTAS.join('');

describe('a streamed answer', () => {
  let stage: FieldStage;
  before(async () => {
    stage = await setFieldStage('http');
  });
  after(() => stage.close());

  /** Streams these words over about this time, and ends with the given reason. */
  function streamedAnswer(
    overMs: number,
    deltas: readonly string[],
    end: readonly unknown[],
  ): MockAnswer {
    async function* chunks() {
      yield toChunk({ role: 'assistant', content: '' }, null);
      for (const content of deltas) {
        yield toChunk({ content }, null);
        await new Promise((resolve) => setTimeout(resolve, overMs / deltas.length));
      }
      yield* end;
    }
    return { kind: 'chunks', chunks: chunks() };
  }

  const byApp = (place: Place) =>
    stage.thread(place).filter(({ user }) => user === stage.workspace.app.botUserId);
  const markdownOf = ({ blocks }: WorkspaceMessage) =>
    blocks.flatMap((block) => (block.type === 'markdown' ? [block.text] : [])).join('');
  const isWrite = ({ kind, name }: JournalEntry) => kind === 'api' && WRITES.includes(name);

  it('of 9,000 characters in 600 deltas arrives whole and in order, with every fourth write refused, and the card after it', async () => {
    stage.workspace.faults.apiEach(4, WRITES, { kind: 'rate-limited', retryAfterS: 1 });
    const { name, args } = call('note', { text: 'after all of it' });
    const toolCall = { index: 0, id: 'c1', type: 'function', function: { name, arguments: args } };
    const end = [toChunk({ tool_calls: [toolCall] }, null), toChunk({}, 'tool_calls')];
    assert.equal(TEXT.length, 9_000);
    stage.play(streamedAnswer(6_000, DELTAS, end));
    const since = stage.workspace.journal.length;
    const place = await stage.ask('requester', 'tell me everything');
    const growing = await stage.answer(place, 'word-0000');
    assert.ok(growing.streaming);
    // Slack shows its own stop button.
    assert.deepEqual(buttonsOf(growing), []);
    const card = await stage.card(place, 'after all of it');
    await stage.settled(3_000);
    const [answer, second, ...others] = byApp(place);
    assert.ok(answer && second);
    assert.equal(markdownOf(answer), TEXT);
    assert.equal(answer.ts, growing.ts);
    assert.equal(second.ts, card.ts);
    assert.deepEqual(others, []);
    assert.deepEqual(buttonsOf(answer), []);
    assert.ok(!answer.streaming);
    const writes = stage.workspace.journal.slice(since).filter(isWrite);
    assert.ok(writes.some(({ problem }) => problem === 'fault: rate-limited'));
    const streamed = writes.filter(({ name: each }) => /startStream|appendStream/.test(each));
    assert.ok(streamed.length >= 3, `${streamed.length} writes`);
    for (const [i, { at }] of streamed.entries()) {
      const before = streamed[i - 1];
      if (before) assert.ok(at - before.at >= 990, `${at - before.at} ms between two writes`);
    }
    stage.workspace.faults.clear();
    assert.deepEqual(stage.model.refusals, []);
    assert.ok(allText(card).includes('after all of it'));
  });

  it('interrupted by a kill leaves one whole answer and nothing partial', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    async function* chunksUntilKill() {
      yield toChunk({ role: 'assistant', content: '' }, null);
      for (const content of DELTAS.slice(0, 100)) yield toChunk({ content }, null);
      await held;
    }
    stage.play(
      { kind: 'chunks', chunks: chunksUntilKill() },
      streamedAnswer(1_500, DELTAS, [toChunk({}, 'stop')]),
    );
    const place = await stage.ask('requester', 'tell me again');
    const half = await stage.answer(place, 'word-0090');
    assert.ok(half.streaming);
    await stage.app().kill();
    release();
    await stage.startAgain();
    await stage.workspace.waitFor(
      () => byApp(place).some((each) => markdownOf(each) === TEXT && !each.streaming) || undefined,
      { timeoutMs: 45_000, describe: () => JSON.stringify(byApp(place)).slice(0, 2_000) },
    );
    await stage.settled(3_000);
    const [answer, ...others] = byApp(place);
    assert.deepEqual(others, []);
    assert.equal(answer && markdownOf(answer), TEXT);
    assert.deepEqual(stage.sql('SELECT * FROM lives'), []);
  });
});
