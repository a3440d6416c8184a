/** Warnings about data that is invisible, hidden, or easily mistaken for something else. */
import type { KnownBlock, RichTextElement } from '@slack/types';
import type { SecretCounts } from '../../../domain/secrets/mask-secrets.ts';
import { findLookAlikes, type LookAlike } from '../look-alikes/look-alikes.ts';
import { formatCount, type HiddenCharacterSums } from '../values/fit-values.ts';
import { asCode } from '../values/rich-text-blocks.ts';

/** Deeper values need the room of the full view. */
export const MAX_CARD_DEPTH = 6;
const MAX_LOOK_ALIKES = 5;
const MAX_USUAL = 5;

/** Builds the block of warnings; empty if there are none. `missing` must be our own text. */
export function buildWarnings(
  sums: HiddenCharacterSums,
  { missing = [], reveals }: { readonly missing?: readonly string[]; readonly reveals: boolean },
): KnownBlock[] {
  const lookAlikes = findLookAlikes(sums.foreign);
  const alarming = lookAlikes.filter(({ isUsual }) => !isUsual);
  const lines = [
    ...buildHiddenWarning(sums.hidden),
    ...alarming.slice(0, MAX_LOOK_ALIKES).map(buildLookAlikeWarning),
    ...buildMoreWarning(alarming.length - MAX_LOOK_ALIKES),
    ...buildSecretsWarning(sums.secrets, reveals),
    ...missing.map((text) => warning(italic(text))),
    ...buildOrdinaryWordsWarning(lookAlikes.filter(({ isUsual }) => isUsual)),
  ];
  if (lines.length === 0) return [];
  const elements = lines.flatMap((line, i) => (i === 0 ? line : [italic('\n'), ...line]));
  return [{ type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] }];
}

type Line = RichTextElement[];

/** Our own text is italic, so that it differs from the data it describes. */
function italic(text: string): RichTextElement {
  return { type: 'text', text, style: { italic: true } };
}

function warning(...rest: Line): Line {
  return [{ type: 'emoji', name: 'warning' }, italic(' '), ...rest];
}

function buildHiddenWarning(hidden: number): readonly Line[] {
  if (hidden === 0) return [];
  const what =
    hidden === 1 ? '1 invisible character is' : `${formatCount(hidden)} invisible characters are`;
  return [warning(italic(`${what} written as `), asCode('\\u{…}'), italic('.'))];
}

function buildLookAlikeWarning({ shown, description, other }: LookAlike): Line {
  if (shown === '') return warning(italic(description));
  if (other === undefined) return warning(asCode(shown), italic(` ${description}`));
  return warning(asCode(shown), italic(` ${description} `), asCode(other));
}

function buildMoreWarning(more: number): readonly Line[] {
  if (more <= 0) return [];
  const what = more === 1 ? 'look-alike' : 'look-alikes';
  return [warning(italic(`${formatCount(more)} more ${what} here.`))];
}

/** Every Russian or Greek text has such words, so they are listed without a warning. */
function buildOrdinaryWordsWarning(words: readonly LookAlike[]): readonly Line[] {
  if (words.length === 0) return [];
  const named = words.slice(0, MAX_USUAL).flatMap(({ shown }) => [italic(' '), asCode(shown)]);
  const left = words.length - MAX_USUAL;
  const more = left > 0 ? ` and ${formatCount(left)} more.` : '.';
  return [[italic('Words that look identical in another alphabet:'), ...named, italic(more)]];
}

function buildSecretsWarning(
  { claimed, guessed, hidden, repeated }: SecretCounts,
  reveals: boolean,
): readonly Line[] {
  return [
    ...buildLockedWarning(hidden, SECRETS.hidden),
    ...(repeated === 0 ? [] : [warning(italic(REPEATED))]),
    ...(reveals
      ? buildLockedWarning(claimed + guessed, SECRETS.revealed)
      : [
          ...buildLockedWarning(claimed, SECRETS.claimed),
          ...buildLockedWarning(guessed, SECRETS.guessed),
        ]),
  ];
}

/** Texts for one, and for several. */
const SECRETS = {
  hidden: [
    '1 secret is not shown; the call uses the true value.',
    'secrets are not shown; the call uses the true value.',
  ],
  claimed: [
    '1 value is masked. The outside tool marks it as secret.',
    'values are masked. The outside tool marks them as secret.',
  ],
  guessed: [
    '1 text looks like a secret and is masked here.',
    'texts look like secrets and are masked here.',
  ],
  revealed: [
    '1 value is masked on the card and shown here. This was logged.',
    'values are masked on the card and shown here. This was logged.',
  ],
} as const;

const REPEATED =
  'An argument repeats a secret, so part of it is hidden from everyone. Approve only if you know what it says.';

function buildLockedWarning(
  number: number,
  [one, many]: readonly [string, string],
): readonly Line[] {
  if (number === 0) return [];
  const text = number === 1 ? one : `${formatCount(number)} ${many}`;
  return [[{ type: 'emoji', name: 'lock' }, italic(` ${text}`)]];
}
