/** A planned value as a field: what stands in it, what it is when it is emptied, and whether it may be. */
import type { JsonValue } from '../../../domain/json/json.ts';
import { type Masking, maskText } from '../../../domain/secrets/mask-secrets.ts';
import { LIMITS } from '../../text/limits.ts';
import { describeField, joinHints, toPlainLine } from './form-labels.ts';
import type { Field, Path, UneditedValue } from './form-node.ts';
import { type FormPlanning, type FormPosition, formNodeId, keepUnedited } from './plan-context.ts';
import type { Leaf } from './plan-leaf.ts';
import type { Schema } from './resolve-schema.ts';

/** Plans one field, or keeps the value where no field carries it. */
export function planField(
  spot: FormPosition,
  schema: Schema,
  leaf: Leaf,
  nullable: boolean,
  planning: FormPlanning,
): Field | UneditedValue {
  const { value, path } = spot;
  const kind = kindOf(leaf);
  const id = formNodeId(spot.way, kind);
  const why = explainUneditable(leaf, value, planning.masking);
  if (why !== undefined) return keepUnedited(spot, value === undefined ? '' : why);
  return {
    type: 'field',
    id,
    actionId: actionIdOf(path),
    path,
    label: spot.label,
    hint: joinHints(describeField(schema), leaf.note, ...notesOf(leaf, value, schema)),
    widget: leaf.widget,
    value,
    empty: emptyOf(spot, leaf, nullable),
    insists: insists(spot, leaf, nullable, schema),
    initial: leaf.initial,
    typed: Object.hasOwn(planning.draft.fields, id) ? planning.draft.fields[id] : undefined,
  };
}

/** Says what an empty field is now, and what it would be. */
function notesOf(
  { widget }: Leaf,
  value: JsonValue | undefined,
  schema: Schema,
): readonly string[] {
  if (value === '' && widget.kind !== 'json') return ['Empty text now'];
  if (value !== undefined && value !== null) return [];
  const none = value === null && widget.kind !== 'json' ? 'Null now' : '';
  const { default: own } = schema;
  return [none, own === undefined ? '' : toPlainLine(`Default: ${JSON.stringify(own)}`, 80)];
}

/** An empty text stays one; what may lack is left out or null; a list is empty; anything else needs a value. */
function emptyOf(spot: FormPosition, { widget }: Leaf, nullable: boolean): Field['empty'] {
  const { value, required, fresh } = spot;
  const wasBlank = typeof value === 'string' && value.trim() === '';
  if (wasBlank || (value === undefined && !(fresh && required))) return { value };
  if (widget.kind === 'many' || widget.kind === 'lines') return { value: [] };
  if (!required) return { value: undefined };
  if (nullable) return { value: null };
  return widget.kind === 'text' && !fresh ? { value: '' } : 'refused';
}

/** Slack lets an untouched form through only where nothing that it insists on is blank. */
function insists(
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
  return guessed > 0 ? 'it holds what looks like a secret' : undefined;
}

/** What is typed into one kind of field must not be read as another. */
function kindOf({ widget }: Leaf): string {
  if (widget.kind === 'choice' || widget.kind === 'many')
    return `${widget.kind} ${JSON.stringify(widget.options)}`;
  return widget.kind === 'lines' ? `lines of ${widget.item}` : widget.kind;
}

const PLAIN_STEP = /^[A-Za-z0-9_-]{1,60}$/;

/** Names a field's element by its path, as far as that is plain; Slack only wants it unique in its block. */
function actionIdOf(path: Path): string {
  const steps = path.map(String);
  const plain = steps.length > 0 && steps.every((step) => PLAIN_STEP.test(step));
  const id = steps.join('.');
  return plain && id.length <= 200 ? id : 'value';
}
