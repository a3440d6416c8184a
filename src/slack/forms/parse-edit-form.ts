import type { Call } from '../../domain/call.ts';
import type { JsonValue } from '../../domain/json.ts';
import { parseStrictJson } from '../../domain/strict-json.ts';
import { objectAt, type Payload, textAt } from '../payload.ts';
import { type FormField, type FormTool, planForm } from './form-fields.ts';

/** The arguments as the form left them, or what is wrong, by block id. */
export type ParsedForm =
  | { readonly ok: true; readonly args: JsonValue; readonly fields: readonly FormField[] }
  | {
      readonly ok: false;
      readonly errors: Readonly<Record<string, string>>;
      readonly fields: readonly FormField[];
    };

type Reading =
  | { readonly ok: true; readonly value: JsonValue | undefined }
  | { readonly ok: false; readonly error: string };

/**
 * Reads a submitted form of the call. Only fields of the form change; a field left as it was keeps
 * its value to the byte, whatever its text.
 */
export function parseEditForm(
  call: Pick<Call, 'args'>,
  tool: FormTool,
  values: Payload,
): ParsedForm {
  const { fields } = planForm(call, tool);
  const args = new Map(Object.entries(JSON.parse(call.args) as { [key: string]: JsonValue }));
  const errors: Record<string, string> = {};
  for (const field of fields) {
    const reading = readField(field, values);
    if (!reading.ok) errors[field.blockId] = reading.error;
    else if (reading.value === undefined) args.delete(field.key);
    else args.set(field.key, reading.value);
  }
  if (Object.keys(errors).length > 0) return { ok: false, errors, fields };
  return { ok: true, args: Object.fromEntries(args), fields };
}

function readField(field: FormField, values: Payload): Reading {
  const block = objectAt(values, field.blockId);
  const state = block[field.actionId];
  const untouched: Reading = { ok: true, value: field.value };
  if (typeof state !== 'object' || state === null) return untouched;
  if (field.kind === 'choice') return readChoice(field, state as Payload);
  const typed = textAt(state as Payload, 'value') ?? '';
  if (typed === field.initial) return untouched;
  if (typed === '') return readCleared(field);
  if (field.kind === 'text') return { ok: true, value: typed };
  return readJson(field, typed);
}

function readChoice(field: FormField, state: Payload): Reading {
  const chosen = textAt(objectAt(state, 'selected_option'), 'value');
  if (chosen === undefined) return readCleared(field);
  const index = /^[0-9]{1,3}$/.test(chosen) ? Number(chosen) : -1;
  if (index < 0 || index >= field.options.length) {
    return { ok: false, error: 'Choose one of the list.' };
  }
  return { ok: true, value: field.options[index] };
}

/** An empty text stays one; an optional argument is left out; anything else needs a value. */
function readCleared(field: FormField): Reading {
  const wasBlank = typeof field.value === 'string' && field.value.trim() === '';
  if (field.value === undefined || wasBlank) return { ok: true, value: field.value };
  if (!field.required) return { ok: true, value: undefined };
  if (field.kind === 'text') return { ok: true, value: '' };
  return { ok: false, error: 'This needs a value.' };
}

function readJson(field: FormField, typed: string): Reading {
  const parsed = parseStrictJson(field.kind === 'number' ? typed.trim() : typed);
  if (field.kind === 'number') {
    if (parsed.ok && typeof parsed.value === 'number') return parsed;
    return { ok: false, error: parsed.ok ? 'Write a number.' : `Write a number: ${parsed.reason}` };
  }
  if (parsed.ok) return parsed;
  const where = `Line ${parsed.line}, column ${parsed.column}`;
  return { ok: false, error: `${where}: ${parsed.reason}` };
}
