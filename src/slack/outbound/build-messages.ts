import type { KnownBlock } from '@slack/types';
import type { Rating } from '../../domain/threads/message.ts';
import type { Mentions, OutboxMessage } from '../../domain/threads/outbox-message.ts';
import { BUDGET, LIMITS } from '../text/limits.ts';
import { disarmMentions, mentionAll, toSafeNotice } from '../text/mrkdwn.ts';
import { splitMarkdown } from '../text/split-markdown.ts';
import { writeSentence } from '../text/write-sentence.ts';
import { ACTIONS } from '../transport/ids.ts';
import { encodeTurnToken } from '../transport/turn-token.ts';

/** One of our messages: its blocks, and the text of its notification. */
export interface ComposedMessage {
  readonly text: string;
  readonly blocks: KnownBlock[];
}

/**
 * Builds the messages for an outbox message: as many as the agent's Markdown needs, or one for our
 * own text. The footer and the rating of an answer are in its last message.
 */
export function buildOutboxParts(
  message: Pick<OutboxMessage, 'kind' | 'text' | 'words' | 'turn' | 'foot' | 'mentions'>,
): readonly ComposedMessage[] {
  if (message.kind !== 'answer') return [buildNotice(writeOwnText(message), message.mentions)];
  const text =
    message.text.trim() === '' ? '_The agent finished without an answer._' : message.text;
  const parts = splitMarkdown(disarmMentions(text), BUDGET.answerPart);
  return parts.map((part, i) => ({
    text:
      parts.length === 1
        ? 'The agent answered.'
        : `The agent answered (part ${i + 1} of ${parts.length}).`,
    blocks: [
      { type: 'markdown', text: part },
      ...(i === parts.length - 1 ? blocksBelow(message) : []),
    ],
  }));
}

/** Returns the text of one of our own outbox messages, in Slack’s markup. */
export function writeOwnText({ text, words }: Pick<OutboxMessage, 'text' | 'words'>): string {
  return words === undefined ? text : writeSentence(words);
}

/** Returns the message without its rating buttons, which some workspaces don’t support; undefined if it has none. */
export function withoutRating(message: ComposedMessage): ComposedMessage | undefined {
  const blocks = message.blocks.filter(({ type }) => type !== 'context_actions');
  return blocks.length === message.blocks.length ? undefined : { ...message, blocks };
}

function blocksBelow({ foot, turn }: Pick<OutboxMessage, 'turn' | 'foot'>): KnownBlock[] {
  return [
    ...(foot === undefined ? [] : [footerBlock(foot)]),
    ...(turn === undefined ? [] : [ratingBlock(turn)]),
  ];
}

function footerBlock(foot: string): KnownBlock {
  return { type: 'context', elements: [{ type: 'mrkdwn', text: toSafeNotice(foot) }] };
}

/** https://docs.slack.dev/reference/block-kit/block-elements/feedback-buttons-element */
function ratingBlock(turn: string): KnownBlock {
  const button = (text: string, label: string, value: Rating['value']) => ({
    text: { type: 'plain_text' as const, text },
    accessibility_label: label,
    value: encodeTurnToken(turn, value),
  });
  return {
    type: 'context_actions',
    elements: [
      {
        type: 'feedback_buttons',
        action_id: ACTIONS.rate,
        positive_button: button('Good answer', 'This answer helped', 'good'),
        negative_button: button('Bad answer', 'This answer did not help', 'bad'),
      },
    ],
  };
}

/** Builds a message of our own, with its mentions first. */
export function buildNotice(text: string, mentions?: Mentions): ComposedMessage {
  const words = toSafeNotice(text.trim() === '' ? '(no text)' : text);
  const notice = [mentionAll(mentions), words].filter((part) => part !== '').join(' ');
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
