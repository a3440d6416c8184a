/** Names of settings that are written wrong, which would be passed over silently. */
import { closestMatch } from 'leven';
import { Variables } from './variables.ts';

/** What the commands beside an agent read, which know no `.env`. */
const OTHERS = ['COUNTERSIGN_URL', 'COUNTERSIGN_API_KEY'] as const;
const KNOWN: readonly string[] = [...Object.keys(Variables.shape), ...OTHERS];
const SHORT = 7;

/** Tells whether the app reads a variable of that name. */
export function isSetting(name: string): boolean {
  return Object.hasOwn(Variables.shape, name);
}

/** Returns the setting that a name of none is probably meant for. */
export function meantSetting(name: string): string | undefined {
  if (KNOWN.includes(name)) return undefined;
  const plain = name.toUpperCase();
  const maxDistance = plain.length > SHORT ? 2 : 1;
  return KNOWN.includes(plain) ? plain : closestMatch(plain, KNOWN, { maxDistance });
}
