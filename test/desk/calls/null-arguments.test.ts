/** A model that writes null for absent fields, as in OpenAI's strict mode: from its text to the run. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { z } from 'zod';
import { createServerTool } from '../../../src/agent/mcp/listing/create-server-tool.ts';
import { parseListedTool } from '../../../src/agent/mcp/listing/parse-listed-tool.ts';
import { callDigestOf } from '../../../src/domain/calls/digest.ts';
import type { JsonValue } from '../../../src/domain/json/json.ts';
import { buildCallCard } from '../../../src/slack/cards/call-card.ts';
import { REQUESTER } from '../../support/builders/a-call.ts';
import { buildDesk } from '../../support/desk/build-desk.ts';
import { sayCalls, sayText } from '../../support/servers/mock-model.ts';
import { TEST_MARK } from '../../support/test-secret-mark.ts';

const WRITTEN = '{"to": "Ann", "cc": null, "days": null, "items": [{"name": "tea", "note": null}]}';

it('null for an optional field is absent on the card, in the digest and in the run; the model’s text is kept', async (t) => {
  const runs: JsonValue[] = [];
  const item = z.object({ name: z.string(), note: z.string().optional() });
  const schema = z.object({
    to: z.string(),
    cc: z.string().optional(),
    days: z.number().default(3),
    items: z.array(item),
  });
  const listed = parseListedTool('box', {
    name: 'order',
    inputSchema: z.toJSONSchema(schema, { io: 'input' }),
  });
  assert.ok(listed.kind === 'tool');
  const serverTool = createServerTool(listed, async (args) => {
    runs.push(args);
    return 'ordered';
  });
  const desk = await buildDesk(t, {
    tools: [
      {
        name: 'order',
        description: 'Orders.',
        schema,
        run(args) {
          runs.push(args as JsonValue);
          return 'ordered';
        },
      },
    ],
    made: [serverTool],
  });
  desk.model.script((_request, index) =>
    index === 0
      ? sayCalls([
          { name: 'order', args: WRITTEN },
          { name: serverTool.name, args: WRITTEN },
        ])
      : sayText('Done.'),
  );
  await desk.send('order tea');
  const calls = await desk.calls();
  const items = [{ name: 'tea' }];
  assert.deepEqual(
    calls.map(({ args }) => JSON.parse(args)),
    [
      { to: 'Ann', days: 3, items },
      // Another program fills in its own defaults.
      { to: 'Ann', items },
    ],
  );
  for (const call of calls) {
    assert.equal(call.digest, callDigestOf(call));
    const card = JSON.stringify(buildCallCard(call, { mark: TEST_MARK }));
    assert.ok(!card.includes('null') && card.includes('Ann'), card);
    await desk.decide(call, REQUESTER);
  }
  assert.deepEqual(runs, [
    { to: 'Ann', days: 3, items },
    { to: 'Ann', items },
  ]);
  const sent = JSON.stringify(desk.model.requests.at(-1));
  assert.ok(sent.includes(JSON.stringify(WRITTEN)), 'the model reads its own text again');
});

it('null in a required field is reported to the model', async (t) => {
  const desk = await buildDesk(t, {
    tools: [
      {
        name: 'order',
        description: 'Orders.',
        schema: z.object({ to: z.string(), cc: z.string().optional() }),
        run: () => 'ordered',
      },
    ],
  });
  desk.model.script((_request, index) =>
    index === 0
      ? sayCalls([{ name: 'order', args: '{"to":null,"cc":null}' }])
      : sayText('I need a name.'),
  );
  await desk.send('order');
  assert.deepEqual(await desk.calls(), []);
  const told = JSON.stringify(desk.model.requests.at(-1));
  assert.match(told, /do not fit its schema.*- to: /);
  assert.doesNotMatch(told, /- cc: /);
});
