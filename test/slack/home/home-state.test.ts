import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  encodeHomeState,
  INITIAL_HOME,
  nextHomePage,
  parseHomeState,
  previousHomePage,
  withHomeView,
  withSearch,
  withToolFilter,
} from '../../../src/slack/home/home-state.ts';
import { LIMITS } from '../../../src/slack/text/limits.ts';

describe('the pages of Home', () => {
  it('are stored in the view with its filters, however many there are, within Slack’s limit', () => {
    let place = withSearch(withToolFilter(withHomeView(INITIAL_HOME, 'decided'), 'pay'), '"; x,y');
    for (let i = 0; i < 500; i += 1) {
      place = nextHomePage(
        nextHomePage(place, 'waiting', `call_${'w'.repeat(50)}${i}`),
        'asked',
        `call_${i}`,
      );
    }
    const text = encodeHomeState(place);
    assert.ok(text.length <= LIMITS.viewMetadata);
    assert.deepEqual(parseHomeState(text), place);
    assert.deepEqual([place.view, place.tool, place.search], ['decided', 'pay', '"; x,y']);
    assert.equal(place.waiting.at(-1), `call_${'w'.repeat(50)}499`);
    assert.equal(previousHomePage(place, 'waiting').waiting.at(-1), `call_${'w'.repeat(50)}498`);
    assert.deepEqual(previousHomePage(INITIAL_HOME, 'asked'), INITIAL_HOME);
  });

  it('start over when something else is shown', () => {
    const place = nextHomePage(INITIAL_HOME, 'waiting', 'call_a');
    for (const next of [
      withHomeView(place, 'team'),
      withToolFilter(place, 'pay'),
      withSearch(place, 'x'),
    ]) {
      assert.deepEqual(next.waiting, []);
    }
    assert.equal(withToolFilter(withToolFilter(place, 'pay'), undefined).tool, undefined);
  });

  it('are the first ones if the view is not ours', () => {
    const of = (...parts: unknown[]) => JSON.stringify(parts);
    for (const text of [
      '',
      'a;b',
      '{}',
      of('all', '', ''),
      of('everything', '', '', '', '', '', ''),
      of('all', '', '', '<!channel>', '', '', ''),
      of('all', '', '', 1, '', '', ''),
    ]) {
      assert.deepEqual(parseHomeState(text), INITIAL_HOME, text);
    }
  });
});
