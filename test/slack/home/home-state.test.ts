import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  encodeHomePlace,
  filterTool,
  goBack,
  goOn,
  HOME_START,
  parseHomePlace,
  searchFor,
  showView,
} from '../../../src/slack/home/home-state.ts';
import { LIMITS } from '../../../src/slack/text/limits.ts';

describe('the pages of Home', () => {
  it('are kept by the view with its filters, however many there are, within Slack’s limit', () => {
    let place = searchFor(filterTool(showView(HOME_START, 'decided'), 'pay'), '"; x,y');
    for (let i = 0; i < 500; i += 1) {
      place = goOn(goOn(place, 'waiting', `call_${'w'.repeat(50)}${i}`), 'asked', `call_${i}`);
    }
    const text = encodeHomePlace(place);
    assert.ok(text.length <= LIMITS.viewMetadata);
    assert.deepEqual(parseHomePlace(text), place);
    assert.deepEqual([place.view, place.tool, place.search], ['decided', 'pay', '"; x,y']);
    assert.equal(place.waiting.at(-1), `call_${'w'.repeat(50)}499`);
    assert.equal(goBack(place, 'waiting').waiting.at(-1), `call_${'w'.repeat(50)}498`);
    assert.deepEqual(goBack(HOME_START, 'asked'), HOME_START);
  });

  it('begin anew where something else is shown', () => {
    const place = goOn(HOME_START, 'waiting', 'call_a');
    for (const next of [showView(place, 'team'), filterTool(place, 'pay'), searchFor(place, 'x')]) {
      assert.deepEqual(next.waiting, []);
    }
    assert.equal(filterTool(filterTool(place, 'pay'), undefined).tool, undefined);
  });

  it('of a view that is none of ours are the first ones', () => {
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
      assert.deepEqual(parseHomePlace(text), HOME_START, text);
    }
  });
});
