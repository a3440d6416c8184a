/** How a question of an MCP server is said: it looks like a call, and nothing runs with it but the tool that waits for the answer. */
import type { KnownBlock } from '@slack/types';
import type { Call, CallStatus } from '../../domain/calls/call.ts';
import type { Masking } from '../../domain/secrets/mask-secrets.ts';
import { escapeToolName } from '../../domain/text/visible-text.ts';
import { BUDGET } from '../text/limits.ts';
import { mention } from '../text/mrkdwn.ts';
import { truncateValue } from './values/fit-values.ts';
import { renderText } from './values/render-arguments.ts';
import { buildValueBlock } from './values/rich-text-blocks.ts';

/** Says whose question it is: the card's title. */
export function serverQuestionTitle({ outside }: Call): string {
  return `Question from ${escapeToolName(outside?.name ?? '')}`;
}

/** Our facts of a question, one to a line. */
export function serverQuestionFacts({ outside, requester, tool }: Call): readonly string[] {
  const server = `\`${escapeToolName(outside?.name ?? '')}\``;
  return [
    `The MCP server ${server} asks this while its tool \`${escapeToolName(tool)}\` runs, for ${mention(requester.user)}. Its words are not mine, and unverified; your answer goes to it.`,
    ':lock: Never answer with a password, a key or a code.',
  ];
}

/** Makes the blocks of the server's words: as data, so that nothing in them is markup or ours. */
export function quoteServerQuestion({ outside, words }: Call, masking: Masking): KnownBlock[] {
  if (words.trim() === '') return [];
  const label = `${escapeToolName(outside?.name ?? '')} says (unverified)`;
  return buildValueBlock([
    truncateValue(renderText(label, words.trim(), masking), BUDGET.question),
  ]);
}

/** A question's state in a few words. */
export const SERVER_QUESTION_STATES: Readonly<Record<CallStatus, string>> = {
  proposed: 'Being checked',
  pending: 'Waiting for an answer',
  approved: 'Answered',
  running: 'Answered',
  succeeded: 'Answered',
  failed: 'Not answered',
  unknown: 'Not answered',
  replied: 'Not answered',
  ignored: 'Declined',
  expired: 'Expired: nobody answered in time',
  withdrawn: 'Taken back: nobody waits for the answer any more',
  refused: 'Not answered',
};

/** What the person is told who has answered, or declined to. */
export function describeServerQuestionEnd({ outside, verdict }: Call): string {
  const server = `\`${escapeToolName(outside?.name ?? '')}\``;
  return verdict?.kind === 'ignore'
    ? `You declined to answer; ${server} is told so.`
    : `Your answer goes to ${server}.`;
}
