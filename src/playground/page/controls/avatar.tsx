const COLOURS = 6;

/** Shows a person's initials on a colour of their own. */
export function Avatar({ name, isApp, size }: { name: string; isApp?: boolean; size?: 'small' }) {
  const initials = name
    .split(/\s+/)
    .map((word) => /^\p{L}/u.exec(word)?.[0] ?? '')
    .join('')
    .slice(0, 2)
    .toUpperCase();
  const colour = isApp
    ? 'app'
    : `c${[...name].reduce((sum, c) => (sum * 31 + c.charCodeAt(0)) % 9_973, 7) % COLOURS}`;
  return (
    <span class={`avatar ${colour} ${size ?? ''}`} aria-hidden="true">
      {isApp ? '✓' : initials}
    </span>
  );
}
