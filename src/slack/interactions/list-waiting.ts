import { plainSentence } from '../../domain/text/sentence.ts';
import { formatCallList, visibleCallTitle } from '../cards/call-list-entry.ts';
import { EMPTY_WAITING_TEXT } from '../home/home-view.ts';
import type { Command } from '../inbound/parse-command.ts';
import { buildNotice, type ComposedMessage } from '../outbound/build-messages.ts';
import { escapeMrkdwn } from '../text/mrkdwn.ts';
import { writeSentence } from '../text/write-sentence.ts';
import type { HandlerDeps } from './handler.ts';

const MAX_NAMED = 10;

/** Lists the calls that wait for a person's decision, oldest first. */
export async function describeWaitingCalls(
  { by }: Pick<Command, 'by'>,
  { desk }: Pick<HandlerDeps, 'desk'>,
): Promise<string | ComposedMessage> {
  const waiting = await desk.listWaiting(by, { limit: MAX_NAMED, seen: MAX_NAMED });
  if (waiting.kind === 'nobody') return writeSentence(waiting.why);
  const { calls, next, warning } = waiting;
  const warnings = warning === undefined ? [] : [`:warning: ${writeSentence(warning)}`];
  if (calls.length === 0) return warnings[0] ?? EMPTY_WAITING_TEXT;
  const yours = new Set(calls.map(({ id }) => id));
  const lines = await desk.describeCalls(calls, { kind: 'person', person: by, yours });
  const many = next === undefined ? String(calls.length) : `More than ${calls.length}`;
  const head = `*${many} waiting for you*, oldest first:`;
  const end = `Decide on the cards, or on my Home tab.${next === undefined ? '' : ' The others are there too.'}`;
  const names = lines.map(({ name, turn }) => `${visibleCallTitle(name)} · ${plainSentence(turn)}`);
  return {
    text: [head, ...names.map(escapeMrkdwn)].join('\n'),
    blocks: [
      ...buildNotice(head).blocks,
      formatCallList(lines, 'mentioned'),
      ...buildNotice([...warnings, end].join('\n')).blocks,
    ],
  };
}
