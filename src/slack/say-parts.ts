import type { KnownBlock } from '@slack/types';
import type { Say } from '../domain/store.ts';
import { BUDGET, LIMITS } from './limits.ts';
import { defuseMarkdown, toNotice } from './mrkdwn.ts';
import { splitMarkdown } from './split-markdown.ts';

/** One message of ours: its blocks, and the words of its notification. */
export interface SaidMessage {
  readonly text: string;
  readonly blocks: KnownBlock[];
}

/** Makes the messages that say a text whole: the agent's Markdown in as many as it takes, our own words in one. */
export function buildSayParts(say: Pick<Say, 'kind' | 'text' | 'foot'>): readonly SaidMessage[] {
  if (say.kind !== 'answer') return [buildNotice(say.text)];
  const text = say.text.trim() === '' ? '_The agent ended without a word._' : say.text;
  const parts = splitMarkdown(defuseMarkdown(text), BUDGET.answerPart);
  return parts.map((part, i) => ({
    text:
      parts.length === 1
        ? 'The agent answered.'
        : `The agent answered (part ${i + 1} of ${parts.length}).`,
    blocks: [{ type: 'markdown', text: part }, ...(i === parts.length - 1 ? footOf(say) : [])],
  }));
}

function footOf({ foot }: Pick<Say, 'foot'>): readonly KnownBlock[] {
  if (foot === undefined) return [];
  return [{ type: 'context', elements: [{ type: 'mrkdwn', text: toNotice(foot) }] }];
}

/** Makes one message of our own words. */
export function buildNotice(text: string): SaidMessage {
  const notice = toNotice(text.trim() === '' ? '(nothing to say)' : text);
  const pieces = splitMarkdown(notice, LIMITS.sectionText);
  return {
    text: pieces[0] ?? notice,
    blocks: pieces.map((piece) => ({
      type: 'section',
      text: { type: 'mrkdwn', text: piece },
      expand: true,
    })),
  };
}
