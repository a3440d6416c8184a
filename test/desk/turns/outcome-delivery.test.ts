import assert from 'node:assert/strict';
import { it } from 'node:test';
import { REQUESTER } from '../../support/builders/a-call.ts';
import { createRecordedTool } from '../../support/builders/recorded-tool.ts';
import { buildDesk } from '../../support/desk/build-desk.ts';
import { sayCalls, sayText } from '../../support/servers/mock-model.ts';

for (const decision of [{ kind: 'approve' }, { kind: 'ignore' }] as const) {
  it(`an outcome (${decision.kind}) is marked as delivered at the end of the turn, even if the process died before the mark`, async (t) => {
    const tool = createRecordedTool();
    const desk = await buildDesk(t, { tools: [tool.definition] });
    desk.model.script((_request, index) =>
      index === 0 ? sayCalls([{ name: 'act', args: '{"note":"a"}' }]) : sayText('Done.'),
    );
    await desk.send('act');
    const [asked] = await desk.calls();
    assert.ok(asked);
    const die = async () => {
      throw new Error('The process died here.');
    };
    // Both are one commit.
    t.mock.method(desk.store.history, 'append').mock.mockImplementationOnce(die);
    await desk.decide(asked, REQUESTER, decision);
    assert.equal((await desk.calls())[0]?.delivered, false);

    await desk.clock.advance(1_000);
    await desk.worker.idle();
    assert.equal((await desk.calls())[0]?.delivered, true);
    assert.equal(await desk.store.inbox.current(asked.thread), undefined);
    assert.equal(desk.model.requests.length, decision.kind === 'approve' ? 2 : 1);
  });
}
