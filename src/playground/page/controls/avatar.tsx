const COLORS = 6;

/** Shows a person's initials on a color that is fixed per name. */
export function Avatar({ name, isApp, size }: { name: string; isApp?: boolean; size?: 'small' }) {
  const initials = name
    .split(/\s+/)
    .map((word) => /^\p{L}/u.exec(word)?.[0] ?? '')
    .join('')
    .slice(0, 2)
    .toUpperCase();
  const color = isApp
    ? 'app'
    : `c${[...name].reduce((sum, c) => (sum * 31 + c.charCodeAt(0)) % 9_973, 7) % COLORS}`;
  return (
    <span class={`avatar ${color} ${size ?? ''}`} aria-hidden="true">
      {isApp ? '✓' : initials}
    </span>
  );
}
