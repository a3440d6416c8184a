import type { Call, CardPlace } from '../../domain/call.ts';
import { sayAsker, titleOf } from '../cards/card-facts.ts';
import type { HandlerDeps } from '../handlers/handler.ts';
import { dateText } from '../mrkdwn.ts';
import type { Command } from '../parse-command.ts';
import { writeSentence } from '../write-sentence.ts';
import { linkOf } from './home-entry.ts';

const MOST_NAMED = 10;

/** Says in a few lines what waits for a person's decision, oldest first. */
export async function sayWaiting(
  { by }: Pick<Command, 'by'>,
  { desk, cardOf }: Pick<HandlerDeps, 'desk' | 'cardOf'>,
): Promise<string> {
  const waiting = await desk.listWaiting(by, { limit: MOST_NAMED });
  if (waiting.kind === 'nobody') return writeSentence(waiting.why);
  const { calls, next, doubt } = waiting;
  const lines = await Promise.all(calls.map(async (call) => sayCall(call, await cardOf(call.id))));
  const doubts = doubt === undefined ? [] : [`:warning: ${writeSentence(doubt)}`];
  if (lines.length === 0) return doubts[0] ?? 'Nothing waits for you.';
  const head = next === undefined ? 'These wait for you' : `More than ${lines.length} wait for you`;
  const more = next === undefined ? '' : ' The others are there too.';
  const end = `Decide on the cards, or all of them on my Home tab.${more}`;
  return [`${head}, oldest first:`, ...lines, ...doubts, end].join('\n');
}

function sayCall(call: Call, card: CardPlace | undefined): string {
  const risk = call.risk === 'high' ? ':warning: high risk' : `${call.risk} risk`;
  const which = `${titleOf(call)} · ${risk} · asked by ${sayAsker(call)}`;
  const url = linkOf(call, card);
  const link = url === undefined ? '' : ` · <${url}|${card === undefined ? 'Thread' : 'Card'}>`;
  return `• ${which} · ${dateText(call.createdAt, '{ago}')}${link}`;
}
