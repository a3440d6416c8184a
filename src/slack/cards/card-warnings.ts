/** What of the data can't be seen as it is, is not shown, or is easily taken for something else. */
import type { KnownBlock, RichTextElement } from '@slack/types';
import { asCode, count, type PieceSums } from './fit-pieces.ts';
import type { LookAlike } from './look-alikes.ts';

/** Deeper values are read in the full view, where there is room for them. */
export const MAX_CARD_DEPTH = 6;
const MAX_LOOK_ALIKES = 5;

/** Makes the block of warnings; nothing when there is nothing to say. `missing` is in words of ours. */
export function buildWarnings(sums: PieceSums, missing: readonly string[]): KnownBlock[] {
  const lines = [
    ...sayHidden(sums.hidden),
    ...sums.lookAlikes.slice(0, MAX_LOOK_ALIKES).map(sayLookAlike),
    ...sayMore(sums.lookAlikes.length - MAX_LOOK_ALIKES),
    ...sayMasked(sums),
    ...missing.map((text) => warning(said(text))),
  ];
  if (lines.length === 0) return [];
  const elements = lines.flatMap((line, i) => (i === 0 ? line : [said('\n'), ...line]));
  return [{ type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] }];
}

type Line = RichTextElement[];

function said(text: string): RichTextElement {
  return { type: 'text', text };
}

function warning(...rest: Line): Line {
  return [{ type: 'emoji', name: 'warning' }, said(' '), ...rest];
}

function sayHidden(hidden: number): readonly Line[] {
  if (hidden === 0) return [];
  const what =
    hidden === 1
      ? '1 character that can’t be seen is'
      : `${count(hidden)} characters that can’t be seen are`;
  return [warning(said(`${what} written as `), asCode('\\u{…}'), said('.'))];
}

function sayLookAlike({ shown, says, other }: LookAlike): Line {
  if (shown === '') return warning(said(says));
  if (other === undefined) return warning(asCode(shown), said(` ${says}`));
  return warning(asCode(shown), said(` ${says} `), asCode(other));
}

function sayMore(more: number): readonly Line[] {
  if (more <= 0) return [];
  return [warning(said(`${count(more)} more things here look like something else.`))];
}

function sayMasked({ masked, guessed }: PieceSums): readonly Line[] {
  const lock = (text: string): Line => [{ type: 'emoji', name: 'lock' }, said(` ${text}`)];
  const secrets = masked === 1 ? '1 secret is' : `${count(masked)} secrets are`;
  const texts = guessed === 1 ? '1 text looks' : `${count(guessed)} texts look`;
  return [
    ...(masked === 0 ? [] : [lock(`${secrets} not shown; the call uses the true value.`)]),
    ...(guessed === 0 ? [] : [lock(`${texts} like a secret and stands masked here.`)]),
  ];
}
