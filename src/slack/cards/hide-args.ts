/** Arguments without their secrets, as JSON: for whoever reads them by other ways than a card. */
import type { Call } from '../../domain/call.ts';
import { type JsonValue, readStoredJson } from '../../domain/json.ts';
import type { SecretMark } from '../../domain/secret-mark.ts';
import { isSecretPath } from '../../domain/secret-paths.ts';
import {
  holdsMark,
  type Leaf,
  leavesOf,
  type Masking,
  maskTokens,
  saySecret,
  secretTexts,
} from './mask-secrets.ts';

type Path = readonly (string | number)[];

/** Arguments whose secrets were put back. */
export interface Restored {
  readonly args: JsonValue;
  /** Whether there were any. */
  readonly keepsUnseen: boolean;
  /** Where a mark stands that no secret can be put back for: it would run as it is written. */
  readonly misplaced: readonly (readonly (string | number)[])[];
}

/** Hides the secrets of calls. */
export interface HideArgs {
  /** The arguments with a mark in place of each secret. */
  args(call: Call, showsLookAlikes: boolean): JsonValue;
  /** A text about the call, without its secrets. */
  text(call: Call, text: string, showsLookAlikes: boolean): string;
  /** Puts the secrets of a call back where their marks stand in other arguments. */
  restore(call: Call, args: JsonValue): Restored;
}

/** Creates what hides secrets, under the marks of the installation. */
export function createHideArgs(mark: SecretMark): HideArgs {
  function maskingOf({ args, secrets = [] }: Call, showsLookAlikes: boolean): Masking {
    return { secrets: secretTexts(readStoredJson(args), secrets), showsLookAlikes, mark };
  }

  const sayHidden = (value: JsonValue) => `⟨${saySecret(value, mark)}⟩`;

  /** The secrets by their marks; two of one list with the same mark can't be told apart. */
  function marksOf(leaves: readonly Leaf[]): ReadonlyMap<string, JsonValue | undefined> {
    const marks = new Map<string, JsonValue | undefined>();
    for (const { path, value } of leaves) {
      const name = nameOf(path, sayHidden(value));
      marks.set(name, !marks.has(name) || marks.get(name) === value ? value : undefined);
    }
    return marks;
  }

  const hideText = (text: string, masking: Masking) => maskTokens(text, masking).parts.join('');

  return {
    args(call, showsLookAlikes) {
      const masking = maskingOf(call, showsLookAlikes);
      return mapLeaves(readStoredJson(call.args), (value, path) => {
        if (isSecretPath(path, call.secrets ?? [])) return sayHidden(value);
        return typeof value === 'string' ? hideText(value, masking) : value;
      });
    },
    text: (call, text, showsLookAlikes) => hideText(text, maskingOf(call, showsLookAlikes)),
    restore(call, args) {
      const stored = readStoredJson(call.args);
      const secrets = call.secrets ?? [];
      const masking = maskingOf(call, true);
      const marks = marksOf(leavesOf(stored, []).filter(({ path }) => isSecretPath(path, secrets)));
      const misplaced: Path[] = [];
      let keepsUnseen = false;

      /** As it stood there, or as it stood in another place of a list. */
      function keptAt(shown: string, path: Path): JsonValue | undefined {
        const here = valueAt(stored, path);
        if (isSecretPath(path, secrets)) {
          return isLeaf(here) && sayHidden(here) === shown ? here : marks.get(nameOf(path, shown));
        }
        const isHidden = typeof here === 'string' && hideText(here, masking) === shown;
        return isHidden ? here : undefined;
      }

      const restored = mapLeaves(args, (value, path) => {
        if (typeof value !== 'string' || value === valueAt(stored, path)) return value;
        const kept = keptAt(value, path);
        if (kept !== undefined) keepsUnseen = true;
        else if (holdsMark(value)) misplaced.push(path);
        return kept ?? value;
      });
      return { args: restored, keepsUnseen, misplaced };
    },
  };
}

function mapLeaves(
  value: JsonValue,
  change: (leaf: JsonValue, path: Path) => JsonValue,
  path: Path = [],
): JsonValue {
  if (typeof value !== 'object' || value === null) return change(value, path);
  if (Array.isArray(value)) {
    return value.map((each: JsonValue, i) => mapLeaves(each, change, [...path, i]));
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, mapLeaves(each, change, [...path, key])]),
  );
}

/** What has a mark at a place; the places of a list are one. */
function nameOf(path: Path, shown: string): string {
  return JSON.stringify([path.filter((step) => typeof step !== 'number'), shown]);
}

function isLeaf(value: JsonValue | undefined): value is Leaf['value'] {
  return value !== undefined && (typeof value !== 'object' || value === null);
}

function valueAt(value: JsonValue, path: Path): JsonValue | undefined {
  let at: unknown = value;
  for (const step of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined;
    at = (at as Record<string | number, unknown>)[step];
  }
  return at as JsonValue;
}
