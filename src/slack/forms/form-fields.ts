/** Which arguments a form carries, and as what; the same answer when it is built and when it is read. */
import type { Call } from '../../domain/call.ts';
import type { JsonValue } from '../../domain/json.ts';
import { isSecretPath } from '../../domain/secret-paths.ts';
import type { Tool } from '../../domain/tool.ts';
import { maskTokens } from '../cards/mask-secrets.ts';
import { BUDGET, LIMITS } from '../limits.ts';
import { printFormJson } from './form-json.ts';

/** How an argument is edited. */
export type FieldKind = 'text' | 'number' | 'choice' | 'json';

/** One argument in the form; `value` is undefined where the call lacks it. */
export interface FormField {
  readonly kind: FieldKind;
  readonly blockId: string;
  readonly actionId: string;
  readonly key: string;
  readonly value: JsonValue | undefined;
  readonly required: boolean;
  readonly description: string | undefined;
  /** The text that the field begins with; empty for a choice. */
  readonly initial: string;
  /** The values of a choice, in order; undefined stands for “not set”. */
  readonly options: readonly (JsonValue | undefined)[];
}

/** An argument that the form does not carry, and why. */
export interface KeptField {
  readonly key: string;
  readonly why: string;
}

export interface FormPlan {
  readonly fields: readonly FormField[];
  readonly kept: readonly KeptField[];
}

/** The tool as a form needs it. */
export type FormTool = Pick<Tool, 'schema' | 'secrets'>;

type JsonObject = { readonly [key: string]: JsonValue };

/** Plans the form of a call's arguments. */
export function planForm(call: Pick<Call, 'args'>, tool: FormTool): FormPlan {
  const args = asObject(JSON.parse(call.args) as JsonValue);
  const properties = asObject(tool.schema.properties);
  const required = Array.isArray(tool.schema.required) ? tool.schema.required : [];
  const keys = [...new Set([...Object.keys(properties), ...Object.keys(args)])];
  const fields: FormField[] = [];
  const kept: KeptField[] = [];
  for (const [i, key] of keys.entries()) {
    const value = Object.hasOwn(args, key) ? args[key] : undefined;
    const schema = Object.hasOwn(properties, key) ? asObject(properties[key]) : {};
    const field = planField({ key, value, schema, required: required.includes(key) }, `arg.${i}`);
    const why = whyKept(field, tool.secrets, fields.length);
    if (why === undefined) fields.push(field);
    else if (value !== undefined) kept.push({ key, why });
  }
  return { fields, kept };
}

const LOOK_ALIKES_ONLY = { secrets: [], showsLookAlikes: false };

function whyKept(
  field: FormField,
  secrets: readonly string[],
  fieldsSoFar: number,
): string | undefined {
  const first = (path: string) => path.split('.').filter((step) => step !== '*')[0];
  const holdsSecret = secrets.some((path) => first(path) === field.key);
  if (holdsSecret || isSecretPath([field.key], secrets)) return 'secret';
  if (maskTokens(field.initial, LOOK_ALIKES_ONLY).guessed > 0)
    return 'it holds what looks like a secret';
  const { value, initial } = field;
  const length = typeof value === 'string' ? value.length : initial.length;
  if (initial.length > LIMITS.inputText) {
    return `${length.toLocaleString('en-US')} characters, more than a form can hold`;
  }
  if (fieldsSoFar >= BUDGET.formFields) return 'the form is full';
  return undefined;
}

function planField(
  argument: {
    readonly key: string;
    readonly value: JsonValue | undefined;
    readonly schema: JsonObject;
    readonly required: boolean;
  },
  blockId: string,
): FormField {
  const { key, value, schema, required } = argument;
  const options = optionsOf(schema, value, required);
  const kind = options === undefined ? kindOf(schema, value) : 'choice';
  const description = typeof schema.description === 'string' ? schema.description : undefined;
  const initial = kind === 'choice' || value === undefined ? '' : initialText(kind, value);
  const actionId = PLAIN_KEY.test(key) ? key : 'value';
  return {
    kind,
    blockId,
    actionId,
    key,
    value,
    required,
    description,
    initial,
    options: options ?? [],
  };
}

const PLAIN_KEY = /^[A-Za-z0-9_.-]{1,200}$/;
/** A text field would show these as something else, or Slack would change them. */
const NOT_FOR_TEXT = /[^\P{C}\n]|[\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
const PLAIN_NUMBER = /^-?[0-9]{1,15}(?:\.[0-9]{1,10})?$/;

function kindOf(schema: JsonObject, value: JsonValue | undefined): FieldKind {
  if (schema.type === 'string') {
    const fits = value === undefined || (typeof value === 'string' && !NOT_FOR_TEXT.test(value));
    return fits ? 'text' : 'json';
  }
  if (schema.type === 'number' || schema.type === 'integer') {
    const fits =
      value === undefined || (typeof value === 'number' && PLAIN_NUMBER.test(String(value)));
    return fits ? 'number' : 'json';
  }
  return 'json';
}

function initialText(kind: FieldKind, value: JsonValue): string {
  return kind === 'json' ? printFormJson(value) : String(value);
}

/** Lists the choices of a boolean or an enum; undefined when the argument is no choice, or not one of them. */
function optionsOf(
  schema: JsonObject,
  value: JsonValue | undefined,
  required: boolean,
): FormField['options'] | undefined {
  const values = schema.type === 'boolean' ? [true, false] : enumOf(schema);
  if (values === undefined) return undefined;
  const mayLack = !required || value === undefined;
  const options = mayLack ? [...values, undefined] : values;
  const isOne = options.some((option) => option === value);
  return isOne && options.length <= LIMITS.selectOptions ? options : undefined;
}

function enumOf(schema: JsonObject): readonly JsonValue[] | undefined {
  if (!Array.isArray(schema.enum) || schema.enum.length === 0) return undefined;
  const plain = schema.enum.every((each) => typeof each !== 'object' || each === null);
  return plain ? schema.enum : undefined;
}

function asObject(value: JsonValue | undefined): JsonObject {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as JsonObject) : {};
}
