/** How a question of an MCP server is said: it looks like a call, and nothing runs with it but the tool that waits for the answer. */
import type { KnownBlock } from '@slack/types';
import type { Call, CallStatus } from '../../domain/calls/call.ts';
import type { Masking } from '../../domain/secrets/mask-secrets.ts';
import { showName } from '../../domain/text/visible-text.ts';
import { BUDGET } from '../text/limits.ts';
import { mention } from '../text/mrkdwn.ts';
import { cutPiece } from './values/fit-values.ts';
import { renderText } from './values/render-arguments.ts';
import { buildPieces } from './values/rich-text-blocks.ts';

/** Says whose question it is: the card's title. */
export function elicitationTitle({ outside }: Call): string {
  return `Question from ${showName(outside?.name ?? '')}`;
}

/** Our facts of a question, one to a line. */
export function elicitationFacts({ outside, requester, tool }: Call): readonly string[] {
  const server = `\`${showName(outside?.name ?? '')}\``;
  return [
    `The MCP server ${server} asks this while its tool \`${showName(tool)}\` runs, for ${mention(requester.user)}. Its words are not mine, and unverified; your answer goes to it.`,
    ':lock: Never answer with a password, a key or a code.',
  ];
}

/** Makes the blocks of the server's words: as data, so that nothing in them is markup or ours. */
export function quoteElicitation({ outside, words }: Call, masking: Masking): KnownBlock[] {
  if (words.trim() === '') return [];
  const label = `${showName(outside?.name ?? '')} says (unverified)`;
  return buildPieces([cutPiece(renderText(label, words.trim(), masking), BUDGET.question)]);
}

/** A question's state in a few words. */
export const ELICITATION_STATES: Readonly<Record<CallStatus, string>> = {
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
export function sayElicitationEnd({ outside, verdict }: Call): string {
  const server = `\`${showName(outside?.name ?? '')}\``;
  return verdict?.kind === 'ignore'
    ? `You declined to answer; ${server} is told so.`
    : `Your answer goes to ${server}.`;
}
