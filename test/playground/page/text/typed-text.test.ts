import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  decodeTyped,
  encodeTyped,
  mentionPrefix,
  parseCommand,
} from '../../../../src/playground/page/text/typed-text.ts';

const app = { id: 'A1', botUserId: 'U0APP', name: 'Countersign' };
const bot = `$${'{bot}'}`;

for (const [typed, said] of [
  ['@Countersign go', `${bot} go`],
  ['hey @countersign, go', `hey ${bot}, go`],
  ['@Countersign-2 go', '@Countersign-2 go'],
  ['mail@Countersign', 'mail@Countersign'],
  ['<b> & @Countersign', `<b> & ${bot}`],
] as const) {
  test(`"${typed}" is sent as "${said}"`, () => {
    assert.equal(encodeTyped(typed, app), said);
  });
}

test('a stored text is edited as it was typed', () => {
  const store = (said: string) =>
    said
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll(bot, '<@U0APP>');
  const units = [...'ab &<>;', '@Countersign', '&lt;', '&amp;'];
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...units) }), (typed) => {
      assert.equal(decodeTyped(store(encodeTyped(typed, app)), app), typed);
    }),
  );
});

for (const [typed, parsed] of [
  ['/countersign', { command: '/countersign', text: '' }],
  ['  /countersign stop now ', { command: '/countersign', text: 'stop now' }],
  ['/countersign a\nb', { command: '/countersign', text: 'a\nb' }],
  ['/etc/passwd', undefined],
  ['say /countersign', undefined],
] as const) {
  test(`"${typed}" is ${parsed === undefined ? 'no' : 'a'} command`, () => {
    assert.deepEqual(parseCommand(typed), parsed);
  });
}

test('a mention is completed from the @ up to the caret', () => {
  assert.equal(mentionPrefix('hi @Co there', 6), 'Co');
  assert.equal(mentionPrefix('@', 1), '');
  assert.equal(mentionPrefix('a@b', 3), undefined);
  assert.equal(mentionPrefix('hi @Co there', 12), undefined);
});
