import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatSlackDate, relativeDay } from '../../../../src/playground/page/text/slack-date.ts';

const now = new Date(2026, 10, 28, 12, 0, 0);
const epochOf = (...parts: [number, number, number, number, number]) =>
  new Date(...parts).getTime() / 1000;

for (const [format, moment, shown] of [
  ['{date_num} {time}', epochOf(2026, 11, 24, 9, 41), '2026-12-24 9:41 AM'],
  ['{date_short}', epochOf(2026, 11, 24, 9, 41), 'Dec 24, 2026'],
  ['{date_long_pretty}', epochOf(2026, 10, 29, 0, 1), 'Tomorrow'],
  ['{date_pretty} at {time}', epochOf(2026, 10, 28, 23, 59), 'Today at 11:59 PM'],
  ['{ago}', epochOf(2026, 10, 28, 10, 59), '1 hour ago'],
  ['{ago}', epochOf(2026, 11, 1, 13, 0), 'in 3 days'],
  ['by {nothing}', epochOf(2026, 10, 28, 12, 0), 'by {nothing}'],
] as const) {
  test(`${format} is shown as "${shown}"`, () => {
    assert.equal(formatSlackDate(moment, format, now), shown);
  });
}

test('a day two days away has no name', () => {
  assert.equal(relativeDay(new Date(2026, 10, 30), now), undefined);
  assert.equal(relativeDay(new Date(2026, 10, 26), now), undefined);
  assert.equal(relativeDay(new Date(2026, 10, 27, 23), now), 'Yesterday');
});
