/** Finds misspelled names of settings, which would otherwise be ignored silently. */
import { closestMatch } from 'leven';
import { Variables } from './setting-variables.ts';

/** Variables of the agent commands, which do not read `.env`. */
const OTHERS = ['COUNTERSIGN_URL', 'COUNTERSIGN_API_KEY'] as const;
const KNOWN: readonly string[] = [...Object.keys(Variables.shape), ...OTHERS];
const SHORT = 7;
/** Shorter names match too much: npm sets NODE, and MODE is ours. */
const SHORTEST = 5;

/** Returns whether the app reads a variable of that name. */
export function isSetting(name: string): boolean {
  return Object.hasOwn(Variables.shape, name);
}

/** Returns the setting that a misspelled name probably means. */
export function suggestSetting(name: string): string | undefined {
  if (KNOWN.includes(name)) return undefined;
  const plain = name.toUpperCase();
  if (KNOWN.includes(plain)) return plain;
  const maxDistance = plain.length > SHORT ? 2 : 1;
  return plain.length < SHORTEST ? undefined : closestMatch(plain, KNOWN, { maxDistance });
}

/**
 * Like `suggestSetting`, for names in the environment, where other programs have their own: the
 * name must begin as the setting does.
 */
export function suggestEnvironmentSetting(name: string): string | undefined {
  const meant = suggestSetting(name);
  if (meant === undefined || /^_?\d+$/.test(name.slice(meant.length))) return undefined;
  const bare = (text: string) => text.toUpperCase().replaceAll('_', '');
  const [prefix] = meant.split('_', 1);
  const isOurs = meant.includes('_') && name.toUpperCase().startsWith(`${prefix}_`);
  return isOurs || bare(name) === bare(meant) ? meant : undefined;
}

/** Says that a name is not a setting, and suggests the one that is meant. */
export function describeSuggestion(name: string, meant: string): string {
  return `${name} is not a setting. Did you mean ${meant}?`;
}
