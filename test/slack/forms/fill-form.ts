/** Fills in a form page by page, as Slack's client sends it. */
import assert from 'node:assert/strict';
import type { InputBlock, ModalView } from '@slack/types';
import { canonicalJson, type JsonValue } from '../../../src/domain/json/json.ts';
import { validateView } from '../../../src/playground/workspace/blocks/validate-blocks.ts';
import type { Json } from '../../../src/playground/workspace/json-value.ts';
import { checkForm } from '../../../src/playground/workspace/views/form-check.ts';
import { collectState, type Typed } from '../../../src/playground/workspace/views/form-state.ts';
import { buildEditForm } from '../../../src/slack/forms/draw/edit-form.ts';
import {
  type Draft,
  type Field,
  type FormNode,
  fieldsOf,
  NO_DRAFT,
  type Raw,
} from '../../../src/slack/forms/plan/form-node.ts';
import type { FormTool } from '../../../src/slack/forms/plan/plan-context.ts';
import { planForm } from '../../../src/slack/forms/plan/plan-form.ts';
import { takeValues } from '../../../src/slack/forms/read/form-draft.ts';
import { createFormMetadata } from '../../../src/slack/forms/read/form-metadata.ts';
import { type FormParseResult, readForm } from '../../../src/slack/forms/read/read-form.ts';
import { aCall } from '../../support/builders/a-call.ts';

const META = createFormMetadata();

/** A form with its views, which all passed the strict validator. */
export interface FilledForm {
  readonly plan: FormNode;
  readonly views: readonly ModalView[];
  readonly reading: FormParseResult;
  readonly draft: Draft;
}

/** A tool with this schema. */
export function toolOf(schema: JsonValue, secrets: readonly string[] = []): FormTool {
  return { schema: schema as FormTool['schema'], secrets };
}

/** Goes through all pages of a form. `changes` are keyed by the id or the action id of a field. */
export function fillForm(
  args: JsonValue,
  tool: FormTool,
  changes: Readonly<Record<string, Raw>> = {},
  before: Draft = NO_DRAFT,
): FilledForm {
  const call = aCall({ args: canonicalJson(args) });
  const views: ModalView[] = [];
  let draft = before;
  for (let page = 1; ; page += 1) {
    const plan = planForm(call, tool, draft);
    const { view, pages } = buildEditForm(call, plan, { meta: { ...META, page } });
    assert.deepEqual(validateView(view), []);
    const typed: Record<string, Record<string, Raw>> = {};
    for (const field of fieldsOf(plan)) {
      const by = [field.id, field.actionId].find((id) => Object.hasOwn(changes, id));
      const raw = by === undefined ? undefined : changes[by];
      if (raw !== undefined) typed[field.id] = { [field.actionId]: raw };
    }
    const blocks = view.blocks as unknown as readonly Json[];
    const state = collectState(blocks, valuesInView(view, typed), offers(plan));
    // Slack's own client accepts an untouched form.
    if (Object.keys(changes).length === 0 && before === NO_DRAFT)
      assert.deepEqual(checkForm(blocks, {}), {});
    draft = takeValues(draft, plan, state);
    views.push(view);
    if (page >= pages) {
      const last = planForm(call, tool, draft);
      return { plan: last, views, reading: readForm(last), draft };
    }
  }
}

function valuesInView(view: ModalView, typed: Typed): Typed {
  const ids = new Set(inputsOf(view).map(({ block_id }) => block_id));
  return Object.fromEntries(Object.entries(typed).filter(([id]) => ids.has(id)));
}

/** Options of the searched fields: all of them. */
function offers(plan: FormNode) {
  const searched = fieldsOf(plan).filter(
    ({ widget }) => widget.kind === 'choice' || widget.kind === 'many',
  );
  return Object.fromEntries(
    searched.map(({ id, actionId, widget }) => {
      const count = 'options' in widget ? widget.options.length : 0;
      return [
        id,
        {
          [actionId]: Array.from({ length: count > 100 ? count : 0 }, (_, i) => ({
            value: String(i),
          })),
        },
      ];
    }),
  );
}

/** The input blocks of a view. */
export function inputsOf(view: ModalView): readonly InputBlock[] {
  return view.blocks.filter((block): block is InputBlock => block.type === 'input');
}

/** The field with this action id; throws if it does not exist. */
export function fieldNamed(plan: FormNode, actionId: string): Field {
  const field = fieldsOf(plan).find((each) => each.actionId === actionId);
  assert.ok(field, `${actionId} is none of ${fieldsOf(plan).map((each) => each.actionId)}`);
  return field;
}

/** The arguments that the form returns; throws if it has errors. */
export function argsOf({ reading }: Pick<FilledForm, 'reading'>): JsonValue {
  assert.ok(reading.ok, JSON.stringify(reading));
  return reading.args;
}

/** The error messages of a form. */
export function problemsOf({ reading }: Pick<FilledForm, 'reading'>): readonly string[] {
  return reading.ok ? [] : reading.problems.map(({ message }) => message);
}
