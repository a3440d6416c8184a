import type { JsonValue } from '../../../domain/json/json.ts';

const INVISIBLE = /[^\P{C}\n]|[\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Prints JSON for a form field, indented, with invisible characters as JSON escapes. */
export function printFormJson(value: JsonValue): string {
  return JSON.stringify(value, null, 2).replace(INVISIBLE, (character) =>
    Array.from({ length: character.length }, (_, i) => {
      return `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`;
    }).join(''),
  );
}
