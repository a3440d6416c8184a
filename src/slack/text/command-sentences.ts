/** Answers to commands. */
import type { ForgetOutcome, StatusOutcome } from '../../desk/control/control.ts';
import type { PauseOutcome, ResumeOutcome } from '../../desk/control/pause-commands.ts';
import type { StopOutcome } from '../../desk/control/stop-commands.ts';
import type { QuarantinedRecord } from '../../desk/worker/quarantine.ts';
import { describeRecordName } from '../../domain/audit/damaged-record.ts';
import { toVisible } from '../../domain/text/visible-text.ts';
import { placeOf } from '../../domain/threads/thread-key.ts';
import { COMMAND, type CommandWord } from '../transport/ids.ts';
import { dateText, escapeMrkdwn, linkTo, mention } from './mrkdwn.ts';

/** How many turns or records an answer lists. */
const MAX_NAMED = 10;

/** The answer to `help`. */
export const HELP = [
  `\`${COMMAND} waiting\` lists the calls that need your decision. Decide them on my Home tab.`,
  `\`${COMMAND} stop\` stops what I do for you in this channel. If you are an admin, it stops everything here.`,
  `\`${COMMAND} status\` shows what is running here, and whether I am paused.`,
  `\`${COMMAND} forget LINK\` makes me forget a thread of this channel. LINK is the link to one of its messages (_Copy link_).`,
  `\`${COMMAND} pause\` and \`${COMMAND} resume\`, for admins: stop new work from starting anywhere, and let it start again.`,
  `\`${COMMAND} routes\`, for admins: shows who approves which tools, and where.`,
  `\`${COMMAND} tools\`, for admins: shows the MCP servers, and their tools that have changed and must be accepted.`,
  'In a thread, send a message with only `stop` or `forget this thread`.',
].join('\n');

/** Answers without variable parts. */
export const COMMAND_SENTENCES = {
  failed: 'That did not work: something went wrong on my side. Please try again.',
  noLink: `Say which thread: \`${COMMAND} forget LINK\`, where LINK is the link to one of its messages (_Copy link_). Or write \`forget this thread\` in it.`,
  ended: 'Nothing to stop: this is no longer running.',
  nothingToStop:
    'Nothing to stop: none of your requests is running here. To stop someone else’s request, write `stop` in its thread.',
  otherChannel: 'That thread is in another channel. Use the command there.',
} as const;

/** Suggests a command for an unknown one. */
export function describeCommandSuggestion(word: CommandWord): string {
  return `There is no such command, so nothing happened. Did you mean \`${COMMAND} ${word}\`? \`${COMMAND} help\` lists all commands.`;
}

/** Describes the result of a stop. */
export function describeStop(
  outcome: StopOutcome,
  nothing: string = COMMAND_SENTENCES.ended,
): string {
  switch (outcome.kind) {
    case 'stopped':
      return outcome.turns === 1 ? 'Stopped.' : `Stopped: ${outcome.turns} threads.`;
    case 'nothing':
      return nothing;
    case 'already-stopped':
      return `${mention(outcome.by.user)} already stopped this.`;
    case 'not-allowed':
      return outcome.sentence;
  }
}

/** Describes the result of a pause. */
export function describePaused(outcome: PauseOutcome): string {
  if (outcome.kind === 'not-allowed') return outcome.sentence;
  const { by, at } = outcome.pause;
  const after = `Nothing new runs anywhere until \`${COMMAND} resume\`, even after a restart. What is running already can finish; messages wait.`;
  return outcome.kind === 'paused'
    ? `Paused. ${after}`
    : `${mention(by.user)} already paused me, ${dateText(at)}. ${after}`;
}

/** Describes the result of a resume. */
export function describeResumed(outcome: ResumeOutcome): string {
  if (outcome.kind === 'not-allowed') return outcome.sentence;
  return outcome.kind === 'resumed' ? 'Resumed. Waiting work continues.' : 'I am not paused.';
}

/** Describes the result of forgetting a thread. */
export function describeForgotten(outcome: ForgetOutcome): string {
  switch (outcome.kind) {
    case 'forgotten':
      return outcome.turns === 0
        ? 'I had nothing stored about that thread.'
        : 'Forgotten. Slack still shows the thread, but I no longer remember it.';
    case 'unknown-thread':
      return 'I am not in that thread, so there is nothing to forget.';
    case 'not-allowed':
      return outcome.sentence;
  }
}

/** Describes what is running in a channel. */
export function describeChannelStatus(outcome: StatusOutcome): string {
  if (outcome.kind === 'not-allowed') return outcome.sentence;
  const { pause, ongoing, quarantined } = outcome;
  const state = pause
    ? `Paused by ${mention(pause.by.user)} since ${dateText(pause.at)}: nothing new runs.`
    : 'Not paused.';
  const damaged = describeQuarantined(quarantined);
  const first = damaged === undefined ? [state] : [state, damaged];
  if (ongoing.length === 0) return [...first, 'Nothing is running here.'].join('\n');
  const lines = ongoing.slice(0, MAX_NAMED).map(({ thread, author, receivedAt, stopped }) => {
    const { channel, root } = placeOf(thread);
    const link = linkTo({ channel, ts: root }, 'Thread');
    const end = stopped ? ', stopping' : '';
    return `• ${link} by ${mention(author.user)} · ${dateText(receivedAt)}${end}`;
  });
  const more = ongoing.length - lines.length;
  return [...first, 'Running here:', ...lines, ...(more > 0 ? [`… and ${more} more.`] : [])].join(
    '\n',
  );
}

/** Lists the damaged records; undefined if there are none. */
export function describeQuarantined(records: readonly QuarantinedRecord[]): string | undefined {
  if (records.length === 0) return undefined;
  const named = records.slice(0, MAX_NAMED).map(({ record, at }) => {
    return `• ${escapeMrkdwn(toVisible(describeRecordName(record)).text)}, since ${dateText(at)}`;
  });
  const more = records.length - named.length;
  return [
    ':rotating_light: Some of my stored records are damaged, so I don’t use them. Restore them from a backup:',
    ...named,
    ...(more > 0 ? [`… and ${more} more.`] : []),
  ].join('\n');
}
