import type { Group } from '../../domain/people/person.ts';
import { partsOf, type Sentence, type SentencePart } from '../../domain/text/sentence.ts';
import { toVisible } from '../../domain/text/visible-text.ts';
import { dateText, escapeMrkdwn, mention, mentionChannel, toPlainText } from './mrkdwn.ts';

/** How to name people: `mentioned` notifies them in a new message; `quiet` notifies nobody. */
export type MentionStyle = 'mentioned' | 'quiet';

/** Writes a sentence in Slack’s markup. Groups are never mentioned, since that would notify all members. */
export function writeSentence(
  words: SentencePart | Sentence,
  naming: MentionStyle = 'mentioned',
): string {
  return partsOf(words)
    .map((part) => writePart(part, naming))
    .join('');
}

function writePart(part: SentencePart, naming: MentionStyle): string {
  if (typeof part === 'string') return escapeMrkdwn(part);
  if ('person' in part) return namePerson(part.person, part.name, naming);
  if ('group' in part) return nameGroup(part.group, part.handle);
  if ('channel' in part) return mentionChannel(part.channel);
  if ('callName' in part) return writeCallName(part.callName);
  return 'ago' in part ? dateText(part.ago, '{ago}') : dateText(part.at);
}

function namePerson(id: string, name: string | undefined, naming: MentionStyle): string {
  return naming === 'mentioned' ? mention(id) : asData(name ?? id);
}

function nameGroup(group: Group, handle: string | undefined): string {
  const [kind, id = ''] = group.split(':');
  if (kind === 'channel') return `the members of ${mentionChannel(id)}`;
  return handle !== undefined && /^[a-z0-9._-]{1,80}$/.test(handle) ? `@${handle}` : asData(id);
}

const NAME_LIMIT = 60;

/** Writes a name as code, since people choose their names: it can’t contain markup or imitate our text. */
function asData(name: string): string {
  const visible = toVisible(name.replaceAll(/[`\n]/g, ' ').trim()).text;
  const cut = visible.length > NAME_LIMIT ? `${visible.slice(0, NAME_LIMIT)}…` : visible;
  return `\`${escapeMrkdwn(cut)}\``;
}

const CALL_NAME_LIMIT = 150;
/** An invisible word joiner, which disables the formatting mark before it. */
const JOINER = '\u2060';

/** Writes a call’s title, which may quote the agent, without markup, emoji or links. */
function writeCallName(name: string): string {
  const visible = toVisible(name.replaceAll(/\s+/g, ' ').trim()).text;
  const cut = visible.length > CALL_NAME_LIMIT ? `${visible.slice(0, CALL_NAME_LIMIT)}…` : visible;
  const plain = toPlainText(cut)
    .replaceAll(/[*`]/g, `$&${JOINER}`)
    .replaceAll(/(?<![A-Za-z0-9])[_~]|[_~](?![A-Za-z0-9])/g, `$&${JOINER}`)
    .replaceAll(/:(?=[\w+'-]+:)/g, `:${JOINER}`);
  return `*${plain}*`;
}
