/** Describes how people changed a call's arguments, for the card and the model. */
import {
  canonicalJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  readStoredJson,
} from '../json/json.ts';
import type { Person } from '../people/person.ts';
import { allSecretPaths, isSecretPath, type SecretsOfCall } from '../secrets/secret-paths.ts';

/** One difference in the arguments. `from` or `to` is absent if that side has no value. */
export interface ArgChange {
  readonly path: readonly (string | number)[];
  readonly from?: JsonValue;
  readonly to?: JsonValue;
  /** The value is secret and must not be shown. */
  readonly isSecret: boolean;
}

/** An edit, as differences from the arguments that the agent proposed. */
export interface CallEdit {
  readonly by: Person;
  readonly changes: readonly ArgChange[];
  /** The current arguments, as JSON. */
  readonly args: string;
}

/** The fields of a call that describe an edit. */
interface EditedCall extends SecretsOfCall {
  readonly args: string;
  readonly proposedArgs: string;
  readonly editedBy?: Person;
  readonly requester: Person;
}

/** Returns what people changed in a call; undefined if the arguments are as proposed. */
export function callEditOf(
  call: EditedCall,
  secrets: readonly string[] = allSecretPaths(call),
): CallEdit | undefined {
  if (call.args === call.proposedArgs) return undefined;
  const before = readStoredJson(call.proposedArgs);
  const after = readStoredJson(call.args);
  const changes = listChanges(before, after, []).map((change) => ({
    ...change,
    isSecret: holdsSecret(change, secrets),
  }));
  return { by: call.editedBy ?? call.requester, changes, args: call.args };
}

type Difference = Omit<ArgChange, 'isSecret'>;

function listChanges(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  path: ArgChange['path'],
): readonly Difference[] {
  if (before !== undefined && after !== undefined) {
    if (canonicalJson(before) === canonicalJson(after)) return [];
    const keys = sharedKeys(before, after);
    if (keys) return keys.flatMap(({ step, from, to }) => listChanges(from, to, [...path, step]));
  }
  return [
    {
      path,
      ...(before === undefined ? {} : { from: before }),
      ...(after === undefined ? {} : { to: after }),
    },
  ];
}

interface Pair {
  readonly step: string | number;
  readonly from: JsonValue | undefined;
  readonly to: JsonValue | undefined;
}

/** Objects and lists of equal length are compared entry by entry; anything else as a whole. */
function sharedKeys(before: JsonValue, after: JsonValue): readonly Pair[] | undefined {
  if (Array.isArray(before) && Array.isArray(after)) {
    if (before.length !== after.length) return undefined;
    return before.map((from: JsonValue, step: number) => ({ step, from, to: after[step] }));
  }
  if (!isJsonObject(before) || !isJsonObject(after)) return undefined;
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.map((step) => ({ step, from: own(before, step), to: own(after, step) }));
}

function own(value: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

function holdsSecret({ path, from, to }: Difference, secrets: readonly string[]): boolean {
  if (isSecretPath(path, secrets)) return true;
  return [from, to].some((value) => value !== undefined && hasSecretIn(value, path, secrets));
}

function hasSecretIn(
  value: JsonValue,
  path: ArgChange['path'],
  secrets: readonly string[],
): boolean {
  if (isSecretPath(path, secrets)) return true;
  if (typeof value !== 'object' || value === null) return false;
  const isList = Array.isArray(value);
  return Object.entries(value).some(([key, inner]: [string, JsonValue]) =>
    hasSecretIn(inner, [...path, isList ? Number(key) : key], secrets),
  );
}

const MAX_CHANGES = 20;
const MAX_FROM = 200;
const MAX_TO = 2_000;
const MAX_ARGS = 4_000;

/** Describes an edit to the model: what ran, and not to repeat the original call. */
export function describeCallEdit({ by, changes, args }: CallEdit): string {
  const lines = changes.slice(0, MAX_CHANGES).map(describeArgumentChange);
  if (changes.length > MAX_CHANGES) lines.push(`and ${changes.length - MAX_CHANGES} more`);
  const whole = args.length > MAX_ARGS || changes.some(({ isSecret }) => isSecret);
  const ran = whole ? '' : `\nIt ran with: ${args}`;
  return `A person changed the arguments before approving. Edited by ${by.user}: ${lines.join('; ')}. Do not ask for the old call again.${ran}`;
}

function describeArgumentChange({ path, from, to, isSecret }: ArgChange): string {
  const name = path.length === 0 ? 'the arguments' : path.join('.');
  if (isSecret) return `${name}: changed (secret, not shown)`;
  return `${name}: from ${describeValue(from, MAX_FROM)} to ${describeValue(to, MAX_TO)}`;
}

function describeValue(value: JsonValue | undefined, max: number): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  if (text.length <= max) return text;
  return `${text.slice(0, max)}… (${text.length} characters of JSON)`;
}
