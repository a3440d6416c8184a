const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

const PARTS = /^(?:\d{1,6}[smhdw])+$/;

/**
 * Parses a duration such as `45s`, `1h30m`, `2d` or `1w`, in milliseconds; undefined if invalid or
 * zero.
 */
export function parseDuration(text: string): number | undefined {
  if (!PARTS.test(text)) return undefined;
  let ms = 0;
  for (const [, digits, unit] of text.matchAll(/(\d+)([smhdw])/g)) {
    ms += Number(digits) * (UNIT_MS[unit ?? ''] ?? Number.NaN);
  }
  return ms > 0 ? ms : undefined;
}

/** Formats a duration as `parseDuration` reads it, in the fewest parts. */
export function formatDuration(ms: number): string {
  let rest = Math.round(ms / 1_000);
  const parts: string[] = [];
  for (const unit of ['d', 'h', 'm', 's']) {
    const size = (UNIT_MS[unit] ?? 1_000) / 1_000;
    const whole = Math.floor(rest / size);
    if (whole > 0) parts.push(`${whole}${unit}`);
    rest -= whole * size;
  }
  return parts.length === 0 ? '0s' : parts.join('');
}
