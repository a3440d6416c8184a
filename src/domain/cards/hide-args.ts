/** Hides secrets in arguments shown as JSON, outside of cards. */
import type { Call } from '../calls/call.ts';
import { maskingOfCall, requiresOpening } from '../calls/call-secrets.ts';
import { canonicalJson, isJsonObject, type JsonValue, readStoredJson } from '../json/json.ts';
import {
  hasSecretMark,
  type Masking,
  maskWholeText,
  secretArgument,
} from '../secrets/mask-secrets.ts';
import type { SecretMark } from '../secrets/secret-mark.ts';
import type { Toolbox } from '../tools/tool.ts';

type Path = readonly (string | number)[];

/** Arguments with their secrets restored. */
export interface RestoredArguments {
  readonly args: JsonValue;
  /** Whether any secret was restored. */
  readonly keepsUnseen: boolean;
  /** Paths of masks without a matching secret. They would run as literal text. */
  readonly misplaced: readonly Path[];
}

/** Hides the secrets of calls. With `reveals`, parts that are masked until opened are shown. */
export interface SecretHider {
  /** Returns the arguments with each secret replaced by its mark. */
  args(call: Call, reveals: boolean): JsonValue;
  /** Returns a text about the call without its secrets. */
  text(call: Call, text: string, reveals: boolean): string;
  /** Returns whether a person has to open the call before approving. */
  mustBeOpened(call: Call): boolean;
  /** Replaces marks in edited arguments by the call's secrets. */
  restore(call: Call, args: JsonValue): RestoredArguments;
}

/** Creates the secret hider of an installation. */
export function createSecretHider(mark: SecretMark, toolbox: Pick<Toolbox, 'of'>): SecretHider {
  // Cached: one response needs several texts of a call. Calls are immutable.
  const kept = { masked: new WeakMap<Call, Masking>(), opened: new WeakMap<Call, Masking>() };

  function masking(call: Call, reveals: boolean): Masking {
    const known = reveals ? kept.opened : kept.masked;
    const made = known.get(call) ?? maskingOfCall(call, toolbox.of(call), { reveals, mark });
    known.set(call, made);
    return made;
  }

  return {
    args: (call, reveals) => hideIn(readStoredJson(call.args), masking(call, reveals)),
    text: (call, text, reveals) => maskWholeText(text, masking(call, reveals)),
    mustBeOpened: (call) => requiresOpening(call, toolbox.of(call)),
    restore(call, args) {
      const stored = readStoredJson(call.args);
      // The marks may come from the card or from the opened view.
      const views = [masking(call, false), masking(call, true)];
      const marks = marksOf(stored, views);
      const misplaced: Path[] = [];
      let keepsUnseen = false;

      function restoreText(shown: string, current: JsonValue | undefined, path: Path): JsonValue {
        if (shown === current) return shown;
        const kept = isShownAs(current, shown, path, views)
          ? current
          : marks.get(nameOf(path, shown));
        if (kept !== undefined) {
          keepsUnseen = true;
          return kept;
        }
        if (hasSecretMark(shown)) misplaced.push(path);
        return shown;
      }

      function restoreIn(shown: JsonValue, current: JsonValue | undefined, path: Path): JsonValue {
        if (typeof shown === 'string') return restoreText(shown, current, path);
        if (typeof shown !== 'object' || shown === null) return shown;
        if (Array.isArray(shown)) {
          return shown.map((each: JsonValue, i) =>
            restoreIn(each, valueAt(current, i), [...path, i]),
          );
        }
        return Object.fromEntries(
          Object.entries(shown).map(([name, each]) => {
            const key = restoreKey(name, current, views);
            if (key !== name) keepsUnseen = true;
            else if (hasSecretMark(name)) misplaced.push([...path, name]);
            return [key, restoreIn(each, valueAt(current, key), [...path, key])];
          }),
        );
      }

      return { args: restoreIn(args, stored, []), keepsUnseen, misplaced };
    },
  };
}

function hideIn(value: JsonValue, masking: Masking, path: Path = []): JsonValue {
  const own = secretArgument(path, value, masking);
  if (own?.kind === 'masked') return `⟨${own.words}⟩`;
  const inner = own?.masking ?? masking;
  if (typeof value === 'string') return maskWholeText(value, inner);
  if (typeof value === 'number') return hideNumber(value, inner);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    return value.map((each: JsonValue, i) => hideIn(each, inner, [...path, i]));
  }
  const shown = new Map<string, JsonValue>();
  for (const [key, each] of Object.entries(value)) {
    shown.set(
      uniqueMaskedName(maskWholeText(key, inner), shown),
      hideIn(each, inner, [...path, key]),
    );
  }
  return Object.fromEntries(shown);
}

function hideNumber(value: number, masking: Masking): JsonValue {
  const text = JSON.stringify(value);
  const shown = maskWholeText(text, masking);
  return shown === text ? value : shown;
}

/** Keeps names distinct that are masked alike. */
function uniqueMaskedName(name: string, taken: ReadonlyMap<string, JsonValue>): string {
  let apart = name;
  for (let n = 2; taken.has(apart); n += 1) apart = `${name} (${n})`;
  return apart;
}

/** Returns whether the stored value is shown as this text. */
function isShownAs(
  current: JsonValue | undefined,
  shown: string,
  path: Path,
  views: readonly Masking[],
): current is JsonValue {
  return current !== undefined && views.some((view) => hideIn(current, view, path) === shown);
}

/** Finds the stored key for a masked key. */
function restoreKey(
  name: string,
  current: JsonValue | undefined,
  views: readonly Masking[],
): string {
  if (!isJsonObject(current) || Object.hasOwn(current, name)) return name;
  const keys = Object.keys(current);
  return keys.find((key) => views.some((view) => maskWholeText(key, view) === name)) ?? name;
}

/** Maps marks to secrets, so that list items may be reordered. Ambiguous marks map to undefined. */
function marksOf(
  stored: JsonValue,
  views: readonly Masking[],
): ReadonlyMap<string, JsonValue | undefined> {
  const marks = new Map<string, JsonValue | undefined>();
  for (const { name, value } of views.flatMap((view) => [...markedIn(stored, view, [])])) {
    const other = marks.get(name);
    const isSame = other !== undefined && canonicalJson(other) === canonicalJson(value);
    marks.set(name, !marks.has(name) || isSame ? value : undefined);
  }
  return marks;
}

interface Marked {
  readonly name: string;
  readonly value: JsonValue;
}

function* markedIn(value: JsonValue, view: Masking, path: Path): Generator<Marked> {
  const own = secretArgument(path, value, view);
  if (own?.kind === 'masked') {
    yield { name: nameOf(path, `⟨${own.words}⟩`), value };
  } else if (typeof value === 'object' && value !== null) {
    const isList = Array.isArray(value);
    for (const [key, each] of Object.entries(value) as [string, JsonValue][]) {
      yield* markedIn(each, view, [...path, isList ? Number(key) : key]);
    }
  }
}

/** Key of a mark at a path, ignoring list indexes. */
function nameOf(path: Path, shown: string): string {
  return JSON.stringify([path.filter((step) => typeof step !== 'number'), shown]);
}

function valueAt(value: JsonValue | undefined, step: string | number): JsonValue | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
  return (value as Readonly<Record<string | number, JsonValue>>)[step];
}
