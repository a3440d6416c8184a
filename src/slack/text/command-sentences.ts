/** What people are told of their commands. */
import type {
  ForgetOutcome,
  PauseOutcome,
  ResumeOutcome,
  StatusOutcome,
  StopOutcome,
} from '../../desk/control/control.ts';
import type { QuarantinedRecord } from '../../desk/worker/quarantine.ts';
import { describeRecordName } from '../../domain/audit/damaged-record.ts';
import { toVisible } from '../../domain/text/visible-text.ts';
import { placeOf } from '../../domain/threads/thread-key.ts';
import { COMMAND, type CommandWord } from '../interactions/parse-command.ts';
import { dateText, escapeMrkdwn, linkTo, mention } from './mrkdwn.ts';

/** How many turns a status names. */
const MAX_NAMED = 10;

/** What the command can do. */
export const HELP = [
  `\`${COMMAND} waiting\` lists what waits for your decision; you decide it on my Home tab.`,
  `\`${COMMAND} stop\` ends what you have going on in this channel; an admin’s ends everything here.`,
  `\`${COMMAND} status\` says what goes on here, and whether I am paused.`,
  `\`${COMMAND} forget LINK\` has me forget a thread of this channel; LINK is one of its messages (_Copy link_).`,
  `\`${COMMAND} pause\` and \`${COMMAND} resume\`, for admins: nothing new runs anywhere until it is resumed.`,
  `\`${COMMAND} routes\`, for admins: who decides the calls of which tools, and where.`,
  `\`${COMMAND} tools\`, for admins: the MCP servers, and which of their tools have changed and have to be accepted.`,
  'In a thread, write `stop` or `forget this thread`, and nothing else.',
].join('\n');

/** Sentences that hang on nothing. */
export const COMMAND_SENTENCES = {
  failed: 'That did not work: something broke on my side. Please try again.',
  noLink: `Say which thread: \`${COMMAND} forget LINK\`, where LINK is one of its messages (_Copy link_). Or write \`forget this thread\` in it.`,
  otherChannel: 'That thread is in another channel. Use the command there.',
} as const;

/** Suggests a command in place of one that there is not. */
export function describeCommandSuggestion(word: CommandWord): string {
  return `There is no such command, so nothing happened. Did you mean \`${COMMAND} ${word}\`? \`${COMMAND} help\` lists all commands.`;
}

/** Says what became of a stop. */
export function describeStop(outcome: StopOutcome): string {
  switch (outcome.kind) {
    case 'stopped':
      return outcome.turns === 1 ? 'Stopped.' : `Stopped: ${outcome.turns} threads.`;
    case 'nothing':
      return 'Nothing to stop: none of it goes on any more. What others asked for, they or an admin can stop.';
    case 'already-stopped':
      return `${mention(outcome.by.user)} has stopped this already.`;
    case 'not-allowed':
      return outcome.sentence;
  }
}

/** Says what became of a pause. */
export function describePaused(outcome: PauseOutcome): string {
  if (outcome.kind === 'not-allowed') return outcome.sentence;
  const { by, at } = outcome.pause;
  const after = `Nothing new runs anywhere, over restarts too, until \`${COMMAND} resume\`. What runs already ends by itself; messages wait.`;
  return outcome.kind === 'paused'
    ? `Paused. ${after}`
    : `${mention(by.user)} paused me already, ${dateText(at)}. ${after}`;
}

/** Says what became of a resumption. */
export function describeResumed(outcome: ResumeOutcome): string {
  if (outcome.kind === 'not-allowed') return outcome.sentence;
  return outcome.kind === 'resumed' ? 'Resumed: what waited goes on.' : 'I am not paused.';
}

/** Says what became of a thread that was to be forgotten. */
export function describeForgotten(outcome: ForgetOutcome): string {
  switch (outcome.kind) {
    case 'forgotten':
      return outcome.turns === 0
        ? 'There was nothing that I remembered of that thread.'
        : 'Forgotten. Slack still shows the thread; I don’t remember it.';
    case 'unknown-thread':
      return 'I am not in that thread, so there is nothing to forget.';
    case 'not-allowed':
      return outcome.sentence;
  }
}

/** Says how it stands in a channel. */
export function describeChannelStatus(outcome: StatusOutcome): string {
  if (outcome.kind === 'not-allowed') return outcome.sentence;
  const { pause, ongoing, quarantined } = outcome;
  const state = pause
    ? `Paused by ${mention(pause.by.user)} since ${dateText(pause.at)}: nothing new runs.`
    : 'Not paused.';
  const damaged = describeQuarantined(quarantined);
  const first = damaged === undefined ? [state] : [state, damaged];
  if (ongoing.length === 0) return [...first, 'Nothing goes on here.'].join('\n');
  const lines = ongoing.slice(0, MAX_NAMED).map(({ thread, author, receivedAt, stopped }) => {
    const { channel, root } = placeOf(thread);
    const link = linkTo({ channel, ts: root }, 'Thread');
    const end = stopped ? ', being stopped' : '';
    return `• ${link} of ${mention(author.user)} · ${dateText(receivedAt)}${end}`;
  });
  const more = ongoing.length - lines.length;
  return [...first, 'Going on here:', ...lines, ...(more > 0 ? [`… and ${more} more.`] : [])].join(
    '\n',
  );
}

/** Says which stored records are damaged; undefined where none is. */
export function describeQuarantined(records: readonly QuarantinedRecord[]): string | undefined {
  if (records.length === 0) return undefined;
  const named = records.slice(0, MAX_NAMED).map(({ record, at }) => {
    return `• ${escapeMrkdwn(toVisible(describeRecordName(record)).text)}, since ${dateText(at)}`;
  });
  const more = records.length - named.length;
  return [
    ':rotating_light: Some of what I have stored is damaged. Nothing is done with it; restore it from a backup:',
    ...named,
    ...(more > 0 ? [`… and ${more} more.`] : []),
  ].join('\n');
}
