/** Plans a value as a field: its content, its value when emptied, and whether it may be empty. */
import type { JsonValue } from '../../../domain/json/json.ts';
import { type Masking, maskText } from '../../../domain/secrets/mask-secrets.ts';
import { describeField, joinHints, toPlainLine } from '../../schema/field-labels.ts';
import type { Schema } from '../../schema/resolve-schema.ts';
import { LIMITS } from '../../text/limits.ts';
import type { Field, Path, UneditedValue } from './form-node.ts';
import { type FormPlanning, type FormPosition, formNodeId, keepUnedited } from './plan-context.ts';
import type { Leaf } from './plan-leaf.ts';

/** Plans one field, or keeps the value unedited if no field can show it. */
export function planField(
  position: FormPosition,
  schema: Schema,
  leaf: Leaf,
  nullable: boolean,
  planning: FormPlanning,
): Field | UneditedValue {
  const { value, path } = position;
  const kind = kindOf(leaf);
  const id = formNodeId(position.idPath, kind);
  const why = explainUneditable(leaf, value, planning.masking);
  if (why !== undefined) return keepUnedited(position, value === undefined ? '' : why);
  return {
    type: 'field',
    id,
    actionId: actionIdOf(path),
    path,
    label: position.label,
    hint: joinHints(describeField(schema), leaf.note, ...notesOf(leaf, value, schema)),
    widget: leaf.widget,
    value,
    empty: emptyOf(position, leaf, nullable),
    insists: isRequired(position, leaf, nullable, schema),
    initial: leaf.initial,
    typed: Object.hasOwn(planning.draft.fields, id) ? planning.draft.fields[id] : undefined,
  };
}

/** Describes an empty field: its current value and its default. */
function notesOf(
  { widget }: Leaf,
  value: JsonValue | undefined,
  schema: Schema,
): readonly string[] {
  if (value === '' && widget.kind !== 'json') return ['Empty text now'];
  if (value !== undefined && value !== null) return [];
  const nullNote = value === null && widget.kind !== 'json' ? 'Null now' : '';
  const { default: own } = schema;
  return [nullNote, own === undefined ? '' : toPlainLine(`Default: ${JSON.stringify(own)}`, 80)];
}

/**
 * Returns the value of an emptied field: unchanged if it was blank, otherwise left out, null, an
 * empty list or an empty text. `refused` if a value is required.
 */
function emptyOf(position: FormPosition, { widget }: Leaf, nullable: boolean): Field['empty'] {
  const { value, required, fresh } = position;
  const wasBlank = typeof value === 'string' && value.trim() === '';
  if (wasBlank || (value === undefined && !(fresh && required))) return { value };
  if (widget.kind === 'many' || widget.kind === 'lines') return { value: [] };
  if (!required) return { value: undefined };
  if (nullable) return { value: null };
  return widget.kind === 'text' && !fresh ? { value: '' } : 'refused';
}

/**
 * Slack rejects an untouched form if a required field is blank, so blank originals are optional.
 */
function isRequired(
  { required, fresh }: FormPosition,
  { widget, initial }: Leaf,
  nullable: boolean,
  schema: Schema,
): boolean {
  if (widget.kind === 'choice')
    return !widget.options.includes(undefined) && (initial !== '' || (fresh && required));
  if (nullable) return false;
  if (widget.kind === 'many' || widget.kind === 'lines')
    return Number(schema.minItems) >= 1 && initial.length > 0;
  const isBlank = typeof initial === 'string' && initial.trim() === '';
  return required && (fresh || !isBlank);
}

function explainUneditable(
  leaf: Leaf,
  value: JsonValue | undefined,
  masking: Masking,
): string | undefined {
  const { initial, widget } = leaf;
  const isChosen = widget.kind === 'choice' || widget.kind === 'many';
  if (!isChosen && typeof initial === 'string' && initial.length > LIMITS.inputText) {
    const length = typeof value === 'string' ? value.length : initial.length;
    return `${length.toLocaleString('en-US')} characters, more than a form can hold`;
  }
  return explainSecret(isChosen ? JSON.stringify(value ?? null) : String(initial), masking);
}

function explainSecret(text: string, masking: Masking): string | undefined {
  const { claimed, guessed, hidden } = maskText(text, masking).secrets;
  if (hidden + claimed > 0) return 'it repeats a secret';
  return guessed > 0 ? 'it contains what looks like a secret' : undefined;
}

/** Part of the node's id, so that input for one kind of field is never read as another. */
function kindOf({ widget }: Leaf): string {
  if (widget.kind === 'choice' || widget.kind === 'many')
    return `${widget.kind} ${JSON.stringify(widget.options)}`;
  return widget.kind === 'lines' ? `lines of ${widget.item}` : widget.kind;
}

const PLAIN_STEP = /^[A-Za-z0-9_-]{1,60}$/;

/**
 * Names a field's element by its path if that is simple. Slack only needs it to be unique in its
 * block.
 */
function actionIdOf(path: Path): string {
  const steps = path.map(String);
  const plain = steps.length > 0 && steps.every((step) => PLAIN_STEP.test(step));
  const id = steps.join('.');
  return plain && id.length <= 200 ? id : 'value';
}
