import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ModelServerError } from '../../../../src/agent/model/protocol/server-error.ts';
import {
  createServerQuirks,
  type RequestBody,
} from '../../../../src/agent/model/protocol/server-quirks.ts';

const refusal = (message: string, status = 400) => new ModelServerError({ message, status });
const BODY: RequestBody = {
  messages: [
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content: 'Pay' },
    { role: 'assistant', content: 'Hi.', reasoning_content: 'Hm.' },
    { role: 'assistant', content: 'Ho.' },
  ],
  tools: [{}],
};

test('a field that the server sent and now refuses is left out from then on, even if the error says “must”', () => {
  const quirks = createServerQuirks({ allowsNoTools: false });
  const said = "the following must be satisfied: property 'reasoning_content' is unsupported";
  assert.equal(quirks.learn(refusal(said), BODY), 'does not accept reasoning_content');
  assert.ok(quirks.apply(BODY).messages.every((each) => !('reasoning_content' in each)));
  assert.equal(quirks.learn(refusal(said), quirks.apply(BODY)), undefined);
});

test('a missing field is added where it is absent, and stays as it is elsewhere', () => {
  const quirks = createServerQuirks({ allowsNoTools: false });
  const said = 'The reasoning_content in the thinking mode must be passed back to the API.';
  assert.ok(quirks.learn(refusal(said), BODY));
  const sent = quirks.apply(BODY).messages.map((each) => each.reasoning_content);
  assert.deepEqual(sent, [undefined, undefined, 'Hm.', '']);
  assert.equal(quirks.learn(refusal(said), quirks.apply(BODY)), undefined);
});

test('a refusal that names nothing in the request, or is about the key, changes nothing', () => {
  const quirks = createServerQuirks({ allowsNoTools: true });
  assert.equal(quirks.learn(refusal('Invalid value'), BODY), undefined);
  assert.equal(quirks.learn(refusal('stream_options is not supported'), BODY), undefined);
  assert.equal(quirks.learn(refusal('this key does not support tools', 401), BODY), undefined);
  assert.deepEqual(quirks.apply(BODY), BODY);
});

test('tools are left out only if that is allowed', () => {
  const said = refusal('gemma does not support tools');
  assert.equal(createServerQuirks({ allowsNoTools: false }).learn(said, BODY), undefined);
  const quirks = createServerQuirks({ allowsNoTools: true });
  assert.ok(quirks.learn(said, BODY));
  assert.equal('tools' in quirks.apply(BODY), false);
});

test('the instructions are put before the first message if there is no system role', () => {
  const quirks = createServerQuirks({ allowsNoTools: false });
  assert.ok(quirks.learn(refusal('System role not supported'), BODY));
  assert.deepEqual(quirks.apply(BODY).messages[0], { role: 'user', content: 'Be kind.\n\nPay' });
});
