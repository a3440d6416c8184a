import type { WebClient } from '@slack/web-api';
import type { Group } from '../../domain/people/person.ts';
import {
  partsOf,
  plainSentence,
  type Sentence,
  type SentencePart,
} from '../../domain/text/sentence.ts';

const MAX_NAMES = 500;

/** Creates a writer of sentences without markup: it uses names instead of mentions. https://docs.slack.dev/reference/methods/assistant.threads.setStatus */
export function createPlainTextWriter(client: WebClient): (words: Sentence) => Promise<string> {
  const names = new Map<string, string>();

  /** Returns a generic text if Slack does not show us the channel. */
  async function nameChannel(id: string): Promise<string> {
    const known = names.get(id);
    if (known !== undefined) return known;
    const { channel } = await client.conversations
      .info({ channel: id })
      .catch(() => ({ channel: undefined }));
    if (channel?.name === undefined) return 'another channel';
    if (names.size >= MAX_NAMES) names.clear();
    names.set(id, `#${channel.name}`);
    return `#${channel.name}`;
  }

  async function nameGroup(group: Group, handle: string | undefined): Promise<string> {
    if (!group.startsWith('channel:')) return handle === undefined ? 'a user group' : `@${handle}`;
    return `the members of ${await nameChannel(group.slice('channel:'.length))}`;
  }

  async function write(part: SentencePart): Promise<string> {
    if (typeof part === 'string') return part;
    if ('person' in part) return part.name ?? part.person;
    if ('group' in part) return await nameGroup(part.group, part.handle);
    if ('channel' in part) return await nameChannel(part.channel);
    return 'callName' in part ? plainSentence(part) : writeTime(part);
  }

  return async (words) => (await Promise.all(partsOf(words).map(write))).join('');
}

function writeTime(part: { readonly at: number } | { readonly ago: number }): string {
  return new Date('ago' in part ? part.ago : part.at).toISOString();
}
