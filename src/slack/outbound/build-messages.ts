import type { KnownBlock } from '@slack/types';
import type { Rating } from '../../domain/threads/message.ts';
import type { Mentions, OutboxMessage } from '../../domain/threads/outbox-message.ts';
import { encodeTurnToken } from '../inbound/parse-turn-click.ts';
import { BUDGET, LIMITS } from '../text/limits.ts';
import { disarmMentions, mentionAll, toSafeNotice } from '../text/mrkdwn.ts';
import { splitMarkdown } from '../text/split-markdown.ts';
import { writeSentence } from '../text/write-sentence.ts';
import { ACTIONS } from '../transport/ids.ts';

/** One message of ours: its blocks, and the words of its notification. */
export interface ComposedMessage {
  readonly text: string;
  readonly blocks: KnownBlock[];
}

/**
 * Makes the messages that say a text whole: the agent's Markdown in as many as it takes, our own
 * words in one. What stands below an answer is in its last message.
 */
export function buildOutboxParts(
  say: Pick<OutboxMessage, 'kind' | 'text' | 'words' | 'turn' | 'foot' | 'mentions'>,
): readonly ComposedMessage[] {
  if (say.kind !== 'answer') return [buildNotice(writeOwnText(say), say.mentions)];
  const text = say.text.trim() === '' ? '_The agent ended without a word._' : say.text;
  const parts = splitMarkdown(disarmMentions(text), BUDGET.answerPart);
  return parts.map((part, i) => ({
    text:
      parts.length === 1
        ? 'The agent answered.'
        : `The agent answered (part ${i + 1} of ${parts.length}).`,
    blocks: [{ type: 'markdown', text: part }, ...(i === parts.length - 1 ? below(say) : [])],
  }));
}

/** Writes what a say of our own says, in Slack's markup. */
export function writeOwnText({ text, words }: Pick<OutboxMessage, 'text' | 'words'>): string {
  return words === undefined ? text : writeSentence(words);
}

/** Returns the message without what some workspaces do not have yet, the buttons of a rating; undefined when it has none. */
export function withoutRating(message: ComposedMessage): ComposedMessage | undefined {
  const blocks = message.blocks.filter(({ type }) => type !== 'context_actions');
  return blocks.length === message.blocks.length ? undefined : { ...message, blocks };
}

function below({ foot, turn }: Pick<OutboxMessage, 'turn' | 'foot'>): KnownBlock[] {
  return [
    ...(foot === undefined ? [] : [footOf(foot)]),
    ...(turn === undefined ? [] : [ratingOf(turn)]),
  ];
}

function footOf(foot: string): KnownBlock {
  return { type: 'context', elements: [{ type: 'mrkdwn', text: toSafeNotice(foot) }] };
}

/** https://docs.slack.dev/reference/block-kit/block-elements/feedback-buttons-element */
function ratingOf(turn: string): KnownBlock {
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

/** Makes one message of our own words, which begins with those whom it calls. */
export function buildNotice(text: string, mentions?: Mentions): ComposedMessage {
  const words = toSafeNotice(text.trim() === '' ? '(nothing to say)' : text);
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
