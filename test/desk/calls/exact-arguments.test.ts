/** What you see is what runs: generated calls, from the model's text to another process. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { z } from 'zod';
import { callDigestOf, shortDigest } from '../../../src/domain/calls/digest.ts';
import { canonicalJson, type JsonValue } from '../../../src/domain/json/json.ts';
import { buildCallCard } from '../../../src/slack/cards/call-card.ts';
import { startRecordingProcess } from '../../support/app/recording-process.ts';
import { actionIds, unrenderArgs } from '../../support/app/unrender-card.ts';
import { REQUESTER } from '../../support/builders/a-call.ts';
import { buildDesk } from '../../support/desk/build-desk.ts';
import { isWhole } from '../../support/sample.ts';
import { sayCalls, sayText } from '../../support/servers/mock-model.ts';
import { TEST_MARK } from '../../support/test-secret-mark.ts';

const TURNS = isWhole ? 40 : 6;
const CALLS = 25;

const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const key = text.filter((each) => each !== '__proto__');
const number = fc
  .oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }))
  .map((value) => (value === 0 ? 0 : value));
const { value: anyValue } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', maxDepth: 4 },
    text,
    number,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4 }),
  ),
}));
const anyArgs = fc.dictionary(key, anyValue, { maxKeys: 5 });

it(`${TURNS * CALLS} generated calls reach another process byte for byte as their cards showed them, edited or not`, async (t) => {
  const recorder = startRecordingProcess(t);
  const desk = await buildDesk(t, {
    tools: [
      {
        name: 'act',
        description: 'Acts.',
        schema: z.looseObject({}),
        async run(args, { idempotencyKey }) {
          await recorder.send(idempotencyKey, args as JsonValue);
          return 'done';
        },
      },
    ],
  });
  // Nothing crashes in this test, and syncing each write takes minutes.
  desk.store.saver.db.pragma('synchronous = OFF');
  const samples = fc.sample(anyArgs, { numRuns: TURNS * CALLS, seed: 4 });
  const edits = fc.sample(anyArgs, { numRuns: TURNS * CALLS, seed: 5 });
  desk.model.script((_request, index) => {
    if (index % 2 === 1) return sayText('Done.');
    const from = (index / 2) * CALLS;
    const asked = samples.slice(from, from + CALLS);
    return sayCalls(asked.map((args) => ({ name: 'act', args: JSON.stringify(args) })));
  });
  for (let turn = 0; turn < TURNS; turn += 1) {
    await desk.send(`turn ${turn}`);
    const pending = (await desk.calls()).filter(({ status }) => status === 'pending');
    assert.equal(pending.length, CALLS);
    await Promise.all(
      pending.map((call, i) => {
        const { id: callId, attempt } = call;
        const decision =
          i % 2 === 0
            ? ({ kind: 'approve' } as const)
            : ({ kind: 'edit', args: edits[turn * CALLS + i] ?? {} } as const);
        const digest = shortDigest(call.digest);
        return desk.desk.decide({ callId, attempt, digest, by: REQUESTER, decision });
      }),
    );
    await desk.worker.idle();
  }

  const received = await recorder.end();
  assert.equal(received.size, TURNS * CALLS);
  let readBack = 0;
  for (const call of desk.chat.cards.values()) {
    assert.equal(call.status, 'succeeded');
    const [bytes, ...again] = received.get(`${call.id}.${call.attempt}`) ?? [];
    assert.ok(bytes !== undefined && again.length === 0, call.id);
    assert.equal(callDigestOf({ ...call, args: bytes }), call.digest);
    const { editedBy: _editor, ...asked } = { ...call, askedLine: '', status: 'pending' as const };
    const { blocks } = buildCallCard(asked, { mark: TEST_MARK });
    assert.ok(JSON.stringify(blocks).includes(shortDigest(call.digest)));
    if (!actionIds(blocks).includes('call.approve')) continue;
    readBack += 1;
    assert.equal(canonicalJson(unrenderArgs(blocks)), bytes);
  }
  assert.equal(desk.chat.cards.size, TURNS * CALLS);
  assert.ok(readBack > TURNS * CALLS * 0.8, `${readBack} cards were read back`);
});
