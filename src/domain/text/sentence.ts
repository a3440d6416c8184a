/** Our own words where they name people, groups, channels or times: kept apart, so that each place writes them as it can. */
import type { Group } from '../policy/route.ts';

export type SentencePart =
  | string
  /** A person of our workspace by user id, with their name where it is known. */
  | { readonly person: string; readonly name?: string | undefined }
  /** A group of people, with its handle where it is known. */
  | { readonly group: Group; readonly handle?: string | undefined }
  | { readonly channel: string }
  /** The name of a call: it may quote its arguments, so nothing in it is markup. */
  | { readonly callName: string }
  /** A time in milliseconds. */
  | { readonly at: number }
  /** How long ago a time in milliseconds was, as it is read. */
  | { readonly ago: number };

/** A text without markup, or its parts in order; a text among them has no markup either. */
export type Sentence = string | readonly SentencePart[];

/** Makes a sentence of a template whose values are parts or sentences. */
export function sentence(
  texts: TemplateStringsArray,
  ...values: readonly (SentencePart | Sentence)[]
): readonly SentencePart[] {
  return texts.flatMap((text, i) => [text, ...partsOf(values[i] ?? '')]).filter(isSomething);
}

/** Puts sentences into one, with a text between each two. */
export function joinSentences(
  all: readonly (SentencePart | Sentence)[],
  between: string,
): Sentence {
  return all.flatMap((each, i) => [...(i === 0 ? [] : [between]), ...partsOf(each)]);
}

/** Writes a sentence with ids and names in plain text: for the audit, the log and the model. */
export function plainSentence(words: SentencePart | Sentence): string {
  return partsOf(words).map(writePart).join('');
}

/** Lists the parts of a sentence. */
export function partsOf(words: SentencePart | Sentence): readonly SentencePart[] {
  return isList(words) ? words : [words];
}

function isList(words: SentencePart | Sentence): words is readonly SentencePart[] {
  return Array.isArray(words);
}

function isSomething(part: SentencePart): boolean {
  return part !== '';
}

function writePart(part: SentencePart): string {
  if (typeof part === 'string') return part;
  if ('person' in part) return named(part.person, part.name);
  if ('group' in part) return named(part.group, part.handle && `@${part.handle}`);
  if ('channel' in part) return part.channel;
  if ('callName' in part) return `“${part.callName}”`;
  const at = 'ago' in part ? part.ago : part.at;
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function named(id: string, name: string | undefined): string {
  return name ? `${name} (${id})` : id;
}
