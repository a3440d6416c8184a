import assert from 'node:assert/strict';
import { test } from 'node:test';
import { argumentsToText } from '../../../../src/agent/model/protocol/exact-arguments.ts';

const call = (args: string) => `{"content":"\\"arguments\\":{","function":{"arguments" : ${args}}}`;
const argsOf = (json: string): unknown => JSON.parse(json).function.arguments;

for (const args of [
  '{"ticket":2512292042121000001,"big":1e400}',
  '{"to":"a@x","to":"b@x"}',
  '{ "a" : {"arguments":{"b":["}", "\\"]"]}} }',
  '[1, {"a":2}]',
  '{}',
]) {
  test(`arguments keep every character: ${args}`, () => {
    assert.equal(argsOf(argumentsToText(call(args), 'arguments')), args);
  });
}

test('arguments that are a string stay one, and other fields are unchanged', () => {
  const json = call('"{\\"a\\":1}"');
  assert.equal(argumentsToText(json, 'arguments'), json);
  const input = '{"block":{"input":{"n":10000000000000000001}}}';
  assert.equal(argumentsToText(input, 'arguments'), input);
  assert.equal(
    JSON.parse(argumentsToText(input, 'input')).block.input,
    '{"n":10000000000000000001}',
  );
});

test('several calls of one event each keep their own arguments', () => {
  const json = '[{"arguments":{"n":1}},{"arguments":{"n":2}}]';
  assert.deepEqual(JSON.parse(argumentsToText(json, 'arguments')), [
    { arguments: '{"n":1}' },
    { arguments: '{"n":2}' },
  ]);
});
