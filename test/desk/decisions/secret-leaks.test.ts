/** A secret of one of our tools, wherever the desk writes text: the problems of an edit, the audit, the log. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { z } from 'zod';
import { REQUESTER } from '../../support/builders/a-call.ts';
import { askAll, buildDesk } from '../../support/desk/build-desk.ts';
import { sayCalls, sayText } from '../../support/servers/mock-model.ts';

const SECRET = 'hunter2-hunter2';

it('a secret is neither in the problems of an edit nor in the audit', async (t) => {
  const desk = await buildDesk(t, {
    tools: [
      {
        name: 'login',
        description: 'Logs in.',
        secrets: ['password'],
        schema: z
          .object({
            user: z.string(),
            password: z.string(),
          })
          .refine(({ user, password }) => user !== 'root' || password === '', {
            error: ({ input }) => `${JSON.stringify(input)} may not log in`,
          }),
        run: () => {
          throw new Error(`${SECRET} is wrong`);
        },
      },
    ],
    gate: askAll({ requiresReason: true }),
  });
  const args = { user: 'ann', password: SECRET };
  desk.model.script((_request, index) =>
    index === 0 ? sayCalls([{ name: 'login', args: JSON.stringify(args) }]) : sayText('Done.'),
  );
  await desk.send('log in');
  const [call] = await desk.calls();
  assert.ok(call);
  const wrong = await desk.decide(call, REQUESTER, {
    kind: 'edit',
    args: { ...args, user: 'root' },
  });
  assert.ok(wrong.kind === 'invalid');
  const [problem] = wrong.problems;
  assert.match(problem?.message ?? '', /hidden: a secret⟩.*may not log in/);
  const reason = `Yes, ${SECRET} is right.`;
  await desk.decide(call, REQUESTER, { kind: 'approve', reason });
  await desk.rest();
  const entries = await desk.store.audit.read(0, 1_000);
  assert.match(JSON.stringify(entries), /Yes, ⟨hidden: a secret⟩ is right/);
  assert.doesNotMatch(JSON.stringify(entries), /hunter2/);
  const [ended] = await desk.calls();
  assert.equal(ended?.status, 'failed');
  assert.match(ended?.outcome?.kind === 'error' ? ended.outcome.text : '', /hunter2/);
});
