import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sentence } from '../../../src/domain/text/sentence.ts';
import { writeSentence } from '../../../src/slack/text/write-sentence.ts';

const AT = Date.UTC(2027, 0, 2, 3, 4);
const WORDS = sentence`${{ person: 'U1', name: 'Ann' }} of ${{ group: 'usergroup:S1', handle: 'ops' }}, ${{ group: 'channel:C1' }} in ${{ channel: 'C2' }} at ${{ at: AT }}: a <b> & *c*`;

test('sentences for Slack mention people, never groups, and escape text', () => {
  assert.equal(
    writeSentence(WORDS),
    '<@U1> of @ops, the members of <#C1> in <#C2> at <!date^1798859040^{date_short_pretty} at {time}|2027-01-02 03:04 UTC>: a &lt;b&gt; &amp; *c*',
  );
});

test('quiet sentences name people without mentions, by id if there is no name', () => {
  assert.match(writeSentence(WORDS, 'quiet'), /^`Ann` of @ops, the members of <#C1>/);
  assert.equal(writeSentence({ person: 'U1' }, 'quiet'), '`U1`');
  assert.equal(writeSentence({ group: 'usergroup:S1' }, 'quiet'), '`S1`');
  assert.equal(writeSentence({ group: 'usergroup:S1', handle: 'no <handle>' }, 'quiet'), '`S1`');
});
