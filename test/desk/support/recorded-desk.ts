import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Call } from '../../../src/domain/calls/call.ts';
import type { GateAnswer } from '../../../src/domain/policy/route.ts';
import { createRecordedTool } from '../../support/builders/recorded-tool.ts';
import { askAll, buildDesk, type TestDesk } from '../../support/desk/build-desk.ts';
import { sayCalls, sayText } from '../../support/servers/mock-model.ts';

/** A desk whose model asks for one call of a tool that records its runs. */
export async function deskWith(
  t: TestContext,
  options: {
    readonly answer?: () => GateAnswer;
    readonly idempotent?: boolean;
    readonly stalled?: boolean;
  } = {},
) {
  const tool = createRecordedTool({ idempotent: options.idempotent ?? false });
  const gate = options.answer ?? askAll();
  const stalled = options.stalled ?? false;
  const desk = await buildDesk(t, { gate, stalled, tools: [tool.definition] });
  desk.model.script((_request, index) =>
    index === 0 ? sayCalls([{ name: 'act', args: '{"note":"a"}' }]) : sayText('Done.'),
  );
  return { desk, tool };
}

export async function onlyCall(desk: TestDesk): Promise<Call> {
  const [call] = await desk.calls();
  assert.ok(call);
  return call;
}
