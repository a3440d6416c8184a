/** Arguments without their secrets, as JSON: for whoever reads them by other ways than a card. */
import type { Call } from '../../domain/call.ts';
import { type JsonValue, readStoredJson } from '../../domain/json.ts';
import type { SecretMark } from '../../domain/secret-mark.ts';
import { isSecretPath } from '../../domain/secret-paths.ts';
import { type Masking, maskTokens, saySecret, secretTexts } from './mask-secrets.ts';

type Path = readonly (string | number)[];

/** Hides the secrets of calls. */
export interface HideArgs {
  /** The arguments with a mark in place of each secret. */
  args(call: Call, showsLookAlikes: boolean): JsonValue;
  /** A text about the call, without its secrets. */
  text(call: Call, text: string, showsLookAlikes: boolean): string;
  /** Puts the secrets of a call back where their marks stand in other arguments; and whether there were any. */
  restore(call: Call, args: JsonValue): { readonly args: JsonValue; readonly keepsUnseen: boolean };
}

/** Creates what hides secrets, under the marks of the installation. */
export function createHideArgs(mark: SecretMark): HideArgs {
  function maskingOf({ args, secrets = [] }: Call, showsLookAlikes: boolean): Masking {
    return { secrets: secretTexts(readStoredJson(args), secrets), showsLookAlikes, mark };
  }

  const sayHidden = (value: JsonValue) => `⟨${saySecret(value, mark)}⟩`;
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
      let keepsUnseen = false;
      const restored = mapLeaves(args, (value, path) => {
        const kept = isSecretPath(path, call.secrets ?? []) ? valueAt(stored, path) : undefined;
        if (kept === undefined || value !== sayHidden(kept)) return value;
        keepsUnseen = true;
        return kept;
      });
      return { args: restored, keepsUnseen };
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

function valueAt(value: JsonValue, path: Path): JsonValue | undefined {
  let at: unknown = value;
  for (const step of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined;
    at = (at as Record<string | number, unknown>)[step];
  }
  return at as JsonValue;
}
