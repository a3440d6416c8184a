import type { JsonValue } from '../../../domain/json/json.ts';

const UNSEEN = /[^\P{C}\n]|[\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Prints JSON for a form field: over several lines, with whatever can't be seen as a JSON escape. */
export function printFormJson(value: JsonValue): string {
  return JSON.stringify(value, null, 2).replace(UNSEEN, (character) =>
    Array.from({ length: character.length }, (_, i) => {
      return `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`;
    }).join(''),
  );
}
