/** Every button and form that the parser knows has a row of the matching kind. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { elementOf } from '../../../src/slack/inbound/elements.ts';
import type { Interaction } from '../../../src/slack/inbound/interaction.ts';
import { isFor, rowOf } from '../../../src/slack/interactions/interaction-table.ts';
import { ROUTE_ACTIONS, ROUTE_VIEWS } from '../../../src/slack/routes/route-ids.ts';
import { ACTIONS, CHOICE_BUTTONS, chooseAction, VIEWS } from '../../../src/slack/transport/ids.ts';

const hasRow = (id: string, kind: Interaction['kind'] | undefined) => {
  const row = rowOf(id);
  return row !== undefined && kind !== undefined && isFor(row.check, { kind } as Interaction);
};

test('every button has a row for clicks of its kind', () => {
  const ids = [...Object.values(ACTIONS), ...Object.values(ROUTE_ACTIONS)];
  const choices = Array.from({ length: CHOICE_BUTTONS }, (_, place) => chooseAction(place));
  // The field of user groups is searched and never clicked.
  const clicked = [...ids, ...choices].filter((id) => id !== ROUTE_ACTIONS.groups);
  assert.deepEqual(
    clicked.filter((id) => !hasRow(id, elementOf(id)?.kind)),
    [],
  );
});

test('every form has a row for its submission', () => {
  const forms = [VIEWS.edit, VIEWS.reply, VIEWS.reason];
  assert.deepEqual(
    forms.filter((id) => !hasRow(id, 'submission')),
    [],
  );
  assert.ok(hasRow(ROUTE_VIEWS.form, 'route-submission'));
});

test('nothing else has a row', () => {
  for (const id of ['', 'constructor', 'shortcut', VIEWS.full, VIEWS.home, ROUTE_VIEWS.list]) {
    assert.equal(rowOf(id), undefined);
  }
});
