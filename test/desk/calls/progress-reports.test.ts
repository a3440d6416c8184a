/** What a tool reports about its progress. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { z } from 'zod';
import type { ToolContext } from '../../../src/domain/tools/tool.ts';
import { REQUESTER } from '../../support/builders/a-call.ts';
import { askAll, buildDesk } from '../../support/desk/build-desk.ts';
import { sayCalls, sayText } from '../../support/servers/mock-model.ts';
import { until } from '../../support/until.ts';
import { onlyCall } from '../support/recorded-desk.ts';

/** A desk with a tool that runs until the test releases it. */
async function running(t: TestContext, runsUnasked = false) {
  let context: ToolContext | undefined;
  let release = () => {};
  const gate = runsUnasked ? () => ({ kind: 'run' }) as const : askAll();
  const desk = await buildDesk(t, {
    gate,
    tools: [
      {
        name: 'slow_job',
        description: 'Takes long.',
        schema: z.object({ token: z.string() }),
        secrets: ['token'],
        run: async (_args, given) => {
          context = given;
          await new Promise<void>((resolve) => {
            release = resolve;
          });
          given.report('too late');
          return 'Done.';
        },
      },
    ],
  });
  desk.model.script((_request, index) =>
    index === 0 ? sayCalls([{ name: 'slow_job', args: '{"token":"k-000111"}' }]) : sayText('Done.'),
  );
  const sending = desk.send('do it');
  if (!runsUnasked) await sending;
  const deciding = runsUnasked ? sending : desk.decide(await onlyCall(desk), REQUESTER);
  await until(() => context !== undefined);
  const call = await onlyCall(desk);
  const stored = async () => (await desk.store.reports.of(call.id))?.text;
  return {
    desk,
    call,
    stored,
    report: (text: string) => context?.report(text),
    shown: () => desk.chat.reports.get(call.id) ?? [],
    async end() {
      release();
      await deciding;
    },
  };
}

describe('a progress report of a running tool', () => {
  it('is stored at most once a second, the last one always, and shown on the card', async (t) => {
    const { desk, report, stored, shown, end } = await running(t);
    report('1 of 9');
    await until(async () => (await stored()) === '1 of 9');
    for (const n of [2, 3, 4]) report(`${n} of 9`);
    await desk.clock.advance(999);
    assert.equal(await stored(), '1 of 9');
    await desk.clock.advance(1);
    await until(async () => (await stored()) === '4 of 9');
    await desk.clock.advance(1_000);
    await until(() => shown().at(-1) === '4 of 9');
    assert.deepEqual(shown(), ['4 of 9']);
    await end();
  });

  it('is one line without the secrets of the call', async (t) => {
    const { report, stored, end } = await running(t);
    report(`Sent k-000111\nto ${'x'.repeat(500)}`);
    await until(async () => (await stored()) !== undefined);
    assert.match((await stored()) ?? '', /^Sent \[hidden\] to x{130}x*…$/);
    await end();
  });

  it('is removed when the run ends, and later reports are dropped', async (t) => {
    const { desk, call, report, stored, end } = await running(t);
    report('half');
    await until(async () => (await stored()) === 'half');
    report('more');
    await end();
    report('after the end');
    await desk.clock.advance(5_000);
    assert.equal(await stored(), undefined);
    assert.equal((await desk.store.ledger.get(call.id))?.status, 'succeeded');
  });

  it('is dropped if it is empty or not text', async (t) => {
    const { desk, report, stored, end } = await running(t);
    for (const odd of [undefined, 7, '', ' \n', {}] as string[]) {
      report(odd);
      await desk.clock.advance(1_000);
    }
    assert.equal(await stored(), undefined);
    await end();
  });

  it('is not kept for a call without a card', async (t) => {
    const { desk, report, stored, end } = await running(t, true);
    report('half');
    await desk.clock.advance(1_000);
    assert.equal(await stored(), undefined);
    await end();
  });
});
