import { partsOf, type Sentence, type SentencePart } from '../domain/sentence.ts';
import { showName } from './cards/visible-text.ts';
import { dateText, escapeMrkdwn, mention } from './mrkdwn.ts';

/** How people are named: `mentioned` tells them so in a new message; `quiet` tells nobody. */
export type Naming = 'mentioned' | 'quiet';

/** Writes a sentence in Slack's markup; a group is never mentioned, for that would call all of it. */
export function writeSentence(
  words: SentencePart | Sentence,
  naming: Naming = 'mentioned',
): string {
  return partsOf(words)
    .map((part) => writePart(part, naming))
    .join('');
}

function writePart(part: SentencePart, naming: Naming): string {
  if (typeof part === 'string') return escapeMrkdwn(part);
  if ('person' in part) {
    return naming === 'mentioned' ? mention(part.person) : quietly(part.name, part.person);
  }
  if ('channel' in part) return mentionChannel(part.channel);
  if ('at' in part) return dateText(part.at);
  const [kind, id = ''] = part.group.split(':');
  return kind === 'channel'
    ? `everybody in ${mentionChannel(id)}`
    : quietly(part.handle && `@${part.handle}`, id);
}

/** A name is text that people choose: nothing in it may be markup. */
function quietly(name: string | undefined, id: string): string {
  return name ? escapeMrkdwn(showName(name)) : `\`${escapeMrkdwn(id)}\``;
}

function mentionChannel(id: string): string {
  return /^[A-Z0-9]{1,40}$/.test(id) ? `<#${id}>` : escapeMrkdwn(id);
}
