/**
 * A question from an MCP server (elicitation). It is stored like a call, but nothing runs: the
 * server's own tool waits for the answer.
 */
import type { KnownBlock } from '@slack/types';
import type { Call } from '../../domain/calls/call.ts';
import type { Masking } from '../../domain/secrets/mask-secrets.ts';
import { escapeToolName } from '../../domain/text/visible-text.ts';
import { BUDGET } from '../text/limits.ts';
import { mention } from '../text/mrkdwn.ts';
import { truncateValue } from './values/fit-values.ts';
import { renderText } from './values/render-arguments.ts';
import { buildValueBlock } from './values/rich-text-blocks.ts';

/** Returns the card's title, which names the server. */
export function serverQuestionTitle({ outside }: Call): string {
  return `Question from ${escapeToolName(outside?.name ?? '')}`;
}

/** Facts stated by the app, one per line. */
export function serverQuestionFacts({ outside, requester, tool }: Call): readonly string[] {
  const server = `\`${escapeToolName(outside?.name ?? '')}\``;
  return [
    `The MCP server ${server} asks this while its tool \`${escapeToolName(tool)}\` runs, for ${mention(requester.user)}. The text comes from the server and is unverified. Your answer goes to the server.`,
    ':lock: Never answer with a password, a key or a code.',
  ];
}

/** Quotes the server's message as data, so that none of it is parsed or looks like our own text. */
export function quoteServerQuestion({ outside, words }: Call, masking: Masking): KnownBlock[] {
  if (words.trim() === '') return [];
  const label = `${escapeToolName(outside?.name ?? '')} says (unverified)`;
  return buildValueBlock([
    truncateValue(renderText(label, words.trim(), masking), BUDGET.question),
  ]);
}
