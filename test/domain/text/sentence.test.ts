import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinSentences, plainSentence, sentence } from '../../../src/domain/text/sentence.ts';

const AT = Date.UTC(2027, 0, 2, 3, 4);
const WORDS = sentence`${{ person: 'U1', name: 'Ann' }} of ${{ group: 'usergroup:S1', handle: 'ops' }}, ${{ group: 'channel:C1' }} in ${{ channel: 'C2' }} at ${{ at: AT }}: a <b> & *c*`;

test('a sentence keeps its parts, including nested sentences', () => {
  const inner = sentence`by ${{ person: 'U1' }}`;
  assert.deepEqual(sentence`done ${inner}${''}.`, ['done ', 'by ', { person: 'U1' }, '.']);
  assert.deepEqual(joinSentences(['a', inner], ', '), ['a', ', ', 'by ', { person: 'U1' }]);
});

test('plain text shows people by id, and times in UTC', () => {
  assert.equal(
    plainSentence(WORDS),
    'Ann (U1) of @ops (usergroup:S1), channel:C1 in C2 at 2027-01-02 03:04 UTC: a <b> & *c*',
  );
  assert.equal(plainSentence('as it is'), 'as it is');
});
