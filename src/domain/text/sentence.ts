/**
 * Our own texts that name people, groups, channels or times. The parts stay separate, so that each
 * output formats them its own way.
 */
export type SentencePart =
  | string
  /** A person in our workspace, by user id, with their name if known. */
  | { readonly person: string; readonly name?: string | undefined }
  /** A user group, with its handle if known. */
  | { readonly group: `${'usergroup' | 'channel'}:${string}`; readonly handle?: string | undefined }
  | { readonly channel: string }
  /** The name of a call. It may quote arguments, so none of it is markup. */
  | { readonly callName: string }
  /** A time in milliseconds. */
  | { readonly at: number }
  /** A past time in milliseconds, shown as how long ago it was. */
  | { readonly ago: number };

/** A text without markup, or a list of parts. Texts among the parts have no markup either. */
export type Sentence = string | readonly SentencePart[];

/** Template tag that builds a sentence from parts and sentences. */
export function sentence(
  texts: TemplateStringsArray,
  ...values: readonly (SentencePart | Sentence)[]
): readonly SentencePart[] {
  return texts.flatMap((text, i) => [text, ...partsOf(values[i] ?? '')]).filter(isSomething);
}

/** Joins sentences with a separator. */
export function joinSentences(
  all: readonly (SentencePart | Sentence)[],
  between: string,
): Sentence {
  return all.flatMap((each, i) => [...(i === 0 ? [] : [between]), ...partsOf(each)]);
}

/** Formats a sentence as plain text with ids and names, for the audit, the log and the model. */
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
