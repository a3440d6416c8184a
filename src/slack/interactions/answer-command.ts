import type { RespondFn } from '@slack/bolt';
import { describeAccepted, listServerTools } from '../home/server-tool-texts.ts';
import { type Command, type ParsedCommand, parseMessageLink } from '../inbound/parse-command.ts';
import { buildNotice, type ComposedMessage } from '../outbound/build-messages.ts';
import {
  COMMAND_SENTENCES,
  describeChannelStatus,
  describeCommandSuggestion,
  describeForgotten,
  describePaused,
  describeResumed,
  describeStop,
  HELP,
} from '../text/command-sentences.ts';
import type { HandlerDeps } from './handler.ts';
import { describeWaitingCalls } from './list-waiting.ts';
import { openRoutes } from './routes/open-routes.ts';

/** Handles a command: acknowledges it at once and answers only its author. */
export async function answerCommand(
  command: ParsedCommand,
  ack: () => Promise<void>,
  respond: RespondFn,
  deps: HandlerDeps,
): Promise<void> {
  await ack();
  const answer = await runCommand(command, deps).catch((error: unknown) => {
    deps.log.error({ err: error }, 'A command failed.');
    return COMMAND_SENTENCES.failed;
  });
  if (answer === undefined) return;
  const message = typeof answer === 'string' ? buildNotice(answer) : answer;
  await respond({ ...message, response_type: 'ephemeral' });
}

/** Resolves with the answer; undefined if a form was opened instead. */
async function runCommand(parsed: ParsedCommand, deps: HandlerDeps): Promise<CommandAnswer> {
  if (parsed.kind === 'command') return await COMMANDS[parsed.word](parsed, deps);
  const { actor, why, sentence, isTemporary } = parsed;
  if (isTemporary) deps.log.warn({ actor }, `Refused a command for now: ${why}.`);
  await deps.desk.recordRefusal({ surface: 'slack.command', subject: 'command', actor, why });
  return sentence;
}

type CommandAnswer = string | ComposedMessage | undefined;
type CommandHandler = (command: Command, deps: HandlerDeps) => Promise<CommandAnswer>;

const COMMANDS: Readonly<Record<Command['word'], CommandHandler>> = {
  waiting: describeWaitingCalls,
  stop: async (command, { desk }) =>
    describeStop(await desk.stopAll(placeOf(command)), COMMAND_SENTENCES.nothingToStop),
  status: async (command, { desk }) => describeChannelStatus(await desk.status(placeOf(command))),
  pause: async ({ by }, { desk }) => describePaused(await desk.pause(by)),
  resume: async ({ by }, { desk }) => describeResumed(await desk.resume(by)),
  forget,
  routes: openRoutes,
  tools: async ({ by, rest }, { tools }) => {
    const found = await tools.list(by);
    return found.kind === 'tools' ? listServerTools(found, rest) : found.sentence;
  },
  accept: async ({ by, rest }, { tools }) => {
    const [name = '', hash = ''] = rest.split(' ');
    const outcome = await tools.accept({ by, name, hash: hash.toLowerCase() });
    return outcome.kind === 'not-allowed'
      ? outcome.sentence
      : describeAccepted(outcome, hash !== '');
  },
  help: async ({ suggestion }) =>
    suggestion === undefined ? HELP : describeCommandSuggestion(suggestion),
};

function placeOf({ by, channel }: Command) {
  return { team: by.team, channel, by };
}

/** Forgets a thread of the command’s channel. Its author is a member there: Slack delivers commands from nowhere else. */
async function forget({ rest, by, channel }: Command, { desk }: HandlerDeps): Promise<string> {
  const link = parseMessageLink(rest, by.team);
  if (link === undefined) return COMMAND_SENTENCES.noLink;
  if (link.channel !== channel) return COMMAND_SENTENCES.otherChannel;
  return describeForgotten(await desk.forget({ thread: link.thread, by }));
}
