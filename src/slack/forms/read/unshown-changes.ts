/** Finds values that a form of an outside tool would save without having shown them. */
import type { JsonValue } from '../../../domain/json/json.ts';
import { isSame } from '../../schema/resolve-schema.ts';
import { LIMITS } from '../../text/limits.ts';
import { optionText } from '../draw/draw-field.ts';
import { type Field, type FormNode, nodesOf, type Path } from '../plan/form-node.ts';

/**
 * Tells whether a form adds a value that it does not show in full: one fixed by the schema, or a
 * long option.
 */
export function addsHiddenValues(plan: FormNode, args: JsonValue): boolean {
  return nodesOf(plan).some((node) => {
    if (node.type === 'field') return choosesCut(node);
    if (node.type !== 'kept' || node.why !== '' || node.value === undefined) return false;
    return !isSame(node.value, valueAt(args, node.path));
  });
}

function choosesCut({ typed, widget }: Field): boolean {
  if (typed === undefined || (widget.kind !== 'choice' && widget.kind !== 'many')) return false;
  const places = typeof typed === 'string' ? [typed] : typed;
  return places.some((place) => {
    const isPlace = /^[0-9]+$/.test(place);
    return isPlace && optionText(widget.options[Number(place)]).length > LIMITS.optionText;
  });
}

function valueAt(args: JsonValue, path: Path): JsonValue | undefined {
  let at: JsonValue | undefined = args;
  for (const step of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined;
    at = (at as Readonly<Record<string | number, JsonValue>>)[step];
  }
  return at;
}
