/** What of the data can't be seen as it is, is not shown, or is easily taken for something else. */
import type { KnownBlock, RichTextElement } from '@slack/types';
import type { SecretCounts } from '../../../domain/secrets/mask-secrets.ts';
import { findLookAlikes, type LookAlike } from '../look-alikes/look-alikes.ts';
import { formatCount, type HiddenCharacterSums } from '../values/fit-values.ts';
import { asCode } from '../values/rich-text-blocks.ts';

/** Deeper values are read in the full view, where there is room for them. */
export const MAX_CARD_DEPTH = 6;
const MAX_LOOK_ALIKES = 5;
const MAX_USUAL = 5;

/** Makes the block of warnings; nothing when there is nothing to say. `missing` is in words of ours. */
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
    ...missing.map((text) => warning(said(text))),
    ...buildOrdinaryWordsWarning(lookAlikes.filter(({ isUsual }) => isUsual)),
  ];
  if (lines.length === 0) return [];
  const elements = lines.flatMap((line, i) => (i === 0 ? line : [said('\n'), ...line]));
  return [{ type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] }];
}

type Line = RichTextElement[];

/** Words of ours are set apart from those that they speak of. */
function said(text: string): RichTextElement {
  return { type: 'text', text, style: { italic: true } };
}

function warning(...rest: Line): Line {
  return [{ type: 'emoji', name: 'warning' }, said(' '), ...rest];
}

function buildHiddenWarning(hidden: number): readonly Line[] {
  if (hidden === 0) return [];
  const what =
    hidden === 1
      ? '1 character that can’t be seen is'
      : `${formatCount(hidden)} characters that can’t be seen are`;
  return [warning(said(`${what} written as `), asCode('\\u{…}'), said('.'))];
}

function buildLookAlikeWarning({ shown, says, other }: LookAlike): Line {
  if (shown === '') return warning(said(says));
  if (other === undefined) return warning(asCode(shown), said(` ${says}`));
  return warning(asCode(shown), said(` ${says} `), asCode(other));
}

function buildMoreWarning(more: number): readonly Line[] {
  if (more <= 0) return [];
  return [warning(said(`${formatCount(more)} more things here look like something else.`))];
}

/** Every Russian or Greek text has such words: they are named without a warning. */
function buildOrdinaryWordsWarning(words: readonly LookAlike[]): readonly Line[] {
  if (words.length === 0) return [];
  const named = words.slice(0, MAX_USUAL).flatMap(({ shown }) => [said(' '), asCode(shown)]);
  const left = words.length - MAX_USUAL;
  const more = left > 0 ? ` and ${formatCount(left)} more.` : '.';
  return [[said('Words that look the same in other letters:'), ...named, said(more)]];
}

function buildSecretsWarning(
  { claimed, guessed, hidden, repeated }: SecretCounts,
  reveals: boolean,
): readonly Line[] {
  return [
    ...buildLockedWarning(hidden, SECRETS.hidden),
    ...(repeated === 0 ? [] : [warning(said(REPEATED))]),
    ...(reveals
      ? buildLockedWarning(claimed + guessed, SECRETS.revealed)
      : [
          ...buildLockedWarning(claimed, SECRETS.claimed),
          ...buildLockedWarning(guessed, SECRETS.guessed),
        ]),
  ];
}

/** For one, and for more of them. */
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
    '1 text looks like a secret and stands masked here.',
    'texts look like secrets and are masked here.',
  ],
  revealed: [
    '1 value is masked on the card and shown here. This was logged.',
    'values are masked on the card and shown here. This was logged.',
  ],
} as const;

const REPEATED =
  'An argument repeats a secret, so a part of it is shown to nobody. Approve only if you know what it says.';

function buildLockedWarning(
  number: number,
  [one, many]: readonly [string, string],
): readonly Line[] {
  if (number === 0) return [];
  const text = number === 1 ? one : `${formatCount(number)} ${many}`;
  return [[{ type: 'emoji', name: 'lock' }, said(` ${text}`)]];
}
