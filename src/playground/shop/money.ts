/** The currencies of the shop. */
export const CURRENCIES = ['EUR', 'USD'] as const;
export type Currency = (typeof CURRENCIES)[number];

/** Converts an amount to whole cents, so that sums are exact. */
export function toCents(amount: number): number {
  return Math.round(amount * 100);
}

/** Formats an amount, like €80.00. */
export function formatMoney(cents: number, currency: Currency): string {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).format(cents / 100);
}
