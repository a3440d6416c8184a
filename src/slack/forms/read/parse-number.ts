/** The number entered in a field, or what is wrong with it. */
export type NumberParseResult =
  | { readonly ok: true; readonly value: number }
  | { readonly ok: false; readonly message: string };

/** The limits of a number field. */
export interface NumberLimits {
  readonly integer: boolean;
  readonly min?: number;
  readonly max?: number;
}

const WHOLE = /^-?[0-9]+$/;
const DECIMAL = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/;

/**
 * Parses a number exactly as written: nothing is trimmed or rounded, and no other notation is
 * accepted.
 */
export function readFormNumber(text: string, limits: NumberLimits): NumberParseResult {
  const value = Number(text);
  const message =
    explainInexactNumber(text, value, limits.integer) ?? explainOutOfRange(value, limits);
  return message === undefined ? { ok: true, value } : { ok: false, message };
}

function explainInexactNumber(text: string, value: number, integer: boolean): string | undefined {
  const kept = JSON.stringify(value);
  // Very small and large numbers are prefilled in JSON's notation.
  const isDecimal = DECIMAL.test(text) || (text === kept && Number.isFinite(value));
  if (integer ? !WHOLE.test(text) : !isDecimal) return integer ? NOT_WHOLE : NOT_DECIMAL;
  if (/^-?0[0-9]/.test(text)) return 'Write the number without leading zeros.';
  return kept === withoutEndZeros(text) ? undefined : NOT_KEPT;
}

function explainOutOfRange(value: number, { min, max }: NumberLimits): string | undefined {
  if (min !== undefined && value < min) return `Write ${min} or more.`;
  return max !== undefined && value > max ? `Write ${max} or less.` : undefined;
}

const NOT_WHOLE = 'Write a whole number with digits only, such as 12 or -3.';
const NOT_DECIMAL = 'Write a number with digits and a point, such as 12.5 or -3.';

const NOT_KEPT = 'This number can’t be stored exactly as written. Write fewer digits.';

/** Zeros at the end of a fraction do not count: 19.90 is 19.9. */
function withoutEndZeros(text: string): string {
  return DECIMAL.test(text) && text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}
